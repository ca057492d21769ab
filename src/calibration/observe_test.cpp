// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/observe.h"

#include "base/error.h"
#include "calibration/calibrate.h"
#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"
#include "support/tested_device.h"
#include "support/written_graph.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using Batch = std::vector<float>;

/// Batches of a network with one input, in memory that the tested device reads.
class Given {
public:
    explicit Given(std::vector<Batch> batches) : batches_(std::move(batches)) {}
    NextBatch next() {
        return [this](std::vector<Tensor const*> const& inputs, std::vector<void*>& addresses) {
            EXPECT_EQ(inputs.size(), 1U);
            if (given_ == batches_.size()) return false;
            Batch const& batch = batches_[given_++];
            size_t const bytes = batch.size() * sizeof(float);
            Backend const& backend = test::testedBackend();
            memory_ = backend.takesProgramMemory() ? backend.allocate(bytes) : allocateHost(bytes);
            backend.copy(memory_.get(), batch.data(), bytes, nullptr);
            backend.synchronize(nullptr);
            addresses[0] = memory_.get();
            return true;
        };
    }

private:
    std::vector<Batch> batches_;
    size_t given_ = 0;
    std::shared_ptr<void> memory_;
};

ObserveConfig onTestedDevice() {
    ObserveConfig config;
    config.device = test::testedDevice();
    config.settings.precision.tf32 = false;
    return config;
}

/// x [1,2,2,2] → a = 1×1 convolution to 3 channels by the rows (1,0), (0,1), (1,1) → y = relu
struct Network : test::WrittenGraph {
    Network() {
        Tensor* const weights = WrittenGraph::constant(floats({3, 2, 1, 1}, {1, 0, 0, 1, 1, 1}));
        Tensor* const x = graph.addInput("x", DataType::Float32, {1, 2, 2, 2});
        Tensor* const a = graph.emit(Convolution{}, {x, weights}, "a");
        a->name = "a";
        Tensor* const y = graph.emit(Activation{}, {a}, "y");
        y->name = "y";
        graph.markOutput(y);
    }
};

std::vector<int64_t> countsOf(Histogram const& histogram) {
    std::vector<int64_t> counts;
    for (int64_t const count : histogram.counts()) {
        if (count != 0) counts.push_back(count);
    }
    return counts;
}

// Kernels choose layouts: 3 channels may be padded. a = x0, x1 and x0 + x1 at each of 4 pixels.
TEST(Observe, countsTheValuesOfEachTensorThatTheNetworkHas) {
    Network network;
    Given given({{1, 1, 1, 1, 2, 2, 2, -8}, {0, 0, 0, 0, -4, 0, 0, 0}});
    Histograms const found = observe(network.graph, {"x", "a", "y"}, onTestedDevice(), given.next());
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found.at("x").most(), 8);
    EXPECT_EQ(found.at("x").zeros(), 7);
    EXPECT_EQ(countsOf(found.at("x")), (std::vector<int64_t>{4, 3, 1, 1})); // 1, 2, 4, 8
    EXPECT_EQ(found.at("a").most(), 8);
    EXPECT_EQ(found.at("a").zeros(), 4 + 3 + 3);
    EXPECT_EQ(countsOf(found.at("a")), (std::vector<int64_t>{4, 3, 3, 2, 1, 1})); // 1, 2, 3, 4, 7, 8
    EXPECT_EQ(found.at("y").most(), 3);
    EXPECT_EQ(countsOf(found.at("y")), (std::vector<int64_t>{4, 3, 3})); // 1, 2, 3
}

TEST(Observe, notesOnlyTheLargestValuesWhereNoMoreIsWanted) {
    Network network;
    Given given({{1, 1, 1, 1, 2, 2, 2, -8}, {0, 0, 0, 0, -4, 0, 0, 0}});
    ObserveConfig config = onTestedDevice();
    config.counts = false;
    Histograms const found = observe(network.graph, {"y"}, config, given.next());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.at("y"), Histogram(3, 0, 0, {}));
}

TEST(Observe, computesInFloat32WhateverTheProgramAsksFor) {
    Network network;
    for (auto const& node : network.graph.nodes()) node->askedType = DataType::Float16;
    for (auto const& tensor : network.graph.tensors()) tensor->askedType = DataType::Int8;
    Given given({{1e6F, 1, 1, 1, 2, 2, 2, 2}}); // too large for float16
    Histograms const found = observe(network.graph, {"y"}, onTestedDevice(), given.next());
    EXPECT_EQ(found.at("y").most(), 1e6F + 2);
}

TEST(Observe, runsAtTheOptimumOfTheProfile) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("n")});
    graph.markOutput(graph.emit(Activation{}, {x}, "y"));
    graph.outputs()[0]->name = "y";
    ObserveConfig config = onTestedDevice();
    config.profile["x"] = {{1}, {3}, {8}, {}, {}, {}};
    Given given({{1, 2, 3}});
    Histograms const found = observe(graph, {"y"}, config, given.next());
    EXPECT_EQ(countsOf(found.at("y")), (std::vector<int64_t>{1, 1, 1}));
}

TEST(Observe, namesTheTensorWhoseValuesAreNotFinite) {
    Network network;
    Given given({{1, 1, 1, 1, 2, 2, 2, 2}, {3e38F, 1, 1, 1, 3e38F, 2, 2, 2}}); // the sum is too large for float32
    try {
        observe(network.graph, {"x", "a", "y"}, onTestedDevice(), given.next());
        ADD_FAILURE() << "no error";
    } catch (Error const& error) {
        EXPECT_NE(std::string(error.what()).find("a has values that are not finite"), std::string::npos)
            << error.what();
        EXPECT_TRUE(std::string(error.what()).starts_with("batch 1: ")) << error.what();
    }
}

TEST(TensorsToCalibrate, areFloatsThatDependOnTheElementsOfInputs) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {2, 2});
    Tensor* const indices = graph.addInput("indices", DataType::Int64, {2});
    Tensor* const constant = graph.emit(Constant(floats({2}, {1, 2})), {}, "constant");
    Tensor* const folded = graph.emit(Activation{}, {constant}, "folded");
    Tensor* const shape = graph.emit(ShapeOf{}, {x}, "shape");
    Tensor* const y = graph.emit(Activation{}, {x}, "y");
    Tensor* const ranged = graph.emit(Activation{}, {y}, "ranged");
    ranged->quantum.scale = 1;
    for (Tensor* output : {indices, folded, shape, ranged}) graph.markOutput(output);
    EXPECT_EQ(tensorsToCalibrate(graph), (std::vector<Tensor const*>{x, y}));
}

TEST(SetScales, leavesRangesThatAreThere) {
    Network network;
    network.graph.tensorNamed("a")->quantum.scale = 0.5F;
    setScales(network.graph, {CalibrationMethod::MinMax, {{"x", 0.25F}, {"a", 0.25F}, {"y", 0}, {"other", 1}}});
    EXPECT_EQ(network.graph.tensorNamed("x")->quantum.scale, 0.25F);
    EXPECT_EQ(network.graph.tensorNamed("a")->quantum.scale, 0.5F);
    EXPECT_EQ(network.graph.tensorNamed("y")->quantum.scale, 1 / 127.0F); // of zeros: a range of 1
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// y = relu(conv(x) + 1): without debug tensors it becomes one node. Values are worked out by hand.

#include "support/api.h"

#include <map>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

struct Listener final : IDebugListener {
    bool processDebugTensor(void const* addr, TensorLocation location, DataType type, Dims64 const& shape,
                            char const* name, cudaStream_t) override {
        EXPECT_EQ(location, TensorLocation::kDEVICE);
        EXPECT_EQ(type, DataType::kFLOAT);
        size_t count = 1;
        for (int32_t i = 0; i < shape.nbDims; ++i) count *= static_cast<size_t>(shape.d[i]);
        auto const* values = static_cast<float const*>(addr);
        seen[name] = {values, values + count};
        return goesOn;
    }
    std::map<std::string, std::vector<float>> seen;
    bool goesOn = true;
};

std::vector<float> const kX{1, -2, 3, -4};
std::vector<float> const kConvolved{2, -4, 6, -8, -1, 2, -3, 4}; // channels 2x and -x
std::vector<float> const kSum{3, -3, 7, -7, 0, 3, -2, 5};
std::vector<float> const kY{3, 0, 7, 0, 0, 3, 0, 5};

std::unique_ptr<IHostMemory> engineOf(std::vector<std::string> const& marked, bool unfused = false) {
    static float const kKernel[]{2, -1}, kOne[]{1};
    Defining d;
    ITensor& x = d.input("x", {1, 1, 2, 2});
    ITensor* convolved =
        d.network->addConvolutionNd(x, 2, Dims2(1, 1), {DataType::kFLOAT, kKernel, 2}, {DataType::kFLOAT, nullptr, 0})
            ->getOutput(0);
    ITensor* one = d.network->addConstant(Dims4(1, 1, 1, 1), {DataType::kFLOAT, kOne, 1})->getOutput(0);
    ITensor* sum = d.network->addElementWise(*convolved, *one, ElementWiseOperation::kSUM)->getOutput(0);
    convolved->setName("convolved");
    sum->setName("sum");
    for (ITensor* tensor : {convolved, sum}) {
        bool const wanted = std::ranges::find(marked, tensor->getName()) != marked.end();
        EXPECT_TRUE(!wanted || d.network->markDebug(*tensor));
        EXPECT_EQ(d.network->isDebugTensor(*tensor), wanted);
    }
    if (unfused) d.network->markUnfusedTensorsAsDebugTensors();
    d.output(d.network->addActivation(*sum, ActivationType::kRELU)->getOutput(0));
    return d.build();
}

TEST(DebugTensors, areShownWhereTheyAreMarkedAndWanted) {
    Running r(*engineOf({"convolved", "sum"}));
    Listener listener;
    EXPECT_TRUE(r.engine->isDebugTensor("sum"));
    EXPECT_FALSE(r.engine->isDebugTensor("y"));
    EXPECT_TRUE(r.context->setDebugListener(&listener));
    EXPECT_EQ(r.context->getDebugListener(), &listener);
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_TRUE(listener.seen.empty());

    EXPECT_TRUE(r.context->setTensorDebugState("sum", true));
    EXPECT_TRUE(r.context->getDebugState("sum"));
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_EQ(listener.seen, (std::map<std::string, std::vector<float>>{{"sum", kSum}}));

    EXPECT_TRUE(r.context->setAllTensorsDebugState(true));
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_EQ(listener.seen.at("convolved"), kConvolved);
    listener.seen.clear();
    EXPECT_TRUE(r.context->setAllTensorsDebugState(false));
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_TRUE(listener.seen.empty());
}

TEST(DebugTensors, thatWereNotMarkedAreFusedAndRefused) {
    Running r(*engineOf({}));
    EXPECT_EQ(r.engine->getNbLayers(), 1);
    EXPECT_FALSE(r.context->setTensorDebugState("sum", true));
    EXPECT_EQ(r.messages.lastError(), "setTensorDebugState: sum was not marked with INetworkDefinition::markDebug");
    EXPECT_FALSE(r.context->setUnfusedTensorsDebugState(true));
    EXPECT_EQ(r.messages.lastError(), "setUnfusedTensorsDebugState: the network was built without "
                                      "INetworkDefinition::markUnfusedTensorsAsDebugTensors");
}

TEST(DebugTensors, areAlsoThoseThatFusionLeavesOver) {
    Running r(*engineOf({"sum"}, true));
    Listener listener;
    EXPECT_TRUE(r.context->setDebugListener(&listener));
    EXPECT_TRUE(r.context->setUnfusedTensorsDebugState(true));
    EXPECT_TRUE(r.context->getUnfusedTensorsDebugState());
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_EQ(listener.seen, (std::map<std::string, std::vector<float>>{{"y", kY}}));
}

TEST(DebugTensors, aListenerMayStopTheRun) {
    Running r(*engineOf({"sum"}));
    Listener listener;
    listener.goesOn = false;
    std::vector<float> x = kX, y(8);
    EXPECT_TRUE(r.context->setDebugListener(&listener));
    EXPECT_TRUE(r.context->setTensorDebugState("sum", true));
    EXPECT_TRUE(r.context->setTensorAddress("x", x.data()));
    EXPECT_TRUE(r.context->setTensorAddress("y", y.data()));
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: the debug listener stopped the run at tensor sum");
    listener.goesOn = true;
    EXPECT_TRUE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(y, kY);
}

} // namespace
} // namespace tenon

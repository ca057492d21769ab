// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/moving_offer.h"

#include "layers/constant/constant.h"
#include "layers/expand/expand.h"
#include "layers/fill/fill.h"
#include "layers/non_zero/non_zero.h"
#include "layers/scatter/scatter.h"
#include "layers/slice/slice.h"
#include "layers/unsqueeze/unsqueeze.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

constexpr Device kIsland{"island"};
constexpr MovingDevice kOnIsland{kIsland, [](double bytes) { return 10 * bytes; }};

std::vector<Dims> dimsOf(std::vector<Tensor*> const& tensors) {
    std::vector<Dims> all;
    for (Tensor const* tensor : tensors) {
        Dims dims = Dims::filled(tensor ? static_cast<int>(tensor->shape.size()) : 0, 1);
        for (int axis = 0; axis < dims.rank(); ++axis)
            dims[axis] = tensor->shape[static_cast<size_t>(axis)].constantOr(5);
        all.push_back(dims);
    }
    return all;
}

Offer offerFor(Node const& node, Moving const& moving, std::vector<Format> const& formats = {Format::linear()}) {
    KernelQuery query{node, dimsOf(node.inputs()), dimsOf(node.outputs())};
    query.floatTypes = {DataType::Float32, DataType::Float16};
    return offerMoving(query, kOnIsland, moving, formats);
}

/// "float32 linear island, int64 linear island -> float32 linear island"
std::string labelsOf(Variant const& variant) {
    std::string all;
    for (Label const& label : variant.inputs) all += text(all.empty() ? "" : ", ", label);
    all += " ->";
    for (Label const& label : variant.outputs) all += text(' ', label);
    return all;
}

Tensor* integers(Graph& graph, std::vector<int64_t> const& values) {
    return graph.emit(Constant(Literal::of<int64_t>({std::ssize(values)}, values)), {});
}

TEST(MovingOffer, storesAllTensorsOfTheElementsAlike) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {4, 6});
    Tensor* const indices = graph.addInput("indices", DataType::Int64, {3, 6});
    Tensor* const updates = graph.addInput("updates", DataType::Float32, {3, 6});
    Node const& node = *graph.add(Scatter{}.clone(), {x, indices, updates});
    Offer const offer = offerFor(node, {.reads = {2, 0, 2}, .ns = 7});
    ASSERT_EQ(offer.variants.size(), 2U);
    Label const at32{DataType::Float32, Format::linear(), kIsland};
    Label const at16{DataType::Float16, Format::linear(), kIsland};
    Label const index{DataType::Int64, Format::linear(), kIsland};
    EXPECT_EQ(labelsOf(offer.variants[0]), text(at32, ", ", index, ", ", at32, " -> ", at32));
    EXPECT_EQ(labelsOf(offer.variants[1]), text(at16, ", ", index, ", ", at16, " -> ", at16));
    EXPECT_EQ(offer.variants[0].cost, 7 + 10 * 2 * 4 * (24 + 18)); // X and the updates, twice
    EXPECT_EQ(offer.variants[1].cost, 7 + 10 * 2 * 2 * (24 + 18));
}

TEST(MovingOffer, hasInputsOnTheHostWhoseValuesAreRead) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Int64, {1, 6});
    Node const& node = *graph.add(Expand{}.clone(), {x, integers(graph, {4, 6})});
    Offer const offer = offerFor(node, {.reads = {1}, .writes = 1});
    ASSERT_EQ(offer.variants.size(), 1U);
    Label const label{DataType::Int64, Format::linear(), kIsland};
    Label const shape{DataType::Int64, Format::linear(), Device::Cpu};
    EXPECT_EQ(labelsOf(offer.variants[0]), text(label, ", ", shape, " -> ", label));
    EXPECT_EQ(offer.variants[0].cost, 10 * 8 * (6 + 24));
}

TEST(MovingOffer, hasLinearTensorsWithoutChannels) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Int8, {1, 2, 4, 4});
    Tensor* const fill = graph.addInput("fill", DataType::Int8, {});
    Slice slice;
    slice.mode = Slice::Mode::Fill;
    slice.start = {0, 0, 0, 0};
    slice.size = {1, 2, 8, 8};
    Node const& node = *graph.add(slice.clone(), {x, nullptr, nullptr, nullptr, fill});
    Offer const offer = offerFor(node, {.writes = 2}, {Format::linear(), Format::nhwc()});
    ASSERT_EQ(offer.variants.size(), 2U);
    Variant const& last = offer.variants[1];
    EXPECT_EQ(last.inputs[Slice::kX], (Label{DataType::Int8, Format::nhwc(), kIsland}));
    EXPECT_EQ(last.inputs[Slice::kFill], (Label{DataType::Int8, Format::linear(), kIsland}));
    EXPECT_EQ(last.outputs[0], (Label{DataType::Int8, Format::nhwc(), kIsland}));
}

TEST(MovingOffer, keepsTypesOfInputsThatOnlyDescribeElements) {
    Graph graph;
    Fill fill;
    fill.dims = {8};
    Node const& node = *graph.add(fill.clone(), {nullptr, graph.addInput("alpha", DataType::Float32, {})});
    Offer const offer = offerFor(node, {.writes = 1, .keepsInputs = true});
    ASSERT_EQ(offer.variants.size(), 2U);
    EXPECT_EQ(offer.variants[1].inputs[Fill::kAlpha], (Label{DataType::Float32, Format::linear(), kIsland}));
    EXPECT_EQ(offer.variants[1].outputs[0], (Label{DataType::Float16, Format::linear(), kIsland}));
}

TEST(MovingOffer, keepsTypesOfOtherOutputs) {
    Graph graph;
    Node const& node = *graph.add(NonZero{}.clone(), {graph.addInput("x", DataType::Float32, {4, 6})});
    Offer const offer = offerFor(node, {.reads = {2}, .elements = node.input(0)});
    ASSERT_EQ(offer.variants.size(), 2U);
    Label const x{DataType::Float16, Format::linear(), kIsland};
    Label const indices{DataType::Int64, Format::linear(), kIsland};
    EXPECT_EQ(labelsOf(offer.variants[1]), text(x, " -> ", indices, ' ', indices));
}

TEST(MovingOffer, keepsChannelsThatStay) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {2, 3, 4});
    EXPECT_TRUE(keepsChannels(*graph.add(Unsqueeze{}.clone(), {x, integers(graph, {2})})));
    EXPECT_FALSE(keepsChannels(*graph.add(Unsqueeze{}.clone(), {x, integers(graph, {0})})));
}

} // namespace
} // namespace tenon

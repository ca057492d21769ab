// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Extents beyond what 32 bits count. Kernels only get ready for them, so no such tensor is ever in memory.

#include "base/text.h"
#include "layers/attention/attention.h"
#include "layers/cast/cast.h"
#include "layers/nms/nms.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shape/shape.h"
#include "layers/softmax/softmax.h"
#include "layers/top_k/top_k.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <array>

namespace tenon {
namespace {

constexpr int64_t kMany = int64_t{1} << 32;

/// A node with data-dependent extents, for which kernels are prepared when they are huge.
struct OpenNode {
    Graph graph;
    Node* node;
    std::vector<Dims> outputs;

    OpenNode(Layer const& layer, std::vector<int> const& ranks) {
        std::vector<Tensor*> inputs;
        for (int const rank : ranks) {
            Shape shape;
            for (int i = 0; i < rank; ++i) shape.push_back(DimExpr::symbol(text("input ", inputs.size(), " axis ", i)));
            inputs.push_back(graph.addInput(text('x', inputs.size()), DataType::Float32, shape));
        }
        node = graph.add(layer.clone(), inputs, "node");
    }

    /// The errors of all kernels, in all variants that they offer for the small shapes; the reference reports it when
    /// it runs.
    std::vector<std::string> errors(NodeDims const& small, NodeDims const& huge) const {
        KernelQuery query{*node, small.inputs, small.outputs};
        query.floatTypes = {DataType::Float32, DataType::Float16};
        std::vector<std::string> all;
        for (Kernel const* kernel : test::testedBackend().kernelsFor(node->kind())) {
            if (kernel->name() == "reference") continue;
            for (Variant const& variant : kernel->offer(query).variants)
                all.push_back(test::errorOf([&] {
                    kernel->prepare({*node, variant, huge.inputs, huge.outputs, nullptr});
                }));
        }
        return all;
    }
};

void expectAll(std::vector<std::string> const& errors, std::string const& expected) {
    EXPECT_FALSE(errors.empty());
    for (std::string const& error : errors) EXPECT_EQ(error, expected);
}

constexpr char const* kOfInt32 =
    "4294967296 elements exceed the range of int32 indices, up to 2147483647; use int64 indices";

TEST(CountedExtents, areRefusedByIndicesOf32Bits) {
    NonZero nonZero;
    nonZero.indices = DataType::Int32;
    test::Input const x{DataType::Float32, {65536, 65536}};
    EXPECT_EQ(test::inferError(nonZero, {x}), text("node (NonZero): ", kOfInt32));
    expectAll(OpenNode(nonZero, {2}).errors({{{2, 3}}, {{2, 6}, {}}}, {{{65536, 65536}}, {{2, kMany}, {}}}), kOfInt32);
    TopK topK; // of int32
    EXPECT_EQ(test::inferError(topK, {{DataType::Float32, {2, kMany}}}),
              "node (TopK): 4294967296 elements along the axis exceed the range of int32 indices, up to 2147483647; "
              "use int64 indices");
    expectAll(
        OpenNode(topK, {2}).errors({{{2, 3}}, {{2, 1}, {2, 1}}}, {{{2, kMany}}, {{2, 1}, {2, 1}}}),
        "4294967296 elements along the axis exceed the range of int32 indices, up to 2147483647; use int64 indices");
    Nms nms;
    nms.indices = DataType::Int32;
    EXPECT_EQ(
        test::inferError(
            nms, {{DataType::Float32, {1, 65536, 4}}, {DataType::Float32, {1, 65536, 65536}}, {DataType::Int64, {}}}),
        "node (Nms): 4294967296 scores exceed the range of int32 indices, up to 2147483647; use int64 indices");
}

TEST(CountedExtents, areTakenByIndicesOf64Bits) {
    auto const shapeOf = [](Layer const& layer, Shape const& shape) {
        Graph graph;
        return text(graph.add(layer.clone(), {graph.addInput("x", DataType::Float32, shape)})->output(0)->shape);
    };
    TopK topK;
    topK.indicesType = DataType::Int64;
    EXPECT_EQ(shapeOf(topK, {kMany}), "[1]");
    EXPECT_EQ(shapeOf(NonZero{}, {65536, 65536}).substr(0, 3), "[2,");
}

TEST(CountedExtents, areRefusedByShapesOf32Bits) {
    ShapeOf layer;
    layer.type = DataType::Int32;
    std::string const expected =
        "an extent or a number of elements is 4294967296, but the maximum of int32 is 2147483647; use int64";
    EXPECT_EQ(test::inferError(layer, {{DataType::Float32, {2, kMany}}}), text("node (Shape): ", expected));
    std::array<int32_t, 2> y{};
    HostTensor const in{DataType::Float32, {2, kMany}, nullptr};
    HostTensor const out{DataType::Int32, {2}, y.data()};
    EXPECT_EQ(test::errorOf([&] { layer.reference(std::array{in}, std::array{out}); }), expected);
    layer.volume = true;
    EXPECT_EQ(test::inferError(layer, {{DataType::Float32, {65536, 65536}}}), text("node (Shape): ", expected));
}

/// Sizes that GPU kernels count in 32 bits.
void expectRefused(Layer const& layer, std::vector<Dims> const& small, std::vector<Dims> const& huge,
                   std::string const& expected) {
    std::vector<int> ranks;
    for (Dims const& dims : small) ranks.push_back(dims.rank());
    expectAll(OpenNode(layer, ranks).errors({small, {small[0]}}, {huge, {huge[0]}}), expected);
}

TEST(CountedExtents, areRefusedByKernelsThatCountIn32Bits) {
    if (test::testedDevice() == Device::Cpu) GTEST_SKIP() << "kernels of the CPU count in 64 bits";
    constexpr char const* kMost = "; this kernel supports up to 536870912";
    Softmax first;
    first.axis = 0;
    expectRefused(first, {{2, 3}}, {{kMany, 3}}, text(kMany, " elements along the axis", kMost));
    expectRefused(first, {{2, 3}}, {{3, kMany}}, text(kMany, " elements after the axis", kMost));
    expectRefused(Softmax{}, {{2, 3}}, {{kMany, 3}}, text(kMany, " rows", kMost));
    Dims const small{1, 2, 3, 4};
    auto const refused = [&](Dims const& dims, std::string const& things) {
        expectRefused(Attention{}, {small, small, small}, {dims, dims, dims}, things + kMost);
    };
    refused({kMany, 1, 1, 4}, text(kMany, " sequences"));
    refused({1, kMany, 1, 4}, text(kMany, " heads"));
    refused({1, 1, kMany, 4}, text(2 * kMany, " queries and keys"));
    refused({1, 1, 1, kMany}, text(kMany, " elements of a head"));
}

// numpy: np.array([2**32 + 5, -1]).astype(np.int32)
TEST(CountedExtents, areCastAsTheRunCastsThem) {
    Cast cast;
    cast.to = DataType::Int32;
    Operand const values{.type = DataType::Int64, .shape = {2}, .values = Shape{kMany + 5, -1}};
    EXPECT_EQ(text(*cast.infer({{values}, "node"})[0].values), "[5,-1]");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/concatenation/concatenation.h"

#include "base/text.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

TEST(Concatenation, joinsAlongAnyAxis) {
    Literal const a = floats({1, 2, 2}, {1, 2, 3, 4});
    Literal const b = floats({1, 2, 2}, {5, 6, 7, 8});
    LayerCase{.inputs = {a, b}, .expected = {floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}}.expect(Concatenation{});
    LayerCase{.inputs = {a, b}, .expected = {floats({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}}.expect(
        Concatenation::along(1));
    LayerCase{.inputs = {a, b}, .expected = {floats({1, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8})}}.expect(
        Concatenation::along(-1));
}

TEST(Concatenation, joinsUnequalAndEmptyPartsOfAnyType) {
    LayerCase{.inputs = {ints({2, 1}, {1, 4}), ints({2, 0}, {}), ints({2, 2}, {2, 3, 5, 6})},
              .expected = {ints({2, 3}, {1, 2, 3, 4, 5, 6})}}
        .expect(Concatenation::along(1));
    Literal const flags = Literal::copyOf(DataType::Bool, {2}, "\1\0");
    LayerCase{.inputs = {flags, flags}, .expected = {Literal::copyOf(DataType::Bool, {4}, "\1\0\1\0")}}.expect(
        Concatenation{});
}

/// x[n,c,i] = 100 n + c + i / 16, exact in all float types up to 127 channels
Literal counted(int64_t batch, int64_t from, int64_t channels, Dims const& rest) {
    std::vector<float> values;
    for (int64_t n = 0; n < batch; ++n) {
        for (int64_t c = from; c < from + channels; ++c) {
            for (int64_t i = 0; i < rest.volume(); ++i)
                values.push_back(static_cast<float>(8 * n + (c % 8)) + static_cast<float>(i) / 16);
        }
    }
    Dims dims{batch, channels};
    for (int64_t const extent : rest) dims.push(extent);
    return floats(dims, values);
}

TEST(Concatenation, joinsChannelsOfImages) { // sizes that fill the blocks of the blocked format and sizes that do not
    for (int64_t const first : {16, 32, 3}) {
        LayerCase{
            .inputs = {counted(2, 0, first, {2, 3}), counted(2, first, 16, {2, 3}), counted(2, first + 16, 5, {2, 3})},
            .expected = {counted(2, 0, first + 21, {2, 3})}}
            .expect(Concatenation::along(1));
    }
}

/// x_k [3,1 + k % 4,2] holds 100 · row + its own index in the concatenated row; 37 of them.
TEST(Concatenation, joinsMoreTensorsThanAKernelTakesAtOnce) {
    std::vector<std::vector<float>> parts(37);
    std::vector<float> whole;
    for (int64_t row = 0; row < 3; ++row) {
        float place = 0;
        for (size_t k = 0; k < parts.size(); ++k) {
            for (size_t i = 0; i < 2 * (1 + k % 4); ++i) {
                whole.push_back(static_cast<float>(100 * row) + place++ / 2);
                parts[k].push_back(whole.back());
            }
        }
    }
    LayerCase joined{.inputs = {}, .expected = {floats({3, static_cast<int64_t>(whole.size()) / 6, 2}, whole)}};
    for (auto const& part : parts) joined.inputs.push_back(floats({3, static_cast<int64_t>(part.size()) / 6, 2}, part));
    joined.expect(Concatenation::along(1));
}

TEST(Concatenation, joinsBatchesOfImages) {
    Literal const two = counted(2, 0, 5, {1, 3});
    Literal const one = floats({1, 5, 1, 3}, {two.as<float>().begin(), two.as<float>().begin() + 15});
    Literal const other = floats({1, 5, 1, 3}, {two.as<float>().begin() + 15, two.as<float>().end()});
    LayerCase{.inputs = {one, other}, .expected = {two}}.expect(Concatenation::along(0));
}

TEST(Concatenation, followsTheElementsOfShapes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3});
    Tensor* shape = graph.emit(ShapeOf{}, {x});
    EXPECT_EQ(text(*graph.emit(Concatenation{}, {shape, shape})->values), "[N,3,N,3]");
}

TEST(Concatenation, addsUnknownExtents) {
    Graph graph;
    DimExpr const n = DimExpr::symbol("N");
    DimExpr const w = DimExpr::symbol("W");
    Tensor* a = graph.addInput("a", DataType::Float32, {n, 3, w});
    Tensor* b = graph.addInput("b", DataType::Float32, {2, w, 4});
    EXPECT_EQ(text(graph.emit(Concatenation::along(1), {a, b})->shape), "[2,(W+3),4]");
}

TEST(Concatenation, refusesWhatDoesNotFit) {
    EXPECT_EQ(
        test::inferError(Concatenation::along(1), {{DataType::Float32, {2, 3}}, {DataType::Float32, {3, 3}}}),
        "node (Concatenation): input 1 has shape [3,3] and input 0 has [2,3]; all extents but those of axis 1 must "
        "be equal");
    EXPECT_EQ(test::inferError(Concatenation{}, {{DataType::Float32, {2}}, {DataType::Int32, {2}}}),
              "node (Concatenation): input 0 is float32 and input 1 is int32; expected one type (add a cast)");
    EXPECT_EQ(test::inferError(Concatenation{}, {{DataType::Float32, {}}}),
              "node (Concatenation): input 0 has shape [], of rank 0; expected rank 1 to 8");
    EXPECT_EQ(test::inferError(Concatenation::along(2), {{DataType::Float32, {2, 2}}}),
              "node (Concatenation): axis 2 of a tensor of rank 2; expected -2 to 1");
}

} // namespace
} // namespace tenon

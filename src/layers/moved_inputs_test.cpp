// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"
#include "graph/evaluate.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/expand/expand.h"
#include "layers/identity/identity.h"
#include "layers/pooling/pooling.h"
#include "layers/resize/resize.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tenon {
namespace {

Tensor* integers(Graph& graph, std::vector<int64_t> const& values) {
    return graph.emit(Constant(Literal::of<int64_t>({std::ssize(values)}, values)), {});
}

/// float32 [1,2,3,4]: first, first + 1, …
Tensor* counting(Graph& graph, float first) {
    std::vector<float> values(24);
    std::iota(values.begin(), values.end(), first);
    return graph.emit(Constant(Literal::of<float>({1, 2, 3, 4}, values)), {});
}

std::vector<float> floatsOf(Tensor const& tensor) { return constantValue(tensor)->toFloat(); }

/// That the only output of a node is what its layer says of it: elements of the inputs that it moves, and of no others.
void expectMoved(Tensor const& y, MovedInputs const& expected) {
    Node const& node = *y.producer();
    MovedInputs const moved = movedInputs(node);
    EXPECT_EQ(moved.count, expected.count);
    EXPECT_EQ(moved.addsZeros, expected.addsZeros);
    EXPECT_EQ(moved.inOrder, expected.inOrder);
    if (moved.count == 0) return;
    std::vector<float> all;
    if (moved.addsZeros) all.push_back(0);
    for (int i = 0; i < moved.count; ++i) {
        auto const more = floatsOf(*node.input(i));
        all.insert(all.end(), more.begin(), more.end());
    }
    auto const results = floatsOf(y);
    for (float const result : results) EXPECT_TRUE(std::ranges::find(all, result) != all.end()) << text(node) << result;
    bool const isSame = moved.inOrder && y.shape == node.input(0)->shape;
    if (isSame) {
        EXPECT_EQ(results, floatsOf(*node.input(0)));
    }
}

constexpr MovedInputs kNone{};
constexpr MovedInputs kOther{.count = 1};
constexpr MovedInputs kInOrder{.count = 1, .inOrder = true};

TEST(MovedInputs, ofLayersThatOnlyChangeShapes) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    expectMoved(*graph.emit(Identity{}, {x}), kInOrder);
    expectMoved(*graph.emit(Expand{}, {x, integers(graph, {5, 2, 3, 4})}), kInOrder);
    expectMoved(*graph.emit(Expand{}, {x, integers(graph, {1, 2, 3, 4})}), kInOrder);
    expectMoved(*graph.emit(Squeeze{}, {x, integers(graph, {0})}), kInOrder);
    expectMoved(*graph.emit(Unsqueeze{}, {x, integers(graph, {0})}), kInOrder);
    expectMoved(*graph.emit(Shuffle::reshaping({2, 12}), {x}), kInOrder);
}

TEST(MovedInputs, ofATransposition) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    expectMoved(*graph.emit(Shuffle::transposing({0, 1, 3, 2}), {x}), kOther);
    expectMoved(*graph.emit(Shuffle::transposing({0, 1, 2, 3}), {x}), kInOrder);
}

TEST(MovedInputs, areAllOfAConcatenation) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    Tensor* const y = counting(graph, 100);
    expectMoved(*graph.emit(Concatenation::along(1), {x}), kInOrder);
    expectMoved(*graph.emit(Concatenation::along(1), {x, y, x}), {.count = 3});
}

Slice sliceOf(std::vector<int64_t> start, std::vector<int64_t> size, Slice::Mode mode = Slice::Mode::StrictBounds) {
    Slice slice;
    slice.mode = mode;
    slice.start = std::move(start);
    slice.size = std::move(size);
    return slice;
}

TEST(MovedInputs, ofASlice) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    expectMoved(*graph.emit(sliceOf({0, 0, 0, 0}, {1, 2, 3, 4}), {x}), kInOrder);
    expectMoved(*graph.emit(sliceOf({0, 1, 0, 0}, {1, 1, 3, 4}), {x}), kOther);
    for (auto const mode : {Slice::Mode::Wrap, Slice::Mode::Clamp, Slice::Mode::Reflect})
        expectMoved(*graph.emit(sliceOf({0, 0, 0, 1}, {1, 2, 3, 4}, mode), {x}), kOther);
}

TEST(MovedInputs, ofASliceThatFills) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    Slice const fills = sliceOf({0, 0, -1, 0}, {1, 2, 5, 4}, Slice::Mode::Fill);
    expectMoved(*graph.emit(fills, {x}), {.count = 1, .addsZeros = true});
    Tensor* const seven = graph.emit(Constant(Literal::scalar(7.5F)), {});
    expectMoved(*graph.emit(fills, {x, nullptr, nullptr, nullptr, seven}), kNone);
}

TEST(MovedInputs, ofWindows) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    Pooling pooling;
    pooling.windowSize = {2, 2};
    pooling.window.prePadding = {1, 1};
    expectMoved(*graph.emit(pooling, {x}), kOther);
    pooling.type = PoolingType::Average;
    expectMoved(*graph.emit(pooling, {x}), kNone);
    pooling.type = PoolingType::Max;
    pooling.indices = true;
    EXPECT_EQ(pooling.moved(operandsOf(*graph.emit(Identity{}, {x})->producer())).count, 0);
}

TEST(MovedInputs, ofAResize) {
    Graph graph;
    Tensor* const x = counting(graph, 1);
    Resize resize;
    resize.sizes = {1, 2, 7, 3};
    expectMoved(*graph.emit(resize, {x}), kOther);
    resize.mode = Resize::Mode::Linear;
    expectMoved(*graph.emit(resize, {x}), kNone);
    resize.mode = Resize::Mode::Nearest;
    resize.coordinates = Resize::Coordinates::TfCropAndResize;
    EXPECT_EQ(resize.moved(operandsOf(*graph.emit(Identity{}, {x})->producer())).count, 0);
}

} // namespace
} // namespace tenon

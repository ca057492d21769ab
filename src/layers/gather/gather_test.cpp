// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"

#include <array>
#include <numeric>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Gather by(Gather::Mode mode, int64_t axis, int64_t common = 0) {
    Gather layer;
    layer.mode = mode;
    layer.axis = axis;
    layer.elementWiseDims = common;
    return layer;
}

TEST(Gather, picksRows) { // numpy: np.take(x, [[0, 1], [1, 2]], axis=0)
    LayerCase{.inputs = {floats({3, 2}, {1, 2, 3, 4, 5, 6}), ints({2, 2}, {0, 1, 1, 2})},
              .expected = {floats({2, 2, 2}, {1, 2, 3, 4, 3, 4, 5, 6})}}
        .expect(Gather{});
}

TEST(Gather, picksAlongAnyAxis) { // numpy: np.take(np.arange(12).reshape(2, 3, 2), [2, 0, -1, -3], axis=1)
    LayerCase{.inputs = {ints({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), ints({4}, {2, 0, -1, -3})},
              .expected = {ints({2, 4, 2}, {4, 5, 0, 1, 4, 5, 0, 1, 10, 11, 6, 7, 10, 11, 6, 7})}}
        .expect(by(Gather::Mode::Default, -2));
}

TEST(Gather, picksLongRows) { // y[b,i] = x[b,indices[i]], rows of whole words and others
    std::vector<int64_t> const indices{6, 0, -1, 3, 3, -7, 2, 5, 1};
    for (int64_t const length : {24, 37}) {
        std::vector<float> x;
        std::vector<float> y;
        for (int64_t k = 0; k < 2 * 7 * length; ++k) x.push_back(static_cast<float>(k * 37 % 101));
        for (int64_t row = 0; row < 2 * 9; ++row) {
            int64_t const index = (indices[static_cast<size_t>(row % 9)] + 7) % 7;
            auto const from = x.begin() + (row / 9 * 7 + index) * length;
            y.insert(y.end(), from, from + length);
        }
        LayerCase{.inputs = {floats({2, 7, length}, x), ints({9}, indices)}, .expected = {floats({2, 9, length}, y)}}
            .expect(by(Gather::Mode::Default, 1));
    }
}

/// y[r,i] = x[r,indices[i]], x[r,k] = r + 7 k
template <class T> void expectPickedFromRows() {
    std::vector<int32_t> const indices{4, 0, -1, 2, 2, -5, 1};
    std::vector<T> x;
    std::vector<T> y;
    for (int64_t i = 0; i < 40 * 5; ++i) x.push_back(static_cast<T>(i / 5 + 7 * (i % 5)));
    for (int64_t i = 0; i < 40 * 7; ++i)
        y.push_back(static_cast<T>(i / 7 + 7 * ((indices[static_cast<size_t>(i % 7)] + 5) % 5)));
    LayerCase{.inputs = {Literal::of<T>({40, 5}, x), Literal::of<int32_t>({7}, indices)},
              .expected = {Literal::of<T>({40, 7}, y)}}
        .expect(by(Gather::Mode::Default, 1));
}

TEST(Gather, picksAlongTheLastAxis) {
    expectPickedFromRows<uint8_t>();
    expectPickedFromRows<float>(); // and in 16 bits
    expectPickedFromRows<int64_t>();
}

TEST(Gather, dropsTheAxisForAScalarIndex) {
    Literal const index = Literal::scalar<int32_t>(1);
    LayerCase{.inputs = {floats({2, 2}, {1, 2, 3, 4}), index}, .expected = {floats({2}, {2, 4})}}.expect(
        by(Gather::Mode::Default, 1));
}

TEST(Gather, picksWithinCommonAxes) { // y[b, i] = x[b, indices[b, i]]
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6}), ints({2, 2}, {2, 0, 1, 1})},
              .expected = {floats({2, 2}, {3, 1, 5, 5})}}
        .expect(by(Gather::Mode::Default, 1, 1));
}

// numpy: np.take_along_axis([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[-2, -2, 0]], axis=0)
TEST(Gather, picksElements) {
    Literal const x = ints({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    LayerCase{.inputs = {x, ints({1, 3}, {-2, -2, 0})}, .expected = {ints({1, 3}, {4, 5, 3})}}.expect(
        by(Gather::Mode::Element, 0));
    LayerCase{.inputs = {x, ints({2, 4}, {0, 2, 1, 0, 2, 1, 0, 0})},
              .expected = {ints({2, 4}, {1, 3, 2, 1, 6, 5, 4, 4})}}
        .expect(by(Gather::Mode::Element, 1));
}

TEST(Gather, picksElementsAlongAnyAxis) { // y[i] = x[i with i[axis] replaced by the index], x[i] = its own offset
    std::vector<int64_t> x(2 * 3 * 4);
    std::iota(x.begin(), x.end(), 0);
    for (int axis = 0; axis < 3; ++axis) {
        Dims const from{2, 3, 4};
        std::vector<int32_t> indices;
        std::vector<int64_t> expected;
        for (int i = 0; i < 2 * 2 * 3; ++i) {
            std::array<int64_t, 3> at{i / 6, i / 3 % 2, i % 3};
            int64_t const index = i * 5 % from[axis];
            at[static_cast<size_t>(axis)] = index;
            indices.push_back(static_cast<int32_t>(i % 2 == 0 ? index : index - from[axis]));
            expected.push_back((at[0] * 3 + at[1]) * 4 + at[2]);
        }
        LayerCase{.inputs = {ints(from, x), Literal::of<int32_t>({2, 2, 3}, indices)},
                  .expected = {ints({2, 2, 3}, expected)}}
            .expect(by(Gather::Mode::Element, axis));
    }
}

// the examples of ONNX's GatherND
TEST(Gather, picksByTuples) {
    Literal const square = ints({2, 2}, {0, 1, 2, 3});
    Literal const cube = ints({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
    Gather const layer = by(Gather::Mode::ND, 0);
    constexpr uint32_t kIndices = 2; // their last extent must be known
    LayerCase{.inputs = {square, ints({2, 2}, {0, 0, 1, 1})}, .expected = {ints({2}, {0, 3})}, .constants = kIndices}
        .expect(layer);
    LayerCase{.inputs = {square, ints({2, 1}, {1, 0})}, .expected = {ints({2, 2}, {2, 3, 0, 1})}, .constants = kIndices}
        .expect(layer);
    LayerCase{
        .inputs = {cube, ints({2, 2}, {0, 1, 1, 0})}, .expected = {ints({2, 2}, {2, 3, 4, 5})}, .constants = kIndices}
        .expect(layer);
    LayerCase{.inputs = {cube, ints({2, 1, 2}, {0, 1, 1, 0})},
              .expected = {ints({2, 1, 2}, {2, 3, 4, 5})},
              .constants = kIndices}
        .expect(layer);
    LayerCase{.inputs = {cube, ints({2, 1}, {1, -2})}, .expected = {ints({2, 2}, {2, 3, 4, 5})}, .constants = kIndices}
        .expect(by(Gather::Mode::ND, 0, 1));
}

TEST(Gather, followsTheElementsOfShapes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3, DimExpr::symbol("W")});
    Tensor* width = graph.emit(Gather{}, {graph.emit(ShapeOf{}, {x}), graph.emit(Constant(ints({}, {-1})), {})});
    EXPECT_EQ(text(width->shape), "[]");
    EXPECT_EQ(text(*width->values), "[W]");
}

TEST(Gather, namesAnIndexOutsideTheAxis) {
    Graph graph;
    Tensor* x = graph.emit(Constant(ints({2, 3}, {1, 2, 3, 4, 5, 6})), {});
    Tensor* index = graph.emit(Constant(ints({1}, {3})), {});
    EXPECT_EQ(test::errorOf([&] {
                  graph.emit(by(Gather::Mode::Default, 1), {x, index}, "node");
              }),
              "node (Gather): index 3 is outside axis 1, which has extent 3");
}

void expectNamedAtRunTime(Gather const& layer, std::vector<int32_t> const& indices) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {2, 3});
    Node* node = graph.emit(layer, {x, graph.addInput("i", DataType::Int32, {2, 2})}, "node")->producer();
    std::vector<Dims> const inputs{{2, 3}, {2, 2}};
    std::vector<Dims> const outputs{toDims(node->output()->shape)};
    std::vector<float> const data(6);
    std::vector<float> y(4);
    void const* from[]{data.data(), indices.data()};
    void* to[]{y.data()};
    for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(Gather::kKind)) {
        auto const variant = kernel->offer({*node, inputs, outputs}).variants.at(0);
        auto const executable = kernel->prepare({*node, variant, inputs, outputs, nullptr});
        EXPECT_EQ(test::errorOf([&] {
                      executable->run({from, to, nullptr, nullptr});
                  }),
                  "index -4 is outside axis 1, which has extent 3")
            << kernel->name();
    }
}

TEST(Gather, namesAnIndexOutsideTheAxisAtRunTime) {
    expectNamedAtRunTime(by(Gather::Mode::ND, 0), {0, 0, 1, -4});
    expectNamedAtRunTime(by(Gather::Mode::Element, 1), {0, 2, -3, -4});
}

TEST(Gather, refusesWhatDoesNotFit) {
    using test::Input;
    Input const x{DataType::Float32, {2, 3}};
    auto const error = [&](Gather const& layer, Input const& indices) { return test::inferError(layer, {x, indices}); };
    EXPECT_EQ(error(Gather{}, {DataType::Float32, {1}}), "node (Gather): input 1 is float32; expected int32 or int64");
    EXPECT_EQ(error(by(Gather::Mode::Default, 2), {DataType::Int64, {1}}),
              "node (Gather): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error(by(Gather::Mode::Default, 1, 1), {DataType::Int64, {3, 1}}),
              "node (Gather): X [2,3] and indices [3,1] differ at axis 0, one of the elementwise dimensions");
    EXPECT_EQ(error(by(Gather::Mode::Element, 0), {DataType::Int64, {1, 4}}),
              "node (Gather): indices [1,4] are longer than X [2,3] at axis 1");
    EXPECT_EQ(error(by(Gather::Mode::ND, 0), {DataType::Int64, {1, 3}}),
              "node (Gather): the last extent of indices [1,3] is the length of an index; expected 1 to 2 for X "
              "[2,3]");
    EXPECT_EQ(error(by(Gather::Mode::ND, 0, 2), {DataType::Int64, {2, 3, 1}}),
              "node (Gather): elementWiseDims is 2 for X [2,3] and indices [2,3,1]; expected 0 to 1");
}

} // namespace
} // namespace tenon

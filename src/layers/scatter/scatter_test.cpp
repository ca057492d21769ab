// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scatter/scatter.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "layers/constant/constant.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"
#include "support/one_op.h"

#include <limits>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

using enum Scatter::Reduction;

Scatter elements(int64_t axis, Scatter::Reduction reduction = None) {
    Scatter layer;
    layer.axis = axis;
    layer.reduction = reduction;
    return layer;
}

Scatter blocks(Scatter::Reduction reduction = None) {
    Scatter layer;
    layer.mode = Scatter::Mode::ND;
    layer.reduction = reduction;
    return layer;
}

constexpr uint32_t kIndices = 2; // as constants: the last extent of those of blocks must be known

// the examples of ONNX's ScatterElements
TEST(Scatter, replacesElements) {
    LayerCase{.inputs = {floats({3, 3}, std::vector<float>(9)), ints({2, 3}, {1, 0, 2, 0, 2, 1}),
                         floats({2, 3}, {1, 1.125F, 1.25F, 2, 2.125F, 2.25F})},
              .expected = {floats({3, 3}, {2, 1.125F, 0, 1, 0, 2.25F, 0, 2.125F, 1.25F})}}
        .expect(elements(0));
    LayerCase{.inputs = {floats({1, 5}, {1, 2, 3, 4, 5}), ints({1, 2}, {1, -2}), floats({1, 2}, {8, 9})},
              .expected = {floats({1, 5}, {1, 8, 3, 9, 5})}}
        .expect(elements(-1));
}

/// One element after the other, as ONNX defines it, in floating point numbers that every type represents.
std::vector<float> scattered(Dims const& x, Dims const& indices, std::vector<int64_t> const& at, int axis,
                             Scatter::Reduction reduction) {
    std::vector<float> y(static_cast<size_t>(x.volume()), 1);
    Dims index = Dims::filled(x.rank(), 0);
    Dims const strides = rowMajorStrides(x);
    for (size_t i = 0; i < at.size(); ++i, nextIndex(index, indices)) {
        int64_t to = 0;
        for (int a = 0; a < x.rank(); ++a) to += (a == axis ? (at[i] + x[a]) % x[a] : index[a]) * strides[a];
        float const update = static_cast<float>(i % 3);
        float& element = y[static_cast<size_t>(to)];
        if (reduction == None) element = update;
        if (reduction == Add) element += update;
        if (reduction == Mul) element *= update;
        if (reduction == Min) element = std::min(element, update);
        if (reduction == Max) element = std::max(element, update);
    }
    return y;
}

TEST(Scatter, scattersAlongAnyAxis) {
    Dims const x{3, 4, 300};
    for (int axis = 0; axis < 3; ++axis) {
        for (Scatter::Reduction const reduction : {None, Add, Mul, Min, Max}) {
            Dims indices{2, 3, 270};
            indices[axis] = x[axis] - 1;
            std::vector<int64_t> at;
            std::vector<float> updates;
            for (int64_t i = 0; i < indices.volume(); ++i) {
                int64_t const along = i / indices.volume(axis + 1, 3) % indices[axis];
                // no two are equal if that matters
                int64_t const place = reduction == None ? along * 7 % x[axis] : i * 5 % x[axis];
                at.push_back(i % 2 == 0 ? place : place - x[axis]);
                updates.push_back(static_cast<float>(i % 3));
            }
            if (reduction == None && axis == 2) at.assign(at.size(), 0);
            if (reduction == None && axis == 2) { // 300 and 7 have no common factor
                for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int64_t>(i) % indices[2] * 7 % 300;
            }
            LayerCase{.inputs = {floats(x, std::vector<float>(3600, 1)), ints(indices, at), floats(indices, updates)},
                      .expected = {floats(x, scattered(x, indices, at, axis, reduction))}}
                .expect(elements(axis, reduction));
        }
    }
}

// the examples of ONNX's ScatterND
TEST(Scatter, replacesBlocks) {
    LayerCase{
        .inputs = {floats({8}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({4, 1}, {4, 3, 1, 7}), floats({4}, {9, 10, 11, 12})},
        .expected = {floats({8}, {1, 11, 3, 10, 9, 6, 7, 12})},
        .constants = kIndices}
        .expect(blocks());
    LayerCase{.inputs = {ints({3, 2}, {1, 2, 3, 4, 5, 6}), ints({2, 1}, {2, 0}), ints({2, 2}, {7, 8, 9, 10})},
              .expected = {ints({3, 2}, {9, 10, 3, 4, 7, 8})},
              .constants = kIndices}
        .expect(blocks());
    LayerCase{.inputs = {ints({2, 2}, {1, 2, 3, 4}), ints({1, 2, 2}, {0, 1, -1, -2}), ints({1, 2}, {5, 6})},
              .expected = {ints({2, 2}, {1, 5, 6, 4})},
              .constants = kIndices}
        .expect(blocks());
}

TEST(Scatter, replacesLongBlocks) { // rows 2 and 0 of three; whole words of 16 bytes, and others
    for (int64_t const length : {8, 24, 37}) {
        auto const rowsOf = [&](std::vector<int> const& numbers) {
            std::vector<float> rows;
            for (int const number : numbers) {
                for (int64_t j = 0; j < length; ++j) rows.push_back(static_cast<float>(number * 40 + j));
            }
            return floats({std::ssize(numbers), length}, rows);
        };
        LayerCase{.inputs = {rowsOf({0, 1, 2}), ints({2, 1}, {2, 0}), rowsOf({3, 4})},
                  .expected = {rowsOf({4, 1, 3})},
                  .constants = kIndices}
            .expect(blocks());
    }
}

TEST(Scatter, combinesBlocks) { // Y[i] = 1, and 1 + 2 + … of all updates to it
    for (int64_t const length : {1, 5, 16}) {
        for (Scatter::Reduction const reduction : {Add, Mul, Min, Max}) {
            std::vector<int64_t> const at{3, 1, 3, 0, 3};
            std::vector<float> updates;
            std::vector<float> expected(static_cast<size_t>(4 * length), 1);
            for (size_t i = 0; i < at.size(); ++i) {
                for (int64_t j = 0; j < length; ++j) {
                    updates.push_back(static_cast<float>(static_cast<int64_t>(i) + j % 2));
                    float& element = expected[static_cast<size_t>(at[i] * length + j)];
                    float const update = updates.back();
                    element = reduction == Add   ? element + update
                              : reduction == Mul ? element * update
                              : reduction == Min ? std::min(element, update)
                                                 : std::max(element, update);
                }
            }
            LayerCase const one{.inputs = {floats({4, length}, std::vector<float>(expected.size(), 1)),
                                           ints({5, 1}, at), floats({5, length}, updates)},
                                .expected = {floats({4, length}, expected)},
                                .constants = kIndices};
            one.expect(blocks(reduction));
            one.in(DataType::Float16).expect(blocks(reduction));
            one.in(DataType::BFloat16).expect(blocks(reduction));
        }
    }
}

template <class T> void expectCombined(Scatter::Reduction reduction, T update, std::vector<T> const& expected) {
    LayerCase{.inputs = {Literal::of<T>({5}, {1, 2, 3, 4, 5}), ints({3}, {1, 3, 1}),
                         Literal::of<T>({3}, std::vector<T>(3, update))},
              .expected = {Literal::of<T>({5}, expected)}}
        .expect(elements(0, reduction));
}

TEST(Scatter, combinesEveryTypeOfNumber) {
    expectCombined<int8_t>(Add, 100, {1, static_cast<int8_t>(202), 3, 104, 5}); // wraps around
    expectCombined<int8_t>(Max, 3, {1, 3, 3, 4, 5});
    expectCombined<uint8_t>(Add, 200, {1, static_cast<uint8_t>(402), 3, 204, 5});
    expectCombined<uint8_t>(Min, 3, {1, 2, 3, 3, 5});
    expectCombined<int32_t>(Mul, -2, {1, 8, 3, -8, 5});
    expectCombined<int32_t>(Add, -2, {1, -2, 3, 2, 5});
    expectCombined<int64_t>(Mul, int64_t{1} << 40, {1, 0, 3, int64_t{1} << 42, 5});
    expectCombined<int64_t>(Add, int64_t{1} << 40, {1, (int64_t{1} << 41) + 2, 3, (int64_t{1} << 40) + 4, 5});
    expectCombined<int64_t>(Min, -7, {1, -7, 3, -7, 5});
}

TEST(Scatter, movesEveryType) {
    bool const x[]{true, true, false};
    bool const updates[]{true, false};
    bool const y[]{false, true, true};
    LayerCase{.inputs = {Literal::copyOf(DataType::Bool, {3}, x), Literal::of<int32_t>({2}, {2, 0}),
                         Literal::copyOf(DataType::Bool, {2}, updates)},
              .expected = {Literal::copyOf(DataType::Bool, {3}, y)}}
        .expect(elements(0));
    LayerCase{.inputs = {Literal::of<uint8_t>({3}, {1, 2, 3}), ints({1}, {-2}), Literal::of<uint8_t>({1}, {250})},
              .expected = {Literal::of<uint8_t>({3}, {1, 250, 3})}}
        .expect(elements(0));
}

TEST(Scatter, keepsNan) { // numpy: np.maximum.at and np.minimum.at
    float const nan = std::numeric_limits<float>::quiet_NaN();
    LayerCase const one{.inputs = {floats({3}, {nan, 1, 2}), ints({2}, {0, 1}), floats({2}, {5, nan})},
                        .expected = {floats({3}, {nan, nan, 2})}};
    one.expect(elements(0, Max));
    one.expect(elements(0, Min));
}

TEST(Scatter, followsTheElementsOfShapes) { // the second extent of [N,3,W] becomes 7
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3, DimExpr::symbol("W")});
    Tensor* shape = graph.emit(ShapeOf{}, {x});
    Tensor* at = graph.emit(Constant(ints({1}, {1})), {});
    Tensor* changed = graph.emit(elements(0), {shape, at, graph.emit(Constant(ints({1}, {7})), {})});
    EXPECT_EQ(text(*changed->values), "[N,7,W]");
}

/// The last update of equal indices stays, on the CPU.
TEST(Scatter, keepsTheLastOfEqualIndices) {
    for (bool const asBlocks : {false, true}) {
        Graph graph;
        Tensor* x = graph.addInput("x", DataType::Float32, {100000});
        Tensor* indices = graph.addInput("i", DataType::Int64, asBlocks ? Shape{50000, 1} : Shape{50000});
        Tensor* updates = graph.addInput("u", DataType::Float32, {50000});
        Node* node = graph.emit(asBlocks ? blocks() : elements(0), {x, indices, updates})->producer();
        std::vector<Dims> const inputs{toDims(x->shape), toDims(indices->shape), toDims(updates->shape)};
        std::vector<Dims> const outputs{inputs[0]};
        std::vector<float> const data(100000, -1);
        std::vector<int64_t> at(50000);
        std::vector<float> values(50000);
        for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int64_t>(i * 37 % 1000 * 99), values[i] = float(i);
        std::vector<float> y(100000);
        void const* from[]{data.data(), at.data(), values.data()};
        void* to[]{y.data()};
        for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(Scatter::kKind)) {
            auto const variant = kernel->offer({*node, inputs, outputs}).variants.at(0);
            kernel->prepare({*node, variant, inputs, outputs, nullptr})->run({from, to, nullptr, nullptr});
            std::vector<float> expected = data;
            for (size_t i = 0; i < at.size(); ++i) expected[static_cast<size_t>(at[i])] = values[i];
            EXPECT_EQ(y, expected) << kernel->name();
        }
    }
}

void expectNamedAtRunTime(Scatter const& layer, Shape const& updates) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {2, 3});
    Tensor* indices = graph.addInput("i", DataType::Int32, {2, 2});
    Node* node = graph.emit(layer, {x, indices, graph.addInput("u", DataType::Float32, updates)}, "node")->producer();
    std::vector<Dims> const inputs{{2, 3}, {2, 2}, toDims(updates)};
    std::vector<Dims> const outputs{{2, 3}};
    std::vector<float> const data(6);
    std::vector<int32_t> const at{0, 2, 1, -4};
    std::vector<float> y(6);
    void const* from[]{data.data(), at.data(), data.data()};
    void* to[]{y.data()};
    for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(Scatter::kKind)) {
        auto const variant = kernel->offer({*node, inputs, outputs}).variants.at(0);
        auto const executable = kernel->prepare({*node, variant, inputs, outputs, nullptr});
        EXPECT_EQ(test::errorOf([&] {
                      executable->run({from, to, nullptr, nullptr});
                  }),
                  "index -4 is outside axis 1, which has extent 3")
            << kernel->name();
    }
}

TEST(Scatter, namesAnIndexOutsideTheAxisAtRunTime) {
    expectNamedAtRunTime(elements(1), {2, 2});
    expectNamedAtRunTime(blocks(), {2});
}

TEST(Scatter, refusesWhatDoesNotFit) {
    using test::Input;
    Input const x{DataType::Float32, {2, 3}};
    auto const error = [&](Scatter const& layer, Input const& indices, Input const& updates) {
        return test::inferError(layer, {x, indices, updates});
    };
    Input const one{DataType::Float32, {1, 1}};
    EXPECT_EQ(error(elements(0), {DataType::Float32, {1, 1}}, one),
              "node (Scatter): indices is float32; expected int32 or int64");
    EXPECT_EQ(error(elements(0), {DataType::Int64, {1, 1}}, {DataType::Int32, {1, 1}}),
              "node (Scatter): input 0 is float32 and updates is int32; expected one type (add a cast)");
    EXPECT_EQ(error(elements(2), {DataType::Int64, {1, 1}}, one),
              "node (Scatter): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error(elements(0), {DataType::Int64, {1}}, one),
              "node (Scatter): indices has shape [1], of rank 1; expected rank 2");
    EXPECT_EQ(error(elements(0), {DataType::Int64, {1, 4}}, one),
              "node (Scatter): indices [1,4] are longer than X [2,3] at axis 1");
    EXPECT_EQ(error(elements(0), {DataType::Int64, {1, 2}}, one),
              "node (Scatter): updates have shape [1,1]; expected [1,2]");
    EXPECT_EQ(error(blocks(), {DataType::Int64, {1, 3}}, one),
              "node (Scatter): the last extent of indices [1,3] is the length of an index; expected 1 to 2 for "
              "X [2,3]");
    EXPECT_EQ(error(blocks(), {DataType::Int64, {1, 1}}, one),
              "node (Scatter): updates have shape [1,1]; expected [1,3]");
    EXPECT_EQ(
        test::inferError(elements(0, Add), {{DataType::Bool, {2}}, {DataType::Int64, {1}}, {DataType::Bool, {1}}}),
        "node (Scatter): input 0 is bool; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
}

TEST(ScatterOnnx, refusesAReductionThatThereIsNot) {
    test::OneOp const op{.op = "ScatterElements",
                         .attributes = {{"reduction", std::string("mean")}},
                         .inputs = {floats({2}, {1, 2}), ints({1}, {0}), floats({1}, {3})}};
    EXPECT_NE(op.error().find("reduction is \"mean\"; expected none, add, mul, min or max"), std::string::npos)
        << op.error();
}

TEST(MaxUnpoolOnnx, refusesAttributesThatDoNotFit) {
    using Integers = std::vector<int64_t>;
    test::OneOp op{.op = "MaxUnpool",
                   .opset = 22,
                   .attributes = {{"kernel_shape", Integers{2, 2}}},
                   .inputs = {floats({1, 1, 2}, {1, 2}), ints({1, 1, 2}, {0, 3})}};
    EXPECT_NE(op.error().find("kernel_shape has 2 numbers; expected 1"), std::string::npos) << op.error();
    op.inputs = {floats({1, 2}, {1, 2}), ints({1, 2}, {0, 3})};
    EXPECT_NE(op.error().find("has shape [1,2]; expected [N,C,…] with one spatial axis at least"), std::string::npos)
        << op.error();
}

} // namespace
} // namespace tenon

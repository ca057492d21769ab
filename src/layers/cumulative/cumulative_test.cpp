// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cumulative/cumulative.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "support/layer_case.h"

#include <cmath>
#include <limits>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Cumulative over(Cumulative::Operation operation, bool exclusive = false, bool reverse = false) {
    Cumulative layer;
    layer.operation = operation;
    layer.exclusive = exclusive;
    layer.reverse = reverse;
    return layer;
}

constexpr auto kSum = Cumulative::Operation::Sum;
constexpr auto kProd = Cumulative::Operation::Prod;

Literal axis(int64_t value) { return Literal::scalar(value); }

TEST(Cumulative, addsUpAsInTheExamplesOfOnnx) {
    Literal const x = floats({3}, {1, 2, 3});
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {1, 3, 6})}}.expect(over(kSum));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {0, 1, 3})}}.expect(over(kSum, true));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {6, 5, 3})}}.expect(over(kSum, false, true));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {5, 3, 0})}}.expect(over(kSum, true, true));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {1, 2, 6})}}.expect(over(kProd));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {1, 1, 2})}}.expect(over(kProd, true));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {6, 6, 3})}}.expect(over(kProd, false, true));
    LayerCase{.inputs = {x, axis(0)}, .expected = {floats({3}, {6, 3, 1})}}.expect(over(kProd, true, true));
}

TEST(Cumulative, takesAnyTypeOfNumbers) {
    LayerCase const reals{.inputs = {floats({2, 2}, {1, 2, 3, 4}), ints({1}, {-1})},
                          .expected = {floats({2, 2}, {1, 3, 3, 7})}};
    reals.in(DataType::Float16).expect(over(kSum));
    reals.in(DataType::BFloat16).expect(over(kSum));
    auto const wholes = [&]<class T>(T top) { // wraps around
        Literal const along = Literal::scalar<int32_t>(1);
        LayerCase{.inputs = {Literal::of<T>({1, 3}, {top, 1, 5}), along},
                  .expected = {Literal::of<T>(
                      {1, 3}, {top, std::numeric_limits<T>::min(), static_cast<T>(std::numeric_limits<T>::min() + 5)})}}
            .expect(over(kSum));
    };
    wholes(std::numeric_limits<int8_t>::max());
    wholes(std::numeric_limits<uint8_t>::max());
    wholes(std::numeric_limits<int32_t>::max());
    wholes(std::numeric_limits<int64_t>::max());
}

/// Y of X [outer, length, inner] by the formula, in double.
void expectAlong(Dims const& dims, Cumulative const& layer) {
    Literal const x = layer.operation == kSum ? test::spread(dims, -1, 2) : test::spread(dims, 0.98F, 1.02F);
    auto const from = x.toFloat();
    std::vector<float> y(from.size());
    for (int64_t line = 0; line < dims[0] * dims[2]; ++line) {
        double all = layer.operation == kSum ? 0 : 1;
        for (int64_t i = 0; i < dims[1]; ++i) {
            int64_t const step = layer.reverse ? dims[1] - 1 - i : i;
            auto const at = static_cast<size_t>((line / dims[2] * dims[1] + step) * dims[2] + line % dims[2]);
            double const with = layer.operation == kSum ? all + double{from[at]} : all * double{from[at]};
            y[at] = static_cast<float>(layer.exclusive ? all : with);
            all = with;
        }
    }
    LayerCase{.inputs = {x, axis(1)}, .expected = {floats(dims, y)}, .types = {DataType::Float32}}.expect(layer);
}

TEST(Cumulative, goesAlongAnyAxisOfAnyLength) { // of one tile and more, of one chunk and more
    for (Dims const& dims : {Dims{3, 7, 1}, Dims{2, 300, 1}, Dims{19, 50, 1}, Dims{1, 20'001, 1}, Dims{2, 5, 3},
                             Dims{2, 40, 70}, Dims{1, 1'000, 3}, Dims{3, 130, 33}}) {
        for (bool const exclusive : {false, true}) {
            for (bool const reverse : {false, true}) {
                SCOPED_TRACE(text(dims, exclusive ? " exclusive" : "", reverse ? " reverse" : ""));
                expectAlong(dims, over(kSum, exclusive, reverse));
                expectAlong(dims, over(kProd, exclusive, reverse));
            }
        }
    }
}

TEST(Cumulative, keepsWhatIsNoNumberToItself) { // numpy: np.cumsum([1, inf, 2, -inf, 3]) and [1, nan, 2]
    LayerCase{.inputs = {floats({5}, {1, INFINITY, 2, -INFINITY, 3}), axis(0)},
              .expected = {floats({5}, {1, INFINITY, INFINITY, NAN, NAN})}}
        .expect(over(kSum));
    LayerCase{.inputs = {floats({2, 3}, {1, NAN, 2, 4, 5, 6}), axis(1)},
              .expected = {floats({2, 3}, {0, 1, NAN, 0, 4, 9})}}
        .expect(over(kSum, true));
}

TEST(Cumulative, refusesWhatDoesNotFit) {
    using test::Input;
    auto const error = [](std::vector<Input> const& inputs) { return test::inferError(Cumulative{}, inputs); };
    Input const x{DataType::Float32, {2, 3}};
    EXPECT_EQ(error({x, {DataType::Float32, {}}}), "node (Cumulative): axis is float32; expected int32 or int64");
    EXPECT_EQ(error({x, {DataType::Int64, {2}}}), "node (Cumulative): axis has shape [2]; expected one element");
    EXPECT_EQ(error({{DataType::Float32, {}}, {DataType::Int64, {}}}),
              "node (Cumulative): input 0 has shape [], of rank 0; expected rank 1 to 8");
    EXPECT_EQ(error({{DataType::Bool, {2}}, {DataType::Int64, {}}}),
              "node (Cumulative): input 0 is bool; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
}

TEST(Cumulative, namesAnAxisThatThereIsNot) {
    EXPECT_EQ(test::errorOf([&] {
                  Graph graph;
                  Tensor* x = graph.addInput("x", DataType::Float32, {2, 3});
                  graph.emit(Cumulative{}, {x, graph.emit(Constant(axis(2)), {})}, "node");
              }),
              "node (Cumulative): axis 2 of a tensor of rank 2; expected -2 to 1");
}

} // namespace
} // namespace tenon

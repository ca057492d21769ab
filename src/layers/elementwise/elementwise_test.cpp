// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;
using enum PointwiseOp;

Literal bools(Dims const& dims, std::vector<char> const& values) {
    return Literal::copyOf(DataType::Bool, dims, values.data());
}

void expect(PointwiseOp op, Literal const& a, Literal const& b, Literal const& y) {
    SCOPED_TRACE(text(op, ' ', a.type()));
    LayerCase{.inputs = {a, b}, .expected = {y}, .tolerance = 1e-6}.expect(elementwise(op));
}

TEST(Elementwise, computesEachFunction) { // numpy
    auto const a = floats({4}, {7, -7, 7.5F, -7.5F});
    auto const b = floats({4}, {2, 2, -2, -2});
    expect(Sum, a, b, floats({4}, {9, -5, 5.5F, -9.5F}));
    expect(Sub, a, b, floats({4}, {5, -9, 9.5F, -5.5F}));
    expect(Prod, a, b, floats({4}, {14, -14, -15, 15}));
    expect(Div, a, b, floats({4}, {3.5F, -3.5F, -3.75F, 3.75F}));
    expect(Max, a, b, floats({4}, {7, 2, 7.5F, -2}));
    expect(Min, a, b, floats({4}, {2, -7, -2, -7.5F}));
    expect(FloorDiv, a, b, floats({4}, {3, -4, -4, 3}));
    expect(Mod, a, b, floats({4}, {1, 1, -0.5F, -1.5F}));
    expect(Fmod, a, b, floats({4}, {1, -1, 1.5F, -1.5F}));
    expect(ParametricRelu, a, b, floats({4}, {7, -14, 7.5F, 15}));
    expect(Pow, floats({4}, {10, -2, 4, 9}), floats({4}, {3, 3, 0.5F, -0.5F}), floats({4}, {1000, -8, 2, 1 / 3.F}));
}

TEST(Elementwise, raisesToPowersAsTheStandardSays) { // C99, annex F
    expect(Pow, floats({6}, {0, 0, -8, NAN, 1, -1}), floats({6}, {0, -1, 1 / 3.F, 0, NAN, INFINITY}),
           floats({6}, {1, INFINITY, NAN, 1, 1, 1}));
}

TEST(Elementwise, keepsWhatIsNotANumber) {
    expect(Max, floats({2}, {NAN, 1}), floats({2}, {1, NAN}), floats({2}, {NAN, NAN}));
    expect(Min, floats({2}, {NAN, 1}), floats({2}, {1, NAN}), floats({2}, {NAN, NAN}));
}

/// numpy: the operator on arrays of this type (//, % and ** as in Python; Div and Fmod as in C).
template <class X>
void expectOfType(std::vector<X> const& a, std::vector<X> const& b, PointwiseOp op, std::vector<X> const& expected) {
    auto const count = static_cast<int64_t>(a.size());
    expect(op, Literal::of<X>({count}, a), Literal::of<X>({count}, b), Literal::of<X>({count}, expected));
}

TEST(Elementwise, computesWithIntegersOfEveryType) {
    std::vector<int32_t> const a{7, -7, INT32_MIN, 100000};
    std::vector<int32_t> const b{-2, 2, -1, 100000};
    expectOfType(a, b, Sum, {5, -5, INT32_MAX, 200000});
    expectOfType(a, b, Prod, {-14, -14, INT32_MIN, 1410065408});
    expectOfType(a, b, Div, {-3, -3, INT32_MIN, 1});
    expectOfType(a, b, FloorDiv, {-4, -4, INT32_MIN, 1});
    expectOfType(a, b, Mod, {-1, 1, 0, 0});
    expectOfType(a, b, Fmod, {1, -1, 0, 0});
    expectOfType<int8_t>({100, -128, 5, -5}, {100, -1, 3, 3}, Sum, {-56, 127, 8, -2});
    expectOfType<int8_t>({100, -128, 5, -5}, {100, -1, 3, 3}, FloorDiv, {1, -128, 1, -2});
    expectOfType<int8_t>({2, -3, 5, -1}, {7, 3, 0, -3}, Pow, {-128, -27, 1, -1});
    expectOfType<uint8_t>({200, 3, 255, 7}, {100, 5, 16, 0}, Sub, {100, 254, 239, 7});
    expectOfType<uint8_t>({200, 3, 255, 7}, {100, 5, 16, 0}, Mod, {0, 3, 15, 0});
    expectOfType<uint8_t>({200, 3, 255, 7}, {100, 5, 16, 0}, Max, {200, 5, 255, 7});
    expectOfType<uint8_t>({2, 3, 16, 7}, {8, 5, 2, 0}, Pow, {0, 243, 0, 1});
}

TEST(Elementwise, computesWithBits) { // numpy; shifts by more than the width as in ONNX's BitShift
    expectOfType<int8_t>({12, -128, -1}, {10, -1, 85}, BitAnd, {8, -128, 85});
    expectOfType<uint8_t>({12, 200, 255}, {10, 3, 0}, BitOr, {14, 203, 255});
    expectOfType<int32_t>({12, INT32_MIN, -1}, {10, -1, 85}, BitXor, {6, INT32_MAX, -86});
    expectOfType<int64_t>({1, -1, INT64_MIN, 5}, {63, 1, 1, 0}, ShiftLeft, {INT64_MIN, -2, 0, 5});
    expectOfType<uint8_t>({255, 255, 3}, {1, 8, 255}, ShiftLeft, {254, 0, 0});
    expectOfType<uint8_t>({255, 255, 3}, {1, 8, 255}, ShiftRight, {127, 0, 0}); // zeros are shifted in
    expectOfType<int8_t>({-128, -1, 64, -2}, {7, 8, -1, -1}, ShiftRight, {-1, -1, 0, -1});
    expectOfType<int32_t>({INT32_MIN, 4, -1}, {31, 32, -100}, ShiftLeft, {0, 0, 0});
    expectOfType<int64_t>({INT64_MIN, INT64_MAX, -5}, {63, 62, 64}, ShiftRight, {-1, 1, -1});
}

TEST(Elementwise, computesWithIntegers) { // numpy; Div as in C
    auto const a = ints({4}, {7, -7, 7, -7});
    auto const b = ints({4}, {2, 2, -2, -2});
    expect(Sum, a, b, ints({4}, {9, -5, 5, -9}));
    expect(Prod, a, b, ints({4}, {14, -14, -14, 14}));
    expect(Div, a, b, ints({4}, {3, -3, -3, 3}));
    expect(FloorDiv, a, b, ints({4}, {3, -4, -4, 3}));
    expect(Mod, a, b, ints({4}, {1, 1, -1, -1}));
    expect(Fmod, a, b, ints({4}, {1, -1, 1, -1}));
    expect(Max, a, b, ints({4}, {7, 2, 7, -2}));
    expect(Pow, a, ints({}, {3}), ints({4}, {343, -343, 343, -343}));
    expect(Sub, Literal::of<uint8_t>({1}, {1}), Literal::of<uint8_t>({1}, {2}), Literal::of<uint8_t>({1}, {255}));
    expect(Sum, Literal::of<int32_t>({1}, {INT32_MAX}), Literal::of<int32_t>({1}, {1}),
           Literal::of<int32_t>({1}, {INT32_MIN}));
}

TEST(Elementwise, survivesDivisionsThatTrap) {
    expect(Div, ints({2}, {5, INT64_MIN}), ints({2}, {0, -1}), ints({2}, {0, INT64_MIN}));
    expect(Mod, ints({2}, {5, INT64_MIN}), ints({2}, {0, -1}), ints({2}, {0, 0}));
}

TEST(Elementwise, compares) {
    auto const a = floats({4}, {1, 2, 3, NAN});
    auto const b = floats({4}, {2, 2, 2, NAN});
    expect(Equal, a, b, bools({4}, {0, 1, 0, 0}));
    expect(Greater, a, b, bools({4}, {0, 0, 1, 0}));
    expect(Less, a, b, bools({4}, {1, 0, 0, 0}));
    int64_t const big = int64_t{1} << 53;
    expect(Equal, ints({1}, {big + 1}), ints({1}, {big}), bools({1}, {0})); // would be equal as doubles
    expect(Less, Literal::of<int32_t>({2}, {1, 3}), Literal::of<int32_t>({}, {2}), bools({2}, {1, 0}));
}

TEST(Elementwise, computesWithBooleans) {
    auto const a = bools({4}, {0, 0, 1, 1});
    auto const b = bools({4}, {0, 1, 0, 1});
    expect(And, a, b, bools({4}, {0, 0, 0, 1}));
    expect(Or, a, b, bools({4}, {0, 1, 1, 1}));
    expect(Xor, a, b, bools({4}, {0, 1, 1, 0}));
    expect(Equal, a, b, bools({4}, {1, 0, 0, 1}));
}

TEST(Elementwise, broadcastsBothOperands) { // numpy: a[:, None] + b
    expect(Sum, floats({2, 1}, {10, 20}), floats({3}, {1, 2, 3}), floats({2, 3}, {11, 12, 13, 21, 22, 23}));
    expect(Sub, floats({}, {1}), floats({1, 2, 1, 2}, {1, 2, 3, 4}), floats({1, 2, 1, 2}, {0, -1, -2, -3}));
    expect(Prod, ints({2, 1, 2}, {1, 2, 3, 4}), ints({2, 1}, {1, 10}), ints({2, 2, 2}, {1, 2, 10, 20, 3, 4, 30, 40}));
}

Shape valuesOf(PointwiseOp op, DimExpr const& a, DimExpr const& b) {
    Operand const left{.type = DataType::Int64, .shape = {2}, .values = Shape{a, 12}};
    Operand const right{.type = DataType::Int64, .shape = {}, .values = Shape{b}};
    return elementwise(op).infer({{left, right}, "node"})[0].values.value_or(Shape{});
}

TEST(Elementwise, takesRowsOfAnyLength) { // y[r,i] = r + 2 i, also of operands [r,1] and [1,n]
    for (int64_t const length : {1, 5, 100, 1000, 2000, 20000, 40000}) {
        int64_t const rows = 40000 / length + 2;
        std::vector<float> all;
        std::vector<float> row;
        std::vector<float> column;
        for (int64_t i = 0; i < length; ++i) row.push_back(static_cast<float>(2 * i));
        for (int64_t r = 0; r < rows; ++r) {
            column.push_back(static_cast<float>(r));
            for (int64_t i = 0; i < length; ++i) all.push_back(static_cast<float>(r + 2 * i));
        }
        std::vector<float> none(all.size(), 0);
        Literal const y = floats({rows, length}, all);
        for (auto const& [a, b] : {std::pair{y, floats({rows, length}, none)},
                                   std::pair{floats({rows, 1}, column), floats({1, length}, row)},
                                   std::pair{floats({1, length}, std::vector<float>(row.size(), 0)), y}})
            LayerCase{.inputs = {a, b}, .expected = {y}, .types = {DataType::Float32}}.expect(elementwise(Sum));
    }
}

TEST(Elementwise, tellsTheValuesOfShapeTensors) {
    DimExpr const n = DimExpr::symbol("N");
    EXPECT_EQ(text(valuesOf(Sum, n, 5)), "[(N+5),17]");
    EXPECT_EQ(text(valuesOf(Div, n, 5)), "[(N/5),2]");
    EXPECT_EQ(text(valuesOf(Mod, n, 5)), "[(N-((N/5)*5)),2]");
    EXPECT_EQ(text(valuesOf(Equal, n, 12)), "[(N==12),1]");
    EXPECT_EQ(text(valuesOf(Greater, n, 5)), "[(5<N),1]");
    EXPECT_EQ(text(valuesOf(Max, n, n)), "[N,(N max 12)]");
}

TEST(Elementwise, tellsNoQuotientThatWouldRoundOtherwise) { // -1 / 2 is 0 in C, -1 in extents, which round down
    EXPECT_TRUE(valuesOf(Div, DimExpr::symbol("N") - 5, 2).empty());
    EXPECT_EQ(text(valuesOf(FloorDiv, DimExpr::symbol("N") - 5, 2)), "[((N-5)/2),6]");
}

TEST(Elementwise, refusesTypes) {
    auto const error = [](PointwiseOp op, DataType a, DataType b) {
        return test::inferError(elementwise(op), {{a, {2}}, {b, {2}}});
    };
    EXPECT_EQ(error(And, DataType::Int32, DataType::Int32), "node (Elementwise): And of int32; expected bool");
    EXPECT_EQ(error(Sum, DataType::Bool, DataType::Bool),
              "node (Elementwise): Sum of bool; expected numbers (add a cast)");
    EXPECT_EQ(error(Sum, DataType::Int32, DataType::Int64),
              "node (Elementwise): input 0 is int32 and input 1 is int64; expected one type (add a cast)");
    EXPECT_EQ(error(BitAnd, DataType::Float32, DataType::Float32),
              "node (Elementwise): BitAnd of float32; expected integers (add a cast)");
    EXPECT_EQ(error(Relu, DataType::Float32, DataType::Float32),
              "node (Elementwise): Relu is not an operation on two operands");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "support/layer_case.h"

#include <cmath>
#include <limits>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

Softmax along(int64_t axis, bool log = false) {
    Softmax layer;
    layer.axis = axis;
    layer.log = log;
    return layer;
}

// numpy: e = np.exp(x - x.max(axis, keepdims=True)); e / e.sum(axis, keepdims=True)
TEST(Softmax, normalizesTheLastAxisByDefault) {
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 1, 1, 1})},
              .expected = {floats({2, 3}, {0.09003057F, 0.24472848F, 0.66524094F, 1 / 3.F, 1 / 3.F, 1 / 3.F})}}
        .expect(Softmax{});
}

TEST(Softmax, normalizesAnyAxis) {
    LayerCase{.inputs = {floats({2, 1, 2}, {0, 1, 2, 1})},
              .expected = {floats({2, 1, 2}, {0.11920292F, 0.5F, 0.88079708F, 0.5F})}}
        .expect(along(0));
}

TEST(Softmax, doesNotOverflow) { // values that bfloat16 represents exactly
    LayerCase{.inputs = {floats({1, 4}, {1024, 1024, 1016, -1024})},
              .expected = {floats({1, 4}, {0.49991617F, 0.49991617F, 0.00016767F, 0})}}
        .expect(along(1));
}

TEST(Softmax, takesTheLogarithm) {
    LayerCase const test{.inputs = {floats({1, 3}, {-1, 0, 1})},
                         .expected = {floats({1, 3}, {-2.4076059F, -1.4076059F, -0.4076059F})}};
    test.expect(along(-1, true));
    for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(along(-1, true));
}

/// For [outer, length, inner], where every second element along the length is log(3) greater: with n elements, the
/// greater ones become 3 / (2 n), the others a third of that.
void expectHalves(int64_t outer, int64_t length, int64_t inner) {
    auto const least = 1 / (2 * static_cast<float>(length));
    std::vector<float> x;
    std::vector<float> y;
    for (int64_t i = 0; i < outer * length * inner; ++i) {
        bool const greater = i / inner % length % 2 == 1;
        x.push_back(static_cast<float>(i / inner / length % 3) + (greater ? std::log(3.0F) : 0));
        y.push_back(greater ? 3 * least : least);
    }
    LayerCase{.inputs = {floats({outer, length, inner}, x)}, .expected = {floats({outer, length, inner}, y)}}.expect(
        along(1));
    for (float& element : y) element = std::log(element);
    LayerCase{.inputs = {floats({outer, length, inner}, x)}, .expected = {floats({outer, length, inner}, y)}}.expect(
        along(1, true));
}

TEST(Softmax, takesRowsOfAnyLength) {
    for (int64_t const length : {30, 128, 130, 384, 386, 1024, 1026, 5000}) expectHalves(9, length, 1);
}

TEST(Softmax, takesRowsOfAnyLengthApart) {
    for (int64_t const length : {30, 1200}) {
        expectHalves(3, length, 3);
        expectHalves(2, length, 40);
    }
}

/// Compares with the formula in double, for random numbers.
void expectAsByFormula(int64_t outer, int64_t length, int64_t inner) {
    Literal const x = test::spread({outer, length, inner}, -9, 9);
    auto const* const in = x.as<float>().data();
    std::vector<float> shares(static_cast<size_t>(x.dims().volume()));
    std::vector<float> logarithms = shares;
    for (int64_t row = 0; row < outer * inner; ++row) {
        int64_t const start = row / inner * length * inner + row % inner;
        double sum = 0;
        for (int64_t i = 0; i < length; ++i) sum += std::exp(static_cast<double>(in[start + i * inner]));
        for (int64_t at = start, i = 0; i < length; ++i, at += inner) {
            shares[static_cast<size_t>(at)] = static_cast<float>(std::exp(static_cast<double>(in[at])) / sum);
            logarithms[static_cast<size_t>(at)] = static_cast<float>(static_cast<double>(in[at]) - std::log(sum));
        }
    }
    for (bool const log : {false, true})
        LayerCase{
            .inputs = {x}, .expected = {floats(x.dims(), log ? logarithms : shares)}, .types = {DataType::Float32}}
            .expect(along(1, log));
}

TEST(Softmax, takesRowsBesideEachOtherInAnyNumber) {
    for (int64_t const inner : {2, 5, 13, 16, 63, 64, 65, 100, 169, 300})
        for (int64_t const length : {1, 2, 7, 80, 129}) expectAsByFormula(3, length, inner);
    expectAsByFormula(1, 30000, 3);
    expectAsByFormula(2, 3000, 70);
}

// NaN and infinity affect their own row only
TEST(Softmax, keepsRowsApartThatAreNoNumbers) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const far = -std::numeric_limits<float>::infinity();
    float const half = 0.5F;
    std::vector<float> const x{1, nan, far, -far, 1, 1, 1, 1}; // each of 4 columns has two elements
    std::vector<float> const y{half, nan, 0, nan, half, nan, 1, nan};
    for (int64_t const copies : {1, 9, 40}) {
        std::vector<float> in;
        std::vector<float> out;
        for (int64_t row = 0; row < 2; ++row) {
            for (int64_t i = 0; i < copies * 4; ++i) {
                in.push_back(x[static_cast<size_t>(row * 4 + i % 4)]);
                out.push_back(y[static_cast<size_t>(row * 4 + i % 4)]);
            }
        }
        Literal const expected = floats({2, copies * 4}, out);
        LayerCase{.inputs = {floats({2, copies * 4}, in)}, .expected = {expected}}.expect(along(0));
    }
}

// numpy: e = np.exp(x - x.max(axis, keepdims=True)); a NaN or an infinity makes its row NaN
TEST(Softmax, isNanInTheWholeRowOfANan) {
    for (int64_t const length : {1, 3, 8, 17, 33, 100, 1500, 5000}) {
        for (float const number : {NAN, INFINITY}) {
            std::vector<float> x(static_cast<size_t>(3 * length), 1);
            std::vector<float> y(x.size(), 1 / static_cast<float>(length));
            std::vector<float> logarithms(x.size(), -std::log(static_cast<float>(length)));
            x[static_cast<size_t>(2 * length - 1)] = number;
            for (auto* rows : {&y, &logarithms}) std::fill_n(rows->begin() + length, length, NAN);
            Dims const dims{3, length};
            for (DataType const type : {DataType::Float32, DataType::Float16, DataType::BFloat16}) {
                LayerCase{.inputs = {floats(dims, x)}, .expected = {floats(dims, y)}}.in(type).expect(Softmax{});
                LayerCase{.inputs = {floats(dims, x)}, .expected = {floats(dims, logarithms)}}.in(type).expect(
                    along(-1, true));
            }
        }
    }
}

TEST(Softmax, ofOneElementIsOneAndItsLogarithmZero) {
    for (Dims const& dims : {Dims{6, 1}, Dims{6, 1, 1}, Dims{1, 1, 6}}) {
        Literal const x = floats(dims, {0.3F, -7, 1e30F, 88.5F, -1e30F, 0});
        int64_t const axis = 1;
        LayerCase{.inputs = {x},
                  .expected = {floats(dims, std::vector<float>(6, 1))},
                  .tolerance = 0,
                  .types = {DataType::Float32}}
            .expect(along(axis));
        LayerCase{.inputs = {x},
                  .expected = {floats(dims, std::vector<float>(6, 0))},
                  .tolerance = 0,
                  .types = {DataType::Float32}}
            .expect(along(axis, true));
    }
}

TEST(Softmax, ofAnEmptyTensorIsEmpty) {
    LayerCase{.inputs = {floats({0, 3}, {})}, .expected = {floats({0, 3}, {})}}.expect(Softmax{});
    LayerCase{.inputs = {floats({3, 0}, {})}, .expected = {floats({3, 0}, {})}}.expect(Softmax{});
}

TEST(Softmax, refusesAnAxisThatIsNotThere) {
    EXPECT_EQ(test::inferError(along(2), {{DataType::Float32, {2, 3}}}),
              "node (Softmax): axis 2 of a tensor of rank 2; expected -2 to 1");
}

TEST(Softmax, refusesIntegers) {
    EXPECT_EQ(test::inferError(Softmax{}, {{DataType::Int32, {2, 3}}}),
              "node (Softmax): input 0 is int32; expected float32, float16 or bfloat16");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/determinant/determinant.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

TEST(Determinant, isThatOfEachMatrix) { // by hand
    LayerCase{.inputs = {floats({2, 2, 2}, {1, 2, 3, 4, 0, 2, 3, 1})}, .expected = {floats({2}, {-2, -6})}}.expect(
        Determinant{});
    LayerCase{.inputs = {floats({1, 1}, {-3})}, .expected = {floats({}, {-3})}}.expect(Determinant{});
    LayerCase{.inputs = {floats({3, 3}, {0, 0, 2, 3, 0, 0, 0, 4, 0})}, .expected = {floats({}, {24})}}.expect(
        Determinant{});
}

TEST(Determinant, isZeroOfMatricesWithoutInverse) { // and NaN for those with a NaN
    LayerCase{.inputs = {floats({2, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 0})}, .expected = {floats({2}, {0, 0})}}.expect(
        Determinant{});
    LayerCase{.inputs = {floats({2, 2}, {NAN, 1, 1, 1})}, .expected = {floats({}, {NAN})}}.expect(Determinant{});
}

TEST(Determinant, isTheProductOfTheDiagonalOfATriangle) { // 2^n with ones above the diagonal, its rows reversed
    constexpr int64_t kRows = 13;
    std::vector<float> matrix(kRows * kRows, 0);
    for (int64_t i = 0; i < kRows; ++i) {
        for (int64_t j = i; j < kRows; ++j)
            matrix[static_cast<size_t>((kRows - 1 - i) * kRows + j)] = i == j ? 2.0F : 1.0F;
    }
    LayerCase{.inputs = {floats({kRows, kRows}, matrix)}, .expected = {floats({}, {8192})}}.expect(Determinant{});
}

TEST(Determinant, refusesMatricesThatAreNotSquare) {
    EXPECT_EQ(test::inferError(Determinant{}, {{DataType::Float32, {4, 2, 3}}}),
              "node (Determinant): input 0 has shape [4,2,3]; expected square matrices");
}

} // namespace
} // namespace tenon

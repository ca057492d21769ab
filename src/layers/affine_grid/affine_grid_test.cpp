// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/affine_grid/affine_grid.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;

AffineGrid aligned() {
    AffineGrid layer;
    layer.alignCorners = true;
    return layer;
}

// numpy: theta @ (x, y, 1) with x = -1/2, 1/2 and y = -2/3, 0, 2/3; with x = -1, 1 and y = -1, 0, 1 if aligned
TEST(AffineGrid, turnsPictures) {
    Literal const theta = floats({1, 2, 3}, {0, 1, 0.5F, -2, 0, 0}); // (y + 1/2, -2 x)
    constexpr float kThird = 1 / 3.F;
    LayerCase const layerCase{
        .inputs = {theta, ints({4}, {1, 7, 3, 2})},
        .expected = {floats({1, 3, 2, 2}, {0.5F - 2 * kThird, 1, 0.5F - 2 * kThird, -1, 0.5F, 1, 0.5F, -1,
                                           0.5F + 2 * kThird, 1, 0.5F + 2 * kThird, -1})}};
    layerCase.expect(AffineGrid());
    layerCase.in(DataType::Float16).expect(AffineGrid());
    LayerCase{.inputs = {theta, ints({4}, {1, 7, 3, 2})},
              .expected = {floats({1, 3, 2, 2}, {-0.5F, 2, -0.5F, -2, 0.5F, 2, 0.5F, -2, 1.5F, 2, 1.5F, -2})}}
        .expect(aligned());
}

// one point along z and y is at -1 if aligned; the second batch item is the identity
TEST(AffineGrid, movesVolumes) {
    Literal const theta = floats({2, 3, 4}, {1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    LayerCase{.inputs = {theta, Literal::of<int32_t>({5}, {2, 1, 1, 1, 2})},
              .expected = {floats({2, 1, 1, 2, 3}, {4, 5, 6, 6, 5, 6, -1, -1, -1, 1, -1, -1})}}
        .expect(aligned());
}

TEST(AffineGrid, refusesWhatDoesNotFit) {
    test::Input const size{DataType::Int64, {4}};
    EXPECT_EQ(inferError(AffineGrid(), {{DataType::Float32, {1, 3, 4}}, size}),
              "node (AffineGrid): theta has shape [1,3,4]; for 2 extents expected [N,2,3]");
    EXPECT_EQ(inferError(AffineGrid(), {{DataType::Float32, {1, 2, 3}}, {DataType::Int64, {3}}}),
              "node (AffineGrid): size has 3 numbers; expected N, C and 2 or 3 extents");
    EXPECT_EQ(inferError(AffineGrid(), {{DataType::Float32, {1, 2, 3}}, {DataType::Float32, {4}}}),
              "node (AffineGrid): size is float32; expected int32 or int64");
}

} // namespace
} // namespace tenon

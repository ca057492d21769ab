// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::OnnxNodeCase;

TEST(AffineGridOnnx, hasTheMiddleOfOnePixelAtOnce) { // the identity
    auto const grid = [](int64_t alignCorners) {
        return OnnxNodeCase("AffineGrid", 20)
            .integer("align_corners", alignCorners)
            .input(Literal::of<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0}))
            .constant(Literal::of<int64_t>({4}, {1, 1, 1, 2}))
            .run()[0];
    };
    EXPECT_EQ(grid(0), Literal::of<float>({1, 1, 2, 2}, {-0.5F, 0, 0.5F, 0}));
    EXPECT_EQ(grid(1), Literal::of<float>({1, 1, 2, 2}, {-1, -1, 1, -1}));
}

TEST(AffineGridOnnx, refusesASizeOfAnotherLength) {
    EXPECT_EQ(OnnxNodeCase("AffineGrid", 20)
                  .input(Literal::of<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0}))
                  .constant(Literal::of<int64_t>({2}, {1, 2}))
                  .error(),
              "node (AffineGrid, opset 20, node 0): size has shape [2]; expected the 4 or 5 extents (N,C,H,W) or "
              "(N,C,D,H,W)");
}

} // namespace
} // namespace tenon

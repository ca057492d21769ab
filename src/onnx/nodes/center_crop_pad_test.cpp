// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;
using Numbers = std::vector<float>;

TEST(CenterCropPadOnnx, leavesTheOddElementAtTheEnd) {
    auto const cut = [](std::vector<int64_t> const& shape) {
        return numbersOf(OnnxNodeCase("CenterCropPad", 18)
                             .input(Literal::of<float>({4}, {1, 2, 3, 4}))
                             .input(Literal::of<int64_t>({1}, shape))
                             .run()[0]);
    };
    EXPECT_EQ(cut({1}), (Numbers{2}));
    EXPECT_EQ(cut({3}), (Numbers{1, 2, 3}));
    EXPECT_EQ(cut({7}), (Numbers{0, 1, 2, 3, 4, 0, 0}));
    EXPECT_EQ(cut({0}), (Numbers{}));
}

} // namespace
} // namespace tenon

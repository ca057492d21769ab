// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#include "NvUtils.h"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using namespace nvinfer1;
using Values = std::vector<float>;

TEST(Utils, transposeWeights) { // [2,3,2] by (1,0,2): y[j][i][k] = x[i][j][k]
    Values x(12);
    std::iota(x.begin(), x.end(), 0.0F);
    Values y(12, -1);
    int32_t const shape[]{2, 3, 2};
    int32_t const order[]{1, 0, 2};
    EXPECT_TRUE(utils::reshapeWeights({DataType::kFLOAT, x.data(), 12}, shape, order, y.data(), 3));
    EXPECT_EQ(y, (Values{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
    int32_t const twice[]{1, 1, 2};
    EXPECT_FALSE(utils::reshapeWeights({DataType::kFLOAT, x.data(), 12}, shape, twice, y.data(), 3));
    EXPECT_FALSE(utils::reshapeWeights({DataType::kFLOAT, x.data(), 11}, shape, order, y.data(), 3));
    EXPECT_FALSE(utils::reshapeWeights({DataType::kFLOAT, x.data(), 12}, shape, order, y.data(), 9));
}

TEST(Utils, reorderPieces) {
    Values x{0, 1, 2, 3, 4, 5};
    int32_t const order[]{2, 0, 1};
    EXPECT_TRUE(utils::reorderSubBuffers(x.data(), order, 3, 2 * sizeof(float)));
    EXPECT_EQ(x, (Values{4, 5, 0, 1, 2, 3}));
    int32_t const beyond[]{2, 0, 3};
    EXPECT_FALSE(utils::reorderSubBuffers(x.data(), beyond, 3, 8));
    EXPECT_EQ(x, (Values{4, 5, 0, 1, 2, 3}));
}

TEST(Utils, transposeMatricesInPlace) {
    std::vector<int16_t> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    EXPECT_TRUE(utils::transposeSubBuffers(x.data(), DataType::kHALF, 2, 2, 3));
    EXPECT_EQ(x, (std::vector<int16_t>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
    EXPECT_FALSE(utils::transposeSubBuffers(x.data(), DataType::kHALF, 0, 2, 3));
}

} // namespace

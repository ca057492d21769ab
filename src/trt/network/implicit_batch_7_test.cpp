// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 7
#define TENON_IMPLICIT ImplicitBatchAtLevel7
#include "trt/network/implicit_batch_test.inc"

namespace {

/// As in 5.1, where plugins look for it.
TEST_F(ImplicitBatchAtLevel7, saysWhatTheDimensionsOfAnImageStandFor) {
    Dims plain; // without types
    plain.nbDims = 3;
    for (int32_t axis = 0; axis < 3; ++axis) plain.d[axis] = axis + 1, plain.type[axis] = DimensionType::kSPATIAL;
    Dims const found = input(plain).getDimensions();
    EXPECT_EQ(found.type[0], DimensionType::kCHANNEL);
    EXPECT_EQ(found.type[1], DimensionType::kSPATIAL);
    EXPECT_EQ(found.type[2], DimensionType::kSPATIAL);
}

} // namespace

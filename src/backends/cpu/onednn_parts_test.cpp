// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn_parts.h"

#include <gtest/gtest.h>

namespace tenon::cpu {
namespace {

Label in(Format const& format) { return {DataType::Float32, format, Device::Cpu}; }

TEST(SliceOf, isWhereItLiesInOnePiece) { // offsets in bytes, of 4 an element
    auto const rows = sliceOf({{1, 24, 6, 5}}, in(Format::nhwc()), {2, 2, 4});
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->dims, (Dims{1, 24, 2, 5}));
    EXPECT_EQ(rows->offset, 4 * 2 * 5 * 24);

    auto const channels = sliceOf({{1, 40, 6, 5}, 100}, in(Format::blocked(16)), {1, 32, 40});
    ASSERT_TRUE(channels);
    EXPECT_EQ(channels->dims, (Dims{1, 8, 6, 5}));
    EXPECT_EQ(channels->offset, 100 + 4 * 2 * 6 * 5 * 16);

    auto const items = sliceOf({{3, 40, 6, 5}}, in(Format::blocked(16)), {0, 1, 3});
    ASSERT_TRUE(items);
    EXPECT_EQ(items->offset, 4 * 48 * 6 * 5); // channels are padded to 48
}

TEST(SliceOf, isNoneInSeveralPieces) {
    EXPECT_FALSE(sliceOf({{2, 24, 6, 5}}, in(Format::nhwc()), {2, 2, 4}));       // rows of two items
    EXPECT_FALSE(sliceOf({{1, 24, 6, 5}}, in(Format::nhwc()), {1, 8, 16}));      // channels of many positions
    EXPECT_FALSE(sliceOf({{1, 32, 6, 5}}, in(Format::blocked(16)), {2, 2, 4}));  // rows of two blocks
    EXPECT_FALSE(sliceOf({{1, 32, 6, 5}}, in(Format::blocked(16)), {1, 8, 32})); // half a block
    EXPECT_FALSE(sliceOf({{1, 32, 6, 5}}, in(Format::nhwc(8)), {1, 8, 16}));
    EXPECT_TRUE(sliceOf({{1, 16, 6, 5}}, in(Format::blocked(16)), {1, 0, 16}));
}

TEST(OperandSliceOf, keepsWhatIsTheSameForTheWholeAxis) {
    Range const channels{1, 16, 32};
    auto const perChannel = operandSliceOf({{32, 1, 1}}, in(Format::linear()), channels, 4);
    ASSERT_TRUE(perChannel);
    EXPECT_EQ(perChannel->dims, (Dims{16, 1, 1}));
    EXPECT_EQ(perChannel->offset, 4 * 16);
    EXPECT_EQ(operandSliceOf({{1, 6, 5}}, in(Format::linear()), channels, 4)->dims, (Dims{1, 6, 5}));
    EXPECT_EQ(operandSliceOf({{5}}, in(Format::linear()), channels, 4)->dims, Dims{5});
    EXPECT_EQ(operandSliceOf({{5}}, in(Format::linear()), channels, 4)->offset, 0);
}

TEST(RangesOf, areWholeUnitsButTheLast) {
    auto const ranges = rangesOf(1, 40, 16, 2);
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].end, 32);
    EXPECT_EQ(ranges[1].begin, 32);
    EXPECT_EQ(ranges[1].end, 40);
    EXPECT_EQ(rangesOf(0, 3, 1, 16).size(), 3U);
    EXPECT_EQ(rangesOf(0, 3, 1, 1).size(), 1U);
}

TEST(BlocksOfPart, letThreadsEndTogether) {
    EXPECT_EQ(blocksOfPart(4, 16, 2), 2);  // 2 parts, not 4 small ones
    EXPECT_EQ(blocksOfPart(6, 16, 2), 3);  // 3 parts of 2 would leave one thread alone with the last
    EXPECT_EQ(blocksOfPart(16, 16, 2), 4); // as good as 2 parts, and more even beside another process
    EXPECT_EQ(blocksOfPart(2, 16, 2), 1);
    EXPECT_EQ(blocksOfPart(1, 16, 2), 1);
    EXPECT_EQ(blocksOfPart(64, 2, 2), 32); // no more parts than are worth it
}

TEST(PartsWorth, followFromTheTime) {
    EXPECT_EQ(partsWorth(1000), 1);
    EXPECT_EQ(partsWorth(100'000), 4);
    EXPECT_EQ(partsWorth(1e9), 16);
}

} // namespace
} // namespace tenon::cpu

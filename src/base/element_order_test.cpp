// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/element_order.h"

#include <gtest/gtest.h>
#include <numeric>

namespace tenon {
namespace {

std::vector<int32_t> restored(ElementOrder const& order, std::vector<int32_t> const& copy, size_t elements) {
    std::vector<int32_t> tensor(elements, -1);
    restore(order, sizeof(int32_t), std::as_bytes(std::span(copy)), std::as_writable_bytes(std::span(tensor)));
    return tensor;
}

// [2,3]; the copy has the columns one after the other
ElementOrder const kColumns{{2, 3}, {3, 1}, {1, 2}, {}, {}};

TEST(ElementOrder, restoresRowsFromColumns) {
    EXPECT_EQ(restored(kColumns, {0, 3, 1, 4, 2, 5}, 6), (std::vector{0, 1, 2, 3, 4, 5}));
}

// [3,3] in blocks of 2 rows by 2 columns, row by row inside a block; the copy has room for 4 by 4
TEST(ElementOrder, restoresFromBlocksWithPadding) {
    ElementOrder const order{{3, 3}, {3, 1}, {8, 4}, {2, 2}, {0, 1}};
    std::vector<int32_t> const copy{0, 1, 3, 4, 2, 99, 5, 99, 6, 7, 99, 99, 8, 99, 99, 99};
    EXPECT_TRUE(isWithin(order, 9, 16));
    EXPECT_EQ(restored(order, copy, 9), (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ElementOrder, placesInBlocksAndLeavesThePadding) {
    ElementOrder const order{{3, 3}, {3, 1}, {8, 4}, {2, 2}, {0, 1}};
    std::vector<int32_t> const tensor{0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<int32_t> copy(16, 99);
    place(order, sizeof(int32_t), std::as_bytes(std::span(tensor)), std::as_writable_bytes(std::span(copy)));
    EXPECT_EQ(copy, (std::vector{0, 1, 3, 4, 2, 99, 5, 99, 6, 7, 99, 99, 8, 99, 99, 99}));
}

// 4 channels in blocks of 4, each of which is two blocks of 2: channel = 2 * outer + inner
TEST(ElementOrder, restoresFromBlocksInsideOfBlocks) {
    ElementOrder const order{{4, 2}, {2, 1}, {8, 4}, {2, 2}, {0, 0}};
    EXPECT_EQ(restored(order, {0, 2, 4, 6, 1, 3, 5, 7}, 8), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

// More than one strip of the axis in which the copy is dense, on several threads. Element (a,b,c) of [3,200,30] is at
// offset a * 6000 + c * 200 + b.
TEST(ElementOrder, restoresLargeTensors) {
    ElementOrder const order{{3, 200, 30}, {6000, 30, 1}, {6000, 1, 200}, {}, {}};
    std::vector<int32_t> expected(18000);
    std::iota(expected.begin(), expected.end(), 0);
    std::vector<int32_t> copy(expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
        copy[i / 6000 * 6000 + i % 30 * 200 + i / 30 % 200] = static_cast<int32_t>(i);
    EXPECT_EQ(restored(order, copy, expected.size()), expected);
}

// [2,3] in a tensor of rows of 4
TEST(ElementOrder, leavesZerosBetween) {
    ElementOrder const order{{2, 3}, {4, 1}, {1, 2}, {}, {}};
    EXPECT_EQ(restored(order, {0, 3, 1, 4, 2, 5}, 8), (std::vector{0, 1, 2, 0, 3, 4, 5, 0}));
}

TEST(ElementOrder, leavesNothingWithoutAValue) {
    ElementOrder const twice{{2, 2}, {1, 1}, {2, 1}, {}, {}}; // names element 1 twice and element 3 never
    EXPECT_TRUE(isWithin(twice, 4, 4));
    EXPECT_EQ(restored(twice, {5, 6, 7, 8}, 4)[3], 0);
}

TEST(ElementOrder, isRefusedWhereItLeadsOut) {
    EXPECT_TRUE(isWithin(kColumns, 6, 6));
    EXPECT_FALSE(isWithin(kColumns, 6, 5)) << "a copy that is too short";
    EXPECT_FALSE(isWithin(kColumns, 5, 6)) << "another number of elements";
    EXPECT_FALSE(isWithin({{2, 3}, {4, 1}, {1, 2}, {}, {}}, 6, 6)) << "a step out of the tensor";
    EXPECT_FALSE(isWithin({{2, 3}, {3, 1}, {1, 3}, {}, {}}, 6, 6)) << "a step out of the copy";
    EXPECT_FALSE(isWithin({{2, 3}, {3, 1}, {1, 2}, {2}, {2}}, 6, 100)) << "a block of no axis";
    EXPECT_FALSE(isWithin({{2, 3}, {3, 1}, {1, 2}, {0}, {0}}, 6, 100)) << "a block without elements";
    EXPECT_FALSE(isWithin({{2, 3}, {3, 1}, {1}, {}, {}}, 6, 6)) << "an axis without a step";
    EXPECT_FALSE(isWithin({{2, 3}, {3, 1}, {-1, 2}, {}, {}}, 6, 6)) << "a step back";
    EXPECT_FALSE(isWithin({{INT64_MAX, 4}, {0, 0}, {0, 0}, {}, {}}, 4, 4)) << "more elements than there are numbers";
    EXPECT_FALSE(isWithin({{2, 3}, {3, 1}, {1, int64_t{1} << 40}, {}, {}}, 6, 6));
    EXPECT_FALSE(isWithin({{}, {}, {}, {}, {}}, 0, 0)) << "no axis";
}

} // namespace
} // namespace tenon

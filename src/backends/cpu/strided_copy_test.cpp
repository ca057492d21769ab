// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/strided_copy.h"

#include "base/text.h"

#include <gtest/gtest.h>
#include <vector>

namespace tenon::cpu {
namespace {

struct Case {
    Dims extents, from, to;
};

template <class T> void expectCopied(Case const& one) { // to[i · to] = from[i · from], the definition
    int64_t fromSize = 1;
    int64_t toSize = 1;
    for (int axis = 0; axis < one.extents.rank(); ++axis) {
        fromSize += (one.extents[axis] - 1) * one.from[axis];
        toSize += (one.extents[axis] - 1) * one.to[axis];
    }
    std::vector<T> x(static_cast<size_t>(fromSize));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7 + 1);
    std::vector<T> y(static_cast<size_t>(toSize), 0);
    std::vector<T> expected = y;
    Dims index = Dims::filled(one.extents.rank(), 0);
    do {
        int64_t source = 0;
        int64_t target = 0;
        for (int axis = 0; axis < index.rank(); ++axis) {
            source += index[axis] * one.from[axis];
            target += index[axis] * one.to[axis];
        }
        expected[static_cast<size_t>(target)] = x[static_cast<size_t>(source)];
    } while (nextIndex(index, one.extents));
    StridedCopy(one.extents, one.from, one.to, sizeof(T)).run(x.data(), y.data());
    EXPECT_EQ(y, expected) << text(one.extents, " from ", one.from, " to ", one.to, " of ", sizeof(T), " bytes");
}

TEST(StridedCopy, movesEveryElementToItsPlace) {
    for (Case const& one : {Case{{}, {}, {}}, Case{{5}, {1}, {1}}, Case{{5}, {0}, {1}}, Case{{7}, {3}, {2}},
                            Case{{40, 50}, {1, 40}, {50, 1}},              // a transposition
                            Case{{300, 200}, {1, 300}, {200, 1}},          // one of several pieces
                            Case{{3, 40, 50}, {2000, 50, 1}, {1, 150, 3}}, // rows become columns of a wider one
                            Case{{4, 6, 2}, {2, 8, 1}, {12, 2, 1}},        // pairs are swapped
                            Case{{4, 6, 5}, {5, 20, 1}, {30, 5, 1}},       // runs are swapped
                            Case{{4, 6, 5}, {5, 20, 1}, {31, 5, 1}},       // with a gap
                            Case{{2, 1, 3, 4}, {12, 9, 4, 1}, {12, 12, 4, 1}}, Case{{3, 4, 5}, {0, 1, 0}, {20, 5, 1}},
                            Case{{70000}, {1}, {1}}, Case{{2, 3, 4, 5, 6}, {1, 2, 6, 24, 120}, {360, 120, 30, 6, 1}}}) {
        expectCopied<uint8_t>(one);
        expectCopied<uint16_t>(one);
        expectCopied<uint32_t>(one);
        expectCopied<uint64_t>(one);
    }
}

TEST(StridedCopy, movesRunsOfAnyLength) {
    for (int64_t run = 1; run <= 70; ++run) {
        Case const one{{3, 9, run}, {9 * run + 40, run + 3, 1}, {9 * run + 50, run + 5, 1}};
        expectCopied<uint8_t>(one);
        expectCopied<uint16_t>(one);
        expectCopied<uint32_t>(one);
        expectCopied<uint64_t>(one);
    }
    expectCopied<uint32_t>({{5000, 4}, {6, 1}, {4, 1}}); // several pieces
}

TEST(StridedCopy, beginsAnywhere) { // pairs of float32 become elements of 8 bytes; the first is unaligned
    std::vector<uint32_t> const x{0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<uint32_t> y(9);
    StridedCopy({2, 2, 2}, {2, 4, 1}, {4, 2, 1}, sizeof(uint32_t)).run(x.data() + 1, y.data() + 1);
    EXPECT_EQ(y, (std::vector<uint32_t>{0, 1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(StridedCopy, goesBackwards) {
    std::vector<int> const x{1, 2, 3, 4, 5, 6};
    std::vector<int> y(6);
    StridedCopy({2, 3}, {3, -1}, {3, 1}, sizeof(int)).run(x.data() + 2, y.data());
    EXPECT_EQ(y, (std::vector<int>{3, 2, 1, 6, 5, 4}));
}

TEST(StridedCopy, ofNothingTouchesNothing) { StridedCopy({3, 0}, {1, 1}, {1, 1}, 4).run(nullptr, nullptr); }

} // namespace
} // namespace tenon::cpu

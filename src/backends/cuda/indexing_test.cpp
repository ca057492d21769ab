// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/indexing.h"

#include "base/text.h"

#include <gtest/gtest.h>
#include <vector>

namespace tenon::cuda {
namespace {

constexpr uint32_t kLargest = (uint32_t{1} << 31) - 1; // the largest dividend

/// All up to 300, all around powers of two, and some in between.
std::vector<uint32_t> divisors() {
    std::vector<uint32_t> all;
    for (uint32_t d = 1; d <= 300; ++d) all.push_back(d);
    for (int bits = 9; bits <= 31; ++bits) {
        uint32_t const power = uint32_t{1} << bits;
        for (uint32_t const d : {power - 2, power - 1, power, power + 1, power + power / 3, power / 5 * 7}) {
            if (d <= uint32_t{1} << 31) all.push_back(d);
        }
    }
    return all;
}

/// Quotients change at multiples: a multiplier that is too small or too large fails there first, most of all at the
/// largest ones.
TEST(Divider, dividesExactlyOverItsWholeRange) {
    for (uint32_t const d : divisors()) {
        Divider const divider(d);
        EXPECT_EQ(divider.divisor(), d);
        auto const check = [&](int64_t n) {
            if (n < 0 || n > kLargest) return;
            ASSERT_EQ(divider.divide(static_cast<uint32_t>(n)), static_cast<uint32_t>(n) / d) << text(n, " / ", d);
        };
        int64_t const most = kLargest / d;
        for (int64_t k = 0; k < 2000; ++k) {
            for (int64_t const multiple : {k * d, (most - k) * d, most * k / 2000 * d}) {
                for (int64_t const n : {multiple - 1, multiple, multiple + 1}) check(n);
            }
        }
        check(kLargest);
    }
}

TEST(Divider, ofOneIsTheDefault) {
    EXPECT_EQ(Divider().divide(kLargest), kLargest);
    EXPECT_EQ(Divider().divisor(), 1U);
}

/// Σ index · stride, the definition, for each element in row-major order.
template <int tensors> void expectOffsets(Dims const& dims, std::array<Dims, tensors> const& strides, int rank) {
    Indexer<tensors> const indexer(dims, strides);
    EXPECT_EQ(indexer.rank, rank) << text(dims);
    Dims index = Dims::filled(dims.rank(), 0);
    for (int64_t i = 0; i < dims.volume(); ++i, nextIndex(index, dims)) {
        int64_t found[tensors];
        indexer.offsets(static_cast<uint32_t>(i), found);
        for (size_t t = 0; t < tensors; ++t) {
            int64_t expected = 0;
            for (int axis = 0; axis < dims.rank(); ++axis) expected += index[axis] * strides[t][axis];
            ASSERT_EQ(found[t], expected) << text("element ", i, " of ", dims, ", strides ", strides[t]);
        }
    }
}

TEST(Indexer, findsElementsByTheirStrides) {
    expectOffsets<1>({2, 3, 4}, {Dims{12, 4, 1}}, 1);
    expectOffsets<2>({2, 3, 4}, {Dims{12, 4, 1}, {12, 1, 3}}, 3);
    expectOffsets<2>({2, 3, 4}, {Dims{12, 4, 1}, {0, 4, 1}}, 2);
    expectOffsets<2>({2, 3, 4}, {Dims{0, 0, 0}, {12, 4, 1}}, 1);
    expectOffsets<2>({5, 7}, {Dims{-7, 1}, {-7, -1}}, 2);
    expectOffsets<3>({3, 1, 4, 1, 5}, {Dims{20, 99, 5, 77, 1}, {20, 0, 5, 0, 1}, {40, 1, 10, 1, 2}}, 1);
    expectOffsets<1>({2, 3, 2, 3, 2, 3, 2, 3}, {Dims{1, 2, 6, 12, 36, 72, 216, 432}}, 8);
}

TEST(Indexer, mergesOnlyWhatAllTensorsWalkThroughAlike) {
    expectOffsets<2>({4, 5, 6}, {Dims{30, 6, 1}, {60, 6, 1}}, 2);
    expectOffsets<2>({4, 5, 6}, {Dims{30, 6, 1}, {60, 12, 1}}, 2);
    expectOffsets<2>({4, 5, 6}, {Dims{60, 12, 2}, {30, 6, 1}}, 1);
}

TEST(Indexer, takesScalarsAndEmptyTensors) {
    expectOffsets<2>({}, {Dims{}, Dims{}}, 0);
    expectOffsets<1>({1, 1}, {Dims{7, 7}}, 0);
    expectOffsets<1>({3, 0, 2}, {Dims{0, 2, 1}}, 0);
}

TEST(Indexer, reachesTheLastElementOfTheLargestSpace) {
    Indexer<1> const indexer({kLargest / 3, 3}, {Dims{8, 2}});
    int64_t found[1];
    indexer.offsets(kLargest / 3 * 3 - 1, found);
    EXPECT_EQ(found[0], (int64_t{kLargest} / 3 - 1) * 8 + 4);
}

} // namespace
} // namespace tenon::cuda

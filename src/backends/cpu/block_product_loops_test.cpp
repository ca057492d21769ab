// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/block_product_loops.h"

#include "backends/cpu/cpu_backend.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tenon::cpu {
namespace {

using Multiply = BlockProductLoops::Multiply;

struct Size {
    int64_t lines, rows, columns;
    int64_t whole, tail; // segments of 16 words, and the words of a shorter last one
};

/// Compares elements of Y with a sum in double.
class Products {
public:
    Products(Size const& size, int perWord)
        : size_(size), perWord_(perWord), words_(size.whole * kTileWords + size.tail),
          pitch_((size.columns + 15) / 16 * 16), x_(Index(size.lines * size.rows * words_ * perWord)),
          w_(Index(words_ * pitch_ * perWord)) {
        for (int64_t i = 0; i < segments(); ++i) segments_.push_back({i * kTileWords, i * kTileWords * pitch_});
        // small integers: all sums are exact in every type
        std::mt19937 random(1);
        std::uniform_int_distribution<int> numbers(-7, 7);
        for (int& x : x_) x = numbers(random);
        for (int& w : w_) w = numbers(random);
    }

    /// \param pieces of the product, whose sums are kept in memory
    /// \param offset of the integers of X that are stored, as uint8 if it is not 0
    /// \param added to them by the product
    void expect(Multiply multiply, int64_t pieces, int offset = 0, int added = 0) const {
        std::vector<uint32_t> const x = packed(x_, offset);
        std::vector<uint32_t> const w = packedWeights();
        std::vector<float> bias(Index(pitch_), 0.5F), factors(Index(pitch_), 2),
            y(Index(size_.lines * size_.rows * size_.columns));
        std::vector<int32_t> first(Index(pitch_), 3);
        for (int64_t c = 0; c < pitch_; ++c) first[Index(c)] -= (offset + added) * sumOfWeights(c);
        std::vector<float> sums(Index(size_.lines * size_.rows * pitch_));
        for (int64_t piece = 0; piece < pieces; ++piece) {
            int64_t const begin = segments() * piece / pieces;
            int64_t const end = segments() * (piece + 1) / pieces;
            multiply({.x = reinterpret_cast<float const*>(x.data()),
                      .isSigned = offset == 0,
                      .segments = std::span(segments_).subspan(Index(begin), Index(end - begin)),
                      .depth = kTileWords,
                      .whole = std::max<int64_t>(size_.whole - begin, 0),
                      .tail = size_.tail,
                      .rowStride = words_,
                      .w = reinterpret_cast<float const*>(w.data()),
                      .wPitch = pitch_,
                      .sums = sums.data(),
                      .isFirst = piece == 0,
                      .bias = bias.data(),
                      .firstSums = first.data(),
                      .isLast = piece + 1 == pieces,
                      .factors = factors.data(),
                      .y = y.data(),
                      .yRow = size_.columns,
                      .yBlock = 16,
                      .rows = size_.rows,
                      .columns = size_.columns,
                      .lines = size_.lines,
                      .xLine = size_.rows * words_,
                      .yLine = size_.rows * size_.columns});
        }
        for (int64_t i = 0; i < std::ssize(y); ++i) {
            int64_t const sum = sumOf(i / size_.columns, i % size_.columns);
            auto const expected = static_cast<float>(perWord_ == 4 ? 2 * (sum + 3) : sum) + 0.5F;
            ASSERT_EQ(y[Index(i)], expected) << "row " << i / size_.columns << ", column " << i % size_.columns;
        }
    }

private:
    static size_t Index(int64_t i) { return static_cast<size_t>(i); }
    int64_t segments() const { return size_.whole + (size_.tail != 0 ? 1 : 0); }

    uint32_t element(int value) const {
        if (perWord_ == 4) return static_cast<uint8_t>(value);
        return std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
    }
    std::vector<uint32_t> packed(std::vector<int> const& values, int offset) const {
        std::vector<uint32_t> words(values.size() / static_cast<size_t>(perWord_));
        for (size_t i = 0; i < values.size(); ++i)
            words[i / static_cast<size_t>(perWord_)] |=
                element(values[i] + offset)
                << (i % static_cast<size_t>(perWord_) * (32 / static_cast<size_t>(perWord_)));
        return words;
    }
    /// Elements of one column are adjacent in a word.
    std::vector<uint32_t> packedWeights() const { return packed(w_, 0); }
    int weight(int64_t element, int64_t column) const {
        return w_[Index((element / perWord_ * pitch_ + column) * perWord_ + element % perWord_)];
    }
    int32_t sumOfWeights(int64_t column) const {
        int32_t sum = 0;
        for (int64_t e = 0; e < words_ * perWord_; ++e) sum += weight(e, column);
        return sum;
    }
    int64_t sumOf(int64_t row, int64_t column) const {
        int64_t sum = 0;
        for (int64_t e = 0; e < words_ * perWord_; ++e)
            sum += x_[Index(row * words_ * perWord_ + e)] * weight(e, column);
        return sum;
    }

    Size size_;
    int perWord_;
    int64_t words_, pitch_;
    std::vector<int> x_, w_;
    std::vector<BlockSegment> segments_;
};

constexpr Size kSizes[]{{1, 1, 1, 1, 0},    {1, 16, 16, 2, 0}, {3, 14, 64, 2, 0}, {2, 17, 33, 1, 5},
                        {5, 7, 48, 3, 16},  {1, 33, 40, 0, 3}, {4, 1, 20, 4, 1},  {1, 49, 64, 2, 8},
                        {2, 31, 63, 0, 15}, {1, 64, 32, 5, 11}};

/// All sizes, whole and in two pieces.
void expectAll(Multiply multiply, int perWord) {
    for (Size const& size : kSizes) {
        SCOPED_TRACE(testing::Message() << size.lines << " lines of " << size.rows << " rows, " << size.columns
                                        << " columns, " << size.whole << " segments and " << size.tail << " words");
        Products const products(size, perWord);
        for (int64_t const pieces : {1, 2}) products.expect(multiply, pieces);
    }
}

class BlockProducts : public testing::Test {
protected:
    void SetUp() override { backend(); } // opens oneDNN, which reports the CPU's features
    BlockProductLoops const& loops_ = bestLoops<BlockProductLoops>();
};

TEST_F(BlockProducts, ofBFloat16) {
    if (!multipliesPairs()) GTEST_SKIP() << "this CPU does not multiply bfloat16";
    expectAll(loops_.multiplyPairs, 2);
}

TEST_F(BlockProducts, ofInt8) {
    if (!multipliesQuads()) GTEST_SKIP() << "this CPU does not multiply int8";
    for (Size const& size : kSizes) {
        Products const products(size, 4);
        for (int64_t const pieces : {1, 2}) {
            products.expect(loops_.multiplyQuads, pieces, 7);
            products.expect(loops_.multiplyQuads, pieces, 0, 128);
        }
    }
}

TEST_F(BlockProducts, ofBFloat16ByAmx) {
    if (!usesAmx()) GTEST_SKIP() << "this CPU has no AMX, or may not use it";
    expectAll(loops_.tilePairs, 2);
}

TEST_F(BlockProducts, ofInt8ByAmx) {
    if (!usesAmx()) GTEST_SKIP() << "this CPU has no AMX, or may not use it";
    expectAll(loops_.tileQuads, 4);
    for (Size const& size : kSizes) {
        Products const products(size, 4);
        for (int64_t const pieces : {1, 2}) products.expect(loops_.tileQuads, pieces, 7);
    }
}

} // namespace
} // namespace tenon::cpu

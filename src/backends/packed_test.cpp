// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/packed.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

Literal const kWeights = Literal::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
Literal const kBias = Literal::of<float>({2}, {6, 7});

/// The weights' columns in rows of 4, followed by the bias.
Packed packed(DataType type) {
    auto const width = static_cast<size_t>(bitsOf(type)) / 8;
    StridedWeights weights(type);
    weights.add(kWeights, {1, 4});
    weights.addDense(kBias, 12 * width);
    return std::move(weights).finish("columns", 16 * width);
}

template <class T> std::vector<float> valuesIn(Packed const& packed) {
    auto const* values = static_cast<T const*>(packed.bytes.data());
    return {values, values + packed.bytes.bytes() / sizeof(T)};
}

std::vector<float> const kExpected{0, 3, 0, 0, 1, 4, 0, 0, 2, 5, 0, 0, 6, 7, 0, 0};

TEST(StridedWeights, lieInStridesWithZerosBetween) {
    EXPECT_EQ(valuesIn<float>(packed(DataType::Float32)), kExpected);
    EXPECT_EQ(valuesIn<Half>(packed(DataType::Float16)), kExpected);
    EXPECT_EQ(packed(DataType::Float32).key, "columns");
}

TEST(StridedWeights, areRestored) {
    Packed const all = packed(DataType::Float32);
    ASSERT_EQ(all.elements.size(), 2U);
    std::span const bytes(static_cast<std::byte const*>(all.bytes.data()), all.bytes.bytes());
    for (PackedElements const& one : all.elements) {
        std::vector<float> found(static_cast<size_t>(one.constant.dims().volume()));
        auto const copy = bytes.subspan(static_cast<size_t>(one.at));
        ASSERT_TRUE(isWithin(one.order, std::ssize(found), std::ssize(copy) / 4));
        restore(one.order, sizeof(float), copy, std::as_writable_bytes(std::span(found)));
        EXPECT_EQ(found, one.constant.toFloat());
    }
}

TEST(StridedWeights, areNotRestoredFromAnotherType) { EXPECT_TRUE(packed(DataType::Float16).elements.empty()); }

TEST(StridedWeights, mayBeEmpty) {
    StridedWeights weights(DataType::Float32);
    weights.addDense(Literal::of<float>({0, 3}, {}), 0);
    Packed const none = std::move(weights).finish("none", 0);
    EXPECT_EQ(none.bytes.bytes(), 0U);
    EXPECT_TRUE(none.elements.empty());
}

} // namespace
} // namespace tenon

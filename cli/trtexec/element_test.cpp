// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "element.h"

#include "failure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace trtexec {
namespace {

using nvinfer1::DataType;

template <class T> std::string textOf(DataType type, T value) {
    return elementText(type, reinterpret_cast<std::byte const*>(&value), 0);
}

// Bit patterns from the definitions of the formats (IEEE 754, bfloat16, OCP FP8 E4M3).
TEST(Element, SmallFloatsAreReadByTheirDefinition) {
    EXPECT_EQ(textOf<uint16_t>(DataType::kHALF, 0x3C00), "1");
    EXPECT_EQ(textOf<uint16_t>(DataType::kHALF, 0xC500), "-5");
    EXPECT_EQ(textOf<uint16_t>(DataType::kHALF, 0x7BFF), "65504");
    EXPECT_EQ(textOf<uint16_t>(DataType::kHALF, 0x0001), textOf(DataType::kFLOAT, std::ldexp(1.F, -24)));
    EXPECT_EQ(textOf<uint16_t>(DataType::kHALF, 0x7C00), "Infinity");
    EXPECT_EQ(textOf<uint16_t>(DataType::kHALF, 0x7E00), "NaN");
    EXPECT_EQ(textOf<uint16_t>(DataType::kBF16, 0x3F80), "1");
    EXPECT_EQ(textOf<uint16_t>(DataType::kBF16, 0xC0A0), "-5");
    EXPECT_EQ(textOf<uint8_t>(DataType::kFP8, 0x38), "1");
    EXPECT_EQ(textOf<uint8_t>(DataType::kFP8, 0x7E), "448");
    EXPECT_EQ(textOf<uint8_t>(DataType::kFP8, 0x7F), "NaN");
    EXPECT_EQ(textOf<uint8_t>(DataType::kFP8, 0x01), textOf(DataType::kFLOAT, std::ldexp(1.F, -9)));
}

TEST(Element, IntegersAndBools) {
    EXPECT_EQ(textOf<int64_t>(DataType::kINT64, -1234567890123), "-1234567890123");
    EXPECT_EQ(textOf<int8_t>(DataType::kINT8, -7), "-7");
    EXPECT_EQ(textOf<uint8_t>(DataType::kUINT8, 200), "200");
    EXPECT_EQ(textOf<uint8_t>(DataType::kBOOL, 1), "1");
    uint8_t const two = 0x8F; // the low half first: -1, -8
    EXPECT_EQ(elementText(DataType::kINT4, reinterpret_cast<std::byte const*>(&two), 0), "-1");
    EXPECT_EQ(elementText(DataType::kINT4, reinterpret_cast<std::byte const*>(&two), 1), "-8");
}

std::vector<double> randomValues(DataType type) {
    constexpr int64_t kCount = 4096;
    std::vector<std::byte> memory(static_cast<size_t>(kCount * bitsOf(type) / 8));
    fillRandom(type, memory);
    std::vector<double> values;
    for (int64_t i = 0; i < kCount; ++i) values.push_back(std::stod(elementText(type, memory.data(), i)));
    return values;
}

TEST(Element, RandomValuesFillTheirRange) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16, DataType::kFP8}) {
        auto const values = randomValues(type);
        auto const [least, most] = std::minmax_element(values.begin(), values.end());
        EXPECT_GE(*least, -1);
        EXPECT_LT(*least, -0.9);
        EXPECT_LE(*most, 1);
        EXPECT_GT(*most, 0.9);
    }
    for (DataType const type : {DataType::kINT32, DataType::kINT64, DataType::kINT8}) {
        auto const values = randomValues(type);
        EXPECT_EQ(*std::min_element(values.begin(), values.end()), -128);
        EXPECT_EQ(*std::max_element(values.begin(), values.end()), 127);
    }
    auto const bools = randomValues(DataType::kBOOL);
    EXPECT_EQ(std::set<double>(bools.begin(), bools.end()), (std::set<double>{0, 1}));
}

TEST(Element, TypesWithoutValuesAreRefused) {
    std::vector<std::byte> memory(8);
    EXPECT_THROW(fillRandom(DataType::kFP4, memory), Failure);
}

// The values of both as listed in OCP's "Microscaling Formats (MX) v1.0".
TEST(Element, FloatsOfFourBitsAndScalesAreReadByTheirDefinition) {
    std::array<std::byte, 8> nibbles;
    for (size_t i = 0; i < nibbles.size(); ++i) nibbles[i] = std::byte(2 * i + 16 * (2 * i + 1));
    std::vector<float> const positive{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    for (int64_t i = 0; i < 16; ++i) {
        float const value = positive[static_cast<size_t>(i % 8)];
        EXPECT_EQ(realElement(DataType::kFP4, nibbles.data(), i), i < 8 ? value : -value);
    }
    std::byte const scales[] = {std::byte{127}, std::byte{0}, std::byte{254}, std::byte{255}};
    EXPECT_EQ(realElement(DataType::kE8M0, scales, 0), 1.F);
    EXPECT_EQ(realElement(DataType::kE8M0, scales, 1), std::ldexp(1.F, -127));
    EXPECT_EQ(realElement(DataType::kE8M0, scales, 2), std::ldexp(1.F, 127));
    EXPECT_TRUE(std::isnan(realElement(DataType::kE8M0, scales, 3)));
}

} // namespace
} // namespace trtexec

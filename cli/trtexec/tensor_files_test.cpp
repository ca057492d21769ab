// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "tensor_files.h"

#include "../tenon/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace trtexec {
namespace {

using nvinfer1::DataType;

template <class T> std::string bytesOf(std::vector<T> const& values) {
    return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

template <class T> std::vector<T> elementsOf(NumpyFile const& file) {
    tenon::cli::Array const array = tenon::cli::parseNpy(file.bytes);
    std::vector<T> values(array.bytes.size() / sizeof(T));
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
    return values;
}

TEST(TensorFiles, HoldWhatNumpyHasNoTypeForAsFloatsOrInt8) {
    NumpyFile const bf16 = numpyFile({DataType::kBF16, {2}, bytesOf<uint16_t>({0x3F80, 0xC040})});
    EXPECT_EQ(bf16.ending, "_to_float.npy");
    EXPECT_EQ(elementsOf<float>(bf16), (std::vector<float>{1, -3}));
    NumpyFile const int4 = numpyFile({DataType::kINT4, {3}, bytesOf<uint8_t>({0x97, 0x0F})});
    EXPECT_EQ(int4.ending, "_to_int8.npy");
    EXPECT_EQ(elementsOf<int8_t>(int4), (std::vector<int8_t>{7, -7, -1}));
    EXPECT_EQ(numpyFile({DataType::kBOOL, {1}, bytesOf<uint8_t>({1})}).ending, ".npy");
}

TEST(TensorFiles, NestTheElementsOfEachAxis) {
    EXPECT_EQ(nestedText({DataType::kINT32, {1, 2, 2}, bytesOf<int32_t>({1, -2, 3, 4})}),
              "[\n [\n  [1 -2]\n  [3 4]\n ]\n]\n");
    EXPECT_EQ(nestedText({DataType::kFLOAT, {}, bytesOf<float>({0.5F})}), "0.5\n");
    EXPECT_EQ(nestedText({DataType::kFLOAT, {2, 0}, {}}), "[]\n");
}

TEST(TensorFiles, SumElementsUp) {
    EXPECT_EQ(statisticsJson({DataType::kINT64, {3}, bytesOf<int64_t>({1, -5, 1})}),
              R"({ "min": -5, "max": 1, "avg": -1, "elements": "1, -5, 1" })");
    EXPECT_EQ(statisticsJson({DataType::kFLOAT, {2}, bytesOf<float>({INFINITY, 0.25F})}),
              R"({ "min": 0.25, "max": "inf", "avg": "inf", "elements": "Infinity, 0.25" })");
    EXPECT_EQ(statisticsJson({DataType::kHALF, {0}, {}}),
              R"({ "min": null, "max": null, "avg": null, "elements": "" })");
    std::vector<uint8_t> const many{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    EXPECT_NE(statisticsJson({DataType::kUINT8, {12}, bytesOf(many)}).find("\"1, 2, 3, 4, 5, ..., 8, 9, 10, 11, 12\""),
              std::string::npos);
    std::vector<uint8_t> const ten(many.begin(), many.begin() + 10);
    EXPECT_NE(statisticsJson({DataType::kUINT8, {10}, bytesOf(ten)}).find("\"1, 2, 3, 4, 5, 6, 7, 8, 9, 10\""),
              std::string::npos);
}

TEST(TensorFiles, HaveNamesThatEveryFileSystemTakes) {
    EXPECT_EQ(safeFileName("0001_a/b:c d.npy"), "0001_a_b_c_d.npy");
    std::string const longName = safeFileName(std::string(100, 'a') + std::string(100, 'b'));
    EXPECT_EQ(longName.size(), 149U);
    EXPECT_EQ(longName.substr(72, 5), "a...b");
}

} // namespace
} // namespace trtexec

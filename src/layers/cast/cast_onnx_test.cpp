// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::OnnxNodeCase;

Literal const kX = Literal::of<float>({2}, {1.5F, -2});

TEST(CastOnnx, readsTheNameOfTheTypeUntilOpset5) {
    auto const y = OnnxNodeCase("Cast", 5).string("to", "INT64").input(kX).run()[0];
    EXPECT_EQ(y.type(), DataType::Int64);
    EXPECT_EQ(y.toInt64(), (std::vector<int64_t>{1, -2}));
    EXPECT_EQ(OnnxNodeCase("Cast", 5).string("to", "int64").input(kX).error(),
              "node (Cast, opset 5, node 0): attribute to is \"int64\"; expected the name of a type, such as FLOAT");
}

std::vector<int64_t> castTo(int64_t type, Literal const& x) {
    return OnnxNodeCase("Cast", 21).integer("to", type).input(x).run()[0].toInt64();
}

/// numpy: np.array(x).astype(np.uint16) and so on; for 4 bits the lowest ones.
TEST(CastOnnx, keepsTheLowestBitsWhereTheFilesTypeIsNarrower) {
    constexpr int64_t kUint16 = 4;
    constexpr int64_t kInt16 = 5;
    constexpr int64_t kUint32 = 12;
    constexpr int64_t kUint4 = 21;
    auto const x = Literal::of<int64_t>({5}, {-1, -17, 70000, INT64_MIN, 9});
    EXPECT_EQ(castTo(kUint4, x), (std::vector<int64_t>{15, 15, 0, 0, 9}));
    EXPECT_EQ(castTo(kUint16, x), (std::vector<int64_t>{65535, 65519, 4464, 0, 9}));
    EXPECT_EQ(castTo(kInt16, x), (std::vector<int64_t>{-1, -17, 4464, 0, 9}));
    EXPECT_EQ(castTo(kInt16, Literal::of<int32_t>({3}, {32768, -32769, INT32_MIN})),
              (std::vector<int64_t>{-32768, 32767, 0}));
    EXPECT_EQ(castTo(kUint32, x), (std::vector<int64_t>{4294967295, 4294967279, 70000, 0, 9}));
    EXPECT_EQ(castTo(kUint4, Literal::of<uint8_t>({2}, {200, 7})), (std::vector<int64_t>{8, 7}));
    EXPECT_EQ(castTo(kUint16, Literal::of<int8_t>({2}, {-1, 7})), (std::vector<int64_t>{65535, 7}));
}

TEST(CastOnnx, cutsFloatsOffAtTheEndsOfTheFilesType) {
    EXPECT_EQ(castTo(5, Literal::of<float>({2}, {-40000, 40000})), (std::vector<int64_t>{-32768, 32767}));
}

/// From ONNX's tests: -9 becomes 7 as an int4.
TEST(CastOnnx, keepsTheLowestBitsOfFloatsInTypesOf4And2Bits) {
    EXPECT_EQ(castTo(21, Literal::of<float>({3}, {-1.5F, 16, 3.7F})), (std::vector<int64_t>{15, 0, 3}));
    EXPECT_EQ(castTo(22, Literal::of<float>({2}, {-9, 8})), (std::vector<int64_t>{7, -8}));
    EXPECT_EQ(castTo(25, Literal::of<int64_t>({3}, {-1, 6, 3})), (std::vector<int64_t>{3, 2, 3}));
    EXPECT_EQ(castTo(26, Literal::of<int64_t>({3}, {-1, 6, 3})), (std::vector<int64_t>{-1, -2, -1}));
}

TEST(CastOnnx, roundsToFloatsThatTheGraphHasInAWiderType) {
    auto const y = OnnxNodeCase("Cast", 21).integer("to", 19).input(Literal::of<float>({2}, {1.1F, 1e6F})).run()[0];
    EXPECT_EQ(y.type(), DataType::Float16); // float8e5m2
    EXPECT_EQ(y.toFloat(), (std::vector<float>{1, 57344}));
}

TEST(CastOnnx, refusesAnotherRounding) {
    EXPECT_EQ(OnnxNodeCase("Cast", 25).integer("to", 24).string("round_mode", "even").input(kX).error(),
              "node (Cast, opset 25, node 0): attribute round_mode is \"even\"; expected up, down or nearest");
}

TEST(CastOnnx, takesTheTypeOfAnotherTensor) {
    auto const y = OnnxNodeCase("CastLike", 15).input(kX).input(Literal::of<int32_t>({1}, {0})).run()[0];
    EXPECT_EQ(y.type(), DataType::Int32);
}

} // namespace
} // namespace tenon

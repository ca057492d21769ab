// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::OnnxNodeCase;

Literal const kX = Literal::of<float>({4}, {1, 2.5F, -3, 1000});
Literal const kOne = Literal::scalar(1.0F);

// y = saturate(round(x / scale) + zero point)
TEST(QuantizeOnnx, takesTheTypeThatIsNamed) {
    auto const as = [](int64_t type) {
        return OnnxNodeCase("QuantizeLinear", 25).integer("output_dtype", type).input(kX).input(kOne).run()[0];
    };
    EXPECT_EQ(as(5).toInt64(), (std::vector<int64_t>{1, 2, -3, 1000})); // int16, in int32
    EXPECT_EQ(as(22).type(), DataType::Int4);
    EXPECT_EQ(as(22).toInt64(), (std::vector<int64_t>{1, 2, -3, 7}));
    EXPECT_EQ(as(21).toInt64(), (std::vector<int64_t>{1, 2, 0, 15}));     // uint4, in uint8
    EXPECT_EQ(as(26).toInt64(), (std::vector<int64_t>{1, 1, -2, 1}));     // int2, in int8
    EXPECT_EQ(as(18).toFloat(), (std::vector<float>{1, 2.5F, -3, 240}));  // float8e4m3fnuz, in float16
    EXPECT_EQ(as(27).toFloat(), (std::vector<float>{1, 2.5F, -3, 7.5F})); // float6e2m3
    EXPECT_EQ(as(23).toFloat(), (std::vector<float>{1, 2, -3, 6}));       // float4e2m1: 2.5 ties to the even 2
}

TEST(QuantizeOnnx, dividesIntegersToo) {
    auto const y = OnnxNodeCase("QuantizeLinear", 21)
                       .input(Literal::of<int32_t>({3}, {5, -5, 700}))
                       .input(Literal::scalar(2.0F))
                       .constant(Literal::scalar(int8_t{1}))
                       .run()[0];
    EXPECT_EQ(y.toInt64(), (std::vector<int64_t>{3, -1, 127})); // 2.5 and -2.5: ties to even
}

TEST(QuantizeOnnx, givesTheTypeOfTheScaleOrTheOneThatIsNamed) {
    auto const x = Literal::of<uint8_t>({2}, {3, 200});
    EXPECT_EQ(OnnxNodeCase("DequantizeLinear", 23).input(x).input(Literal::scalar(Half(0.5F))).run()[0].type(),
              DataType::Float16);
    EXPECT_EQ(OnnxNodeCase("DequantizeLinear", 23).integer("output_dtype", 16).input(x).input(kOne).run()[0].type(),
              DataType::BFloat16);
    uint8_t const power = 128;
    auto const scaled = OnnxNodeCase("DequantizeLinear", 25)
                            .integer("output_dtype", 1)
                            .input(x)
                            .input(Literal::copyOf(DataType::E8M0, {}, &power))
                            .run()[0];
    EXPECT_EQ(scaled.toFloat(), (std::vector<float>{6, 400}));
}

TEST(QuantizeOnnx, saysWhatDoesNotFit) {
    auto const error = [](std::string const& attribute, int64_t value, Literal const& zero) {
        return OnnxNodeCase("QuantizeLinear", 25)
            .integer(attribute, value)
            .input(kX)
            .input(kOne)
            .constant(zero)
            .error();
    };
    auto const zero = Literal::scalar(uint8_t{0});
    EXPECT_EQ(error("output_dtype", 3, zero), "node (QuantizeLinear, opset 25, node 0): output_dtype is int8, the zero "
                                              "point (input 2) is uint8; they must be the same");
    EXPECT_EQ(error("block_size", -2, zero),
              "node (QuantizeLinear, opset 25, node 0): attribute block_size is -2; expected 1 or more, or 0");
    EXPECT_EQ(error("precision", 6, zero),
              "node (QuantizeLinear, opset 25, node 0): precision is int32; expected float, float16 or bfloat16");
}

} // namespace
} // namespace tenon

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

TEST(CastOnnx, takesTheTypeOfAnotherTensor) {
    auto const y = OnnxNodeCase("CastLike", 15).input(kX).input(Literal::of<int32_t>({1}, {0})).run()[0];
    EXPECT_EQ(y.type(), DataType::Int32);
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;

Literal const kX = Literal::of<float>({2}, {1.5F, NAN});

TEST(IdentityOnnx, dropsNothingInInference) {
    auto const y = OnnxNodeCase("Dropout", 13, 2).input(kX).constant(Literal::scalar(0.5F)).run();
    EXPECT_EQ(numbersOf(y[0])[0], 1.5F);
    EXPECT_EQ(y[1].type(), DataType::Bool);
    EXPECT_EQ(numbersOf(y[1]), (std::vector<float>{1, 1}));
}

TEST(IdentityOnnx, givesTheMaskInTheTypeOfXUntilOpset9) {
    auto const y = OnnxNodeCase("Dropout", 7, 2).real("ratio", 0.5F).input(kX).run();
    EXPECT_EQ(y[1].type(), DataType::Float32);
    EXPECT_EQ(numbersOf(y[1]), (std::vector<float>{1, 1}));
}

TEST(IdentityOnnx, dropsNothingOfARatioOf0InTraining) { // onnx.reference
    auto const y =
        OnnxNodeCase("Dropout", 13, 2).input(kX).constant(Literal::scalar(0.0F)).constant(Literal::scalar(true)).run();
    EXPECT_EQ(numbersOf(y[0])[0], 1.5F);
    EXPECT_EQ(numbersOf(y[1]), (std::vector<float>{1, 1}));
}

TEST(IdentityOnnx, refusesTraining) {
    auto node = OnnxNodeCase("Dropout", 13).input(kX).constant(Literal::scalar(0.5F)).constant(Literal::scalar(true));
    EXPECT_EQ(node.error(),
              "node (Dropout, opset 13, node 0): training_mode is true and the ratio 0.5, which drops elements at "
              "random; export the model for inference");
    auto none = OnnxNodeCase("Dropout", 13).input(kX).absent().constant(Literal::of<int64_t>({0}, {}));
    EXPECT_NE(none.error().find("has shape [0]; expected one number"), std::string::npos) << none.error();
}

} // namespace
} // namespace tenon

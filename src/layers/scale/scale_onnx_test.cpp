// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;
using Numbers = std::vector<float>;

Literal floats(Dims const& dims, Numbers const& values) { return Literal::of(dims, values); }

// scale (x - mean) / sqrt(variance + epsilon) + bias; numbers with exact roots
Literal const kX = floats({1, 2, 2}, {1, 2, 3, 4});
Literal const kGamma = floats({2}, {2, 3});
Literal const kBias = floats({2}, {1, -1});
Literal const kMean = floats({2}, {1, 2});
Literal const kVariance = floats({2}, {3.75F, 0});
Numbers const kExpected = {1, 2, 5, 11};

TEST(ScaleOnnx, foldsConstantStatistics) {
    auto const node = OnnxNodeCase("BatchNormalization", 15)
                          .real("epsilon", 0.25F)
                          .input(kX)
                          .constant(kGamma)
                          .constant(kBias)
                          .constant(kMean)
                          .constant(kVariance);
    EXPECT_EQ(numbersOf(node.run()[0]), kExpected);
}

TEST(ScaleOnnx, computesStatisticsThatAreFed) {
    auto const node = OnnxNodeCase("BatchNormalization", 9)
                          .real("epsilon", 0.25F)
                          .input(kX)
                          .input(kGamma)
                          .constant(kBias)
                          .input(kMean)
                          .input(kVariance);
    EXPECT_EQ(numbersOf(node.run()[0]), kExpected);
}

TEST(ScaleOnnx, takesOneNumberAnElementInOpset7) {
    Literal const ones = floats({2, 2}, {1, 1, 1, 1});
    auto const node = OnnxNodeCase("BatchNormalization", 7)
                          .integer("spatial", 0)
                          .real("epsilon", 0)
                          .input(kX)
                          .constant(floats({2, 2}, {1, 2, 3, 4}))
                          .constant(ones)
                          .constant(ones)
                          .constant(ones);
    EXPECT_EQ(numbersOf(node.run()[0]), (Numbers{1, 3, 7, 13}));
}

TEST(ScaleOnnx, takesAVectorAsOneChannel) { // ONNX: with a single axis N, C is 1
    auto node = OnnxNodeCase("BatchNormalization", 15).real("epsilon", 0.25F).input(floats({3}, {1, 2, 5}));
    node.constant(floats({1}, {2})).constant(floats({1}, {1})).input(floats({1}, {1})).constant(floats({1}, {3.75F}));
    EXPECT_EQ(numbersOf(node.run()[0]), (Numbers{1, 2, 5}));
    auto wrong = OnnxNodeCase("BatchNormalization", 15).input(floats({2}, {1, 2}));
    wrong.constant(kGamma).constant(kBias).constant(kMean).constant(kVariance);
    EXPECT_EQ(wrong.error(), "node (BatchNormalization, opset 15, node 0): input 1 has shape [2] and input 0 [2], "
                             "which has one channel; expected [1]");
}

TEST(ScaleOnnx, refusesTraining) {
    auto node = OnnxNodeCase("BatchNormalization", 15).integer("training_mode", 1).input(kX);
    node.constant(kGamma).constant(kBias).constant(kMean).constant(kVariance);
    EXPECT_EQ(node.error(),
              "node (BatchNormalization, opset 15, node 0): requests the statistics of the batch (training); "
              "export the model for inference");
}

TEST(ScaleOnnx, refusesStatisticsOfDifferentSizes) {
    auto node = OnnxNodeCase("BatchNormalization", 15).input(kX).constant(kGamma).constant(kBias);
    node.constant(floats({3}, {1, 2, 3})).constant(kVariance);
    EXPECT_EQ(node.error(), "node (BatchNormalization, opset 15, node 0): input 3 has shape [3] and input 1 [2]; "
                            "expected one value per channel for each");
}

} // namespace
} // namespace tenon

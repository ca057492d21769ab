// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_node_case.h"

#include <algorithm>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::OneOp;

constexpr int64_t kFloat16 = 10;

TEST(RangeOnnx, isAsLongAsItsInputsSay) {
    auto const number = [](int64_t value) { return Literal::scalar(value); };
    OneOp range{.op = "Range", .inputs = {number(2), number(9), number(3)}};
    EXPECT_EQ(range.run(), (std::vector<Literal>{ints({3}, {2, 5, 8})}));
    range.constants = 7;
    EXPECT_EQ(range.shapes(), "[3]");
}

TEST(RangeOnnx, refusesToLoseDigits) {
    Literal const half = Literal::scalar(static_cast<Half>(1.F));
    test::OnnxNodeCase range("Range", 27);
    range.input(half).input(half).input(half).integer("stash_type", kFloat16);
    EXPECT_EQ(range.error(), "node (Range, opset 27, node 0): stash_type is 10; float16 is computed in float32 (1), "
                             "each element from the first");
}

TEST(EyeLikeOnnx, isAMatrix) {
    EXPECT_EQ(test::OnnxNodeCase("EyeLike", 9).input(floats({2}, {1, 2})).error(),
              "node (EyeLike, opset 9, node 0): input 0 has rank 1; expected a matrix");
}

TEST(RandomOnnx, drawsTheSameNumbersWithASeed) {
    using Shape = std::vector<int64_t>;
    for (std::string const op : {"RandomUniform", "RandomNormal"}) {
        OneOp one{.op = op, .opset = 22, .attributes = {{"shape", Shape{3, 4}}, {"seed", 0.5F}}};
        auto const first = one.run();
        EXPECT_EQ(text(first.at(0).dims()), "[3,4]");
        EXPECT_EQ(one.run(), first);
        one.attributes[1].value = 0.75F;
        EXPECT_NE(one.run(), first);
        one.attributes.pop_back();
        EXPECT_NE(one.run(), one.run());
        OneOp const like{
            .op = op + "Like", .opset = 22, .attributes = {{"seed", 0.5F}}, .inputs = {floats({1, 2}, {0, 0})}};
        EXPECT_EQ(text(like.run().at(0).dims()), "[1,2]");
        EXPECT_EQ(like.run().at(0).as<float>()[1], first.at(0).as<float>()[1]); // the same stream
    }
}

TEST(RandomOnnx, staysInItsRange) {
    OneOp const one{
        .op = "RandomUniform",
        .attributes = {{"shape", std::vector<int64_t>{1000}}, {"low", 5.F}, {"high", 6.F}, {"dtype", kFloat16}}};
    Literal const y = one.run().at(0);
    EXPECT_EQ(y.type(), DataType::Float16);
    for (float const number : y.toFloat()) EXPECT_TRUE(number >= 5 && number <= 6) << number;
}

TEST(BernoulliOnnx, isCertainAtItsEnds) { // probabilities 0 and 1; half of the others
    std::vector<float> chances(2000, 0.5F);
    chances[0] = 0;
    chances[1] = 1;
    OneOp const one{.op = "Bernoulli", .opset = 22, .attributes = {{"seed", 1.F}}, .inputs = {floats({2000}, chances)}};
    auto const found = one.run().at(0).toFloat();
    EXPECT_EQ(found[0], 0);
    EXPECT_EQ(found[1], 1);
    EXPECT_NEAR(static_cast<double>(std::count(found.begin(), found.end(), 1.F)), 1000, 5 * 22.4); // sqrt(n / 4)
}

} // namespace
} // namespace tenon

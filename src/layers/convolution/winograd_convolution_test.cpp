// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/empty_tensors.h"
#include "base/error.h"
#include "base/parallel.h"
#include "graph/evaluate.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/winograd_convolution_cpu.h"
#include "support/kernel_run.h"
#include "support/layer_case.h"
#include "support/one_node.h"

#include <cmath>
#include <limits>

namespace tenon::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// X · W + b, of windows of 3×3.
struct WinogradCase {
    Convolution layer;
    std::vector<Literal> inputs;

    WinogradCase(Dims const& x, int64_t outputs, int64_t groups = 1) {
        layer.groups = groups;
        layer.window.prePadding = layer.window.postPadding = {1, 1};
        Literal const w = test::spread({outputs, x[1] / groups, 3, 3}, -1, 1);
        inputs = {test::spread(x, -1, 1), w, test::spread({outputs}, -1, 1)};
    }

    template <class Use> auto with(Use const& use) const {
        test::LayerCase const layerCase{.inputs = inputs, .expected = {}, .constants = 0b110};
        test::OneNode const one(layerCase, layer, test::OneNode::fixed);
        return use(one, KernelQuery{*one.node, one.inputDims, {toDims(one.node->output()->shape)}});
    }

    /// What the kernel offers, where networks allow rounded factors or not.
    Offer offer(bool allows) const {
        return with([&](test::OneNode const&, KernelQuery query) {
            query.allowTf32 = allows;
            return offerOf(winogradConvolution(), query);
        });
    }

    Literal run() const {
        return with([&](test::OneNode const& one, KernelQuery query) {
            query.allowTf32 = true;
            Offer const offer = offerOf(winogradConvolution(), query);
            if (offer.variants.empty()) fail(ErrorCode::Internal, offer.refusal);
            NodeDims const dims{query.inputs, query.outputs};
            return test::KernelRun(*one.node, winogradConvolution(), offer.variants[0], dims)
                .run(inputs, dims.outputs)[0];
        });
    }

    Literal reference() const {
        return with([&](test::OneNode const& one, KernelQuery const&) {
            return evaluate(*one.node, test::pointersTo(inputs))[0];
        });
    }

    /// The results are within rounding: of sums of about a hundredth of their factors' number, each up to 1.
    void expect() const {
        constexpr double kUnit = 1.0 / (1 << 24);
        double const terms = static_cast<double>(inputs[1].dims().volume(1, 4));
        test::expectClose(run(), reference(), 4 * kUnit * terms, text("of ", inputs[0].dims()));
    }
};

TEST(Winograd, isWithinRoundingOfTheSums) {
    WinogradCase({1, 64, 56, 56}, 64).expect();
    WinogradCase({1, 16, 8, 8}, 16).expect();
    WinogradCase({2, 40, 13, 17}, 24).expect();
    WinogradCase({1, 128, 14, 14}, 200).expect();
    WinogradCase({1, 3, 9, 30}, 5).expect();
}

TEST(Winograd, computesGroupsOfWholeBlocks) { WinogradCase({1, 64, 11, 12}, 96, 2).expect(); }

TEST(Winograd, takesAnyPadding) {
    WinogradCase one({1, 32, 10, 9}, 32);
    one.layer.window.prePadding = {0, 3};
    one.layer.window.postPadding = {4, 0};
    one.expect();
    one.layer.window.prePadding = one.layer.window.postPadding = {0, 0};
    one.expect();
}

TEST(Winograd, dividesWidePictures) { WinogradCase({1, 32, 5, 3000}, 32).expect(); }

TEST(Winograd, finishesWithSteps) {
    WinogradCase one({1, 32, 10, 9}, 32);
    one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sum, 3}, {PointwiseOp::Clip, -1, -0.5, 2}};
    one.inputs.push_back(test::spread({1, 32, 10, 9}, -3, 3));
    one.expect();
    one.layer.epilogue = {{PointwiseOp::Clip, -1, -0.5, 0.25}, {PointwiseOp::Sigmoid}, {PointwiseOp::Sum, 3}};
    one.inputs[3] = test::spread({1, 32, 1, 1}, -3, 3); // which does not lie like the result
    one.expect();
}

/// x with this number at one place of one channel.
Literal with(Literal const& x, int64_t at, float number) {
    auto values = x.toFloat();
    values[static_cast<size_t>(at)] = number;
    return test::floats(x.dims(), values);
}

TEST(Winograd, keepsNumbersThatAreNotFiniteWhereTheyAre) {
    for (float const number : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 3e38F}) {
        WinogradCase one({1, 16, 20, 20}, 16);
        one.inputs[0] = with(one.inputs[0], 7 * 400 + 9 * 20 + 6, number);
        auto const found = one.run().toFloat();
        auto const expected = one.reference().toFloat();
        for (size_t i = 0; i < found.size(); ++i) {
            bool const isFinite = std::isfinite(expected[i]) && std::abs(expected[i]) < 1e6F;
            if (isFinite)
                ASSERT_NEAR(found[i], expected[i], 1e-4) << number << " at " << i;
            else if (std::isnan(expected[i]))
                ASSERT_TRUE(std::isnan(found[i])) << number << " at " << i;
            else
                ASSERT_TRUE(found[i] == expected[i] || std::abs(found[i] / expected[i] - 1) < 1e-5) << i;
        }
    }
}

TEST(Winograd, keepsNaNBehindARelu) {
    WinogradCase one({1, 16, 8, 8}, 16);
    one.layer.epilogue = {{PointwiseOp::Relu}};
    one.inputs[0] = with(one.inputs[0], 100, std::numeric_limits<float>::quiet_NaN());
    auto const found = one.run().toFloat();
    auto const expected = one.reference().toFloat();
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << i;
}

TEST(Winograd, isTheSameOnAnyThreads) {
    for (Dims const& x : {Dims{1, 64, 56, 56}, Dims{3, 32, 30, 31}, Dims{1, 256, 14, 14}}) {
        WinogradCase const one(x, 128);
        std::vector<std::vector<float>> found;
        for (int const threads : {1, 2, 3, 8}) {
            ThreadLimit const limit(threads);
            found.push_back(one.run().toFloat());
        }
        for (auto const& other : found) EXPECT_EQ(other, found[0]);
    }
}

TEST(Winograd, isOfferedWhereItMayRound) {
    WinogradCase one({1, 32, 10, 9}, 32);
    EXPECT_EQ(one.offer(true).variants.size(), 1U);
    EXPECT_EQ(one.offer(false).refusal, "is for networks that allow rounded factors (BuilderFlag::kTF32)");
    one.inputs[1] =
        test::floats(one.inputs[1].dims(), std::vector<float>(static_cast<size_t>(one.inputs[1].dims().volume()), 2));
    EXPECT_EQ(one.offer(true).refusal, "has no exact sums of integers");
    one.layer.window.stride = {2, 2};
    EXPECT_EQ(one.offer(true).refusal, "takes windows of 3x3 with steps of 1");
}

} // namespace
} // namespace tenon::cpu

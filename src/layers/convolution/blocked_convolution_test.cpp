// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/empty_tensors.h"
#include "base/error.h"
#include "base/parallel.h"
#include "graph/evaluate.h"
#include "graph/reformat.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/direct_convolution_cpu.h"
#include "layers/convolution/grouped_convolution_cpu.h"
#include "layers/convolution/winograd_convolution_cpu.h"
#include "support/kernel_run.h"
#include "support/layer_case.h"
#include "support/one_node.h"

#include <cmath>
#include <limits>

namespace tenon::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// X · W + b by one kernel.
struct Case {
    Kernel const* kernel;
    Convolution layer;
    std::vector<Literal> inputs;
    std::vector<DataType> types{DataType::Float32}; // that the kernel may use

    /// Windows of `w` [outputs,channels of a group,…].
    Case(Kernel const& by, Dims const& x, Dims const& w) : kernel(&by) {
        layer.groups = x[1] / w[1];
        inputs = {test::spread(x, -1, 1), test::spread(w, -1, 1), test::spread({w[0]}, -1, 1)};
    }
    Case& padded(std::vector<int64_t> const& by) {
        layer.window.prePadding = layer.window.postPadding = by;
        return *this;
    }

    template <class Use> auto with(Use const& use) const {
        test::LayerCase const layerCase{.inputs = inputs, .expected = {}, .constants = 0b110};
        test::OneNode const one(layerCase, layer, test::OneNode::fixed);
        KernelQuery query{*one.node, one.inputDims, {toDims(one.node->output()->shape)}};
        query.floatTypes = types;
        return use(one, query);
    }

    /// The kernel's offer, for networks that allow rounded factors or not.
    Offer offer(bool allows) const {
        return with([&](test::OneNode const&, KernelQuery query) {
            query.allowTf32 = allows;
            return offerOf(*kernel, query);
        });
    }

    /// Y as the kernel stores it, and its variant.
    std::pair<std::vector<float>, Variant> stored(size_t variant = 0) const {
        return with([&](test::OneNode const& one, KernelQuery query) {
            query.allowTf32 = true;
            Offer const offer = offerOf(*kernel, query);
            if (offer.variants.empty()) fail(ErrorCode::Internal, offer.refusal);
            Variant const chosen = offer.variants.at(variant);
            PrepareArgs args{*one.node, chosen, query.inputs, query.outputs, nullptr};
            args.packed = std::make_shared<Packed>(kernel->pack(args));
            auto const executable = prepared(*kernel, args);
            std::vector<std::byte> x(static_cast<size_t>(bytesOf(query.inputs[0], chosen.inputs[0])));
            reformat(query.inputs[0], {}, inputs[0].data(), chosen.inputs[0], x.data());
            std::vector<void const*> from{x.data()};
            from.resize(query.inputs.size());
            std::vector<std::byte> y(static_cast<size_t>(bytesOf(query.outputs[0], chosen.outputs[0])), std::byte{99});
            void* to = y.data();
            auto const workspace = allocateHost(executable->workspaceBytes());
            executable->run({from.data(), &to, workspace.get()});
            Dims const all{paddedVolume(query.outputs[0], chosen.outputs[0].format)};
            Literal const stored = Literal::borrowed(chosen.outputs[0].type, all, y.data(), nullptr);
            return std::pair(stored.toFloat(), chosen);
        });
    }

    /// The padding of Y after its last channel, in each format with blocked channels.
    std::vector<float> padding() const {
        std::vector<float> lanes;
        for (size_t i = 0; i < offer(true).variants.size(); ++i) {
            auto const [y, variant] = stored(i);
            auto const block = static_cast<size_t>(variant.outputs[0].format.block);
            if (block == 1) continue;
            size_t const channels = static_cast<size_t>(inputs[1].dims()[0]) % block;
            size_t const plane = static_cast<size_t>(inputs[0].dims().volume(2, inputs[0].dims().rank())) * block;
            for (size_t at = y.size() - plane; at < y.size(); ++at) {
                if (channels != 0 && at % block >= channels) lanes.push_back(y[at]);
            }
        }
        return lanes;
    }

    Literal run(size_t variant = 0) const {
        return with([&](test::OneNode const& one, KernelQuery query) {
            query.allowTf32 = true;
            Offer const offer = offerOf(*kernel, query);
            if (offer.variants.empty()) fail(ErrorCode::Internal, offer.refusal);
            NodeDims const dims{query.inputs, query.outputs};
            return test::KernelRun(*one.node, *kernel, offer.variants.at(variant), dims).run(inputs, dims.outputs)[0];
        });
    }

    Literal reference() const {
        return with([&](test::OneNode const& one, KernelQuery const&) {
            return evaluate(*one.node, test::pointersTo(inputs))[0];
        });
    }

    /// In each offered format, results are within 4 u of the number of terms, each of which is at most 1.
    void expect() const {
        constexpr double kUnit = 1.0 / (1 << 24);
        double const terms = static_cast<double>(inputs[1].dims().volume(1, inputs[1].dims().rank()));
        size_t const variants = offer(true).variants.size();
        ASSERT_NE(variants, 0U) << offer(true).refusal;
        for (size_t i = 0; i < variants; ++i)
            test::expectClose(run(i), reference(), 4 * kUnit * terms, text("of ", inputs[0].dims(), ", variant ", i));
    }
};

Case winograd(Dims const& x, int64_t outputs, int64_t groups = 1) {
    return Case(winogradConvolution(), x, {outputs, x[1] / groups, 3, 3}).padded({1, 1});
}

TEST(Winograd, isWithinRoundingOfTheSums) {
    winograd({1, 64, 56, 56}, 64).expect();
    winograd({1, 16, 8, 8}, 16).expect();
    winograd({2, 40, 13, 17}, 24).expect();
    winograd({1, 128, 14, 14}, 200).expect();
    winograd({1, 3, 9, 30}, 5).expect();
}

TEST(Winograd, computesGroupsOfWholeBlocks) { winograd({1, 64, 11, 12}, 96, 2).expect(); }

TEST(Winograd, takesAnyPadding) {
    Case one = winograd({1, 32, 10, 9}, 32);
    one.layer.window.prePadding = {0, 3};
    one.layer.window.postPadding = {4, 0};
    one.expect();
    one.layer.window.prePadding = one.layer.window.postPadding = {0, 0};
    one.expect();
}

TEST(Winograd, dividesWideImages) { winograd({1, 32, 5, 3000}, 32).expect(); }

TEST(Winograd, finishesWithSteps) {
    Case one = winograd({1, 32, 10, 9}, 32);
    one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sum, 3}, {PointwiseOp::Clip, -1, -0.5, 2}};
    one.inputs.push_back(test::spread({1, 32, 10, 9}, -3, 3));
    one.expect();
    one.layer.epilogue = {{PointwiseOp::Clip, -1, -0.5, 0.25}, {PointwiseOp::Sigmoid}, {PointwiseOp::Sum, 3}};
    one.inputs[3] = test::spread({1, 32, 1, 1}, -3, 3); // which is not stored like the result
    one.expect();
}

/// x with this number at one position of one channel.
Literal with(Literal const& x, int64_t at, float number) {
    auto values = x.toFloat();
    values[static_cast<size_t>(at)] = number;
    return test::floats(x.dims(), values);
}

TEST(Winograd, keepsNumbersThatAreNotFiniteWhereTheyAre) {
    for (float const number : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 3e38F}) {
        Case one = winograd({1, 16, 20, 20}, 16);
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

TEST(Winograd, keepsGreatElementsFromTheWindowsBesideThem) {
    for (float const number : {2e3F, 1e4F, -1e9F, 1e30F}) {
        Case one = winograd({1, 16, 20, 20}, 16);
        one.inputs[0] = with(one.inputs[0], 7 * 400 + 9 * 20 + 6, number);
        auto const found = one.run().toFloat();
        auto const expected = one.reference().toFloat();
        for (size_t i = 0; i < found.size(); ++i) {
            size_t const row = i / 20 % 20;
            bool const seesIt = row >= 8 && row <= 10 && i % 20 >= 5 && i % 20 <= 7;
            if (!seesIt) {
                ASSERT_NEAR(found[i], expected[i], 2e-4) << number << " at " << i;
            }
        }
    }
}

TEST(Winograd, computesNothingFromNothing) { // windows of zeros beside others give exactly the bias
    Case one = winograd({1, 16, 16, 16}, 16);
    auto values = one.inputs[0].toFloat();
    for (size_t i = 0; i < values.size(); ++i) {
        if (i % 16 >= 6) values[i] = 0;
    }
    one.inputs[0] = test::floats({1, 16, 16, 16}, values);
    auto const found = one.run().toFloat();
    auto const bias = one.inputs[2].toFloat();
    for (size_t i = 0; i < found.size(); ++i) {
        if (i % 16 >= 7) {
            ASSERT_EQ(found[i], bias[i / 256]) << i;
        }
    }
}

TEST(Winograd, keepsNaNAfterARelu) {
    Case one = winograd({1, 16, 8, 8}, 16);
    one.layer.epilogue = {{PointwiseOp::Relu}};
    one.inputs[0] = with(one.inputs[0], 100, std::numeric_limits<float>::quiet_NaN());
    auto const found = one.run().toFloat();
    auto const expected = one.reference().toFloat();
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << i;
}

void expectTheSameOnAnyThreads(Case const& one) {
    for (size_t variant = 0; variant < one.offer(true).variants.size(); ++variant) {
        std::vector<std::vector<float>> found;
        for (int const threads : {1, 2, 3, 8}) {
            ThreadLimit const limit(threads);
            found.push_back(one.run(variant).toFloat());
        }
        for (auto const& other : found) EXPECT_EQ(other, found[0]) << text(one.inputs[0].dims(), ", variant ", variant);
    }
}

TEST(Winograd, isTheSameOnAnyThreads) {
    for (Dims const& x : {Dims{1, 64, 56, 56}, Dims{3, 32, 30, 31}, Dims{1, 256, 14, 14}})
        expectTheSameOnAnyThreads(winograd(x, 128));
}

TEST(Winograd, isOfferedWhereItMayRound) {
    Case one = winograd({1, 32, 10, 9}, 32);
    EXPECT_EQ(one.offer(true).variants.size(), 1U);
    EXPECT_EQ(one.offer(false).refusal, "requires BuilderFlag::kTF32, which allows rounded factors");
    one.inputs[1] =
        test::floats(one.inputs[1].dims(), std::vector<float>(static_cast<size_t>(one.inputs[1].dims().volume()), 2));
    EXPECT_EQ(one.offer(true).refusal, "does not sum integers exactly");
    one.layer.window.stride = {2, 2};
    EXPECT_EQ(one.offer(true).refusal, "supports windows of 3x3 with strides of 1");
}

Case direct(Dims const& x, Dims const& w) { return {directConvolution(), x, w}; }

TEST(DirectConvolution, takesWeightsInPieces) { // that do not fit in a cache, and channels that do not fill a block
    direct({1, 200, 9, 11}, {70, 200, 3, 3}).padded({1, 1}).expect();
    direct({2, 1000, 5, 5}, {100, 1000, 1, 1}).expect();
}

TEST(DirectConvolution, takesGroupsOfWholeBlocks) {
    direct({1, 64, 9, 9}, {96, 32, 3, 3}).padded({1, 1}).expect();
    direct({2, 32, 6, 7}, {32, 16, 1, 1}).expect();
}

TEST(DirectConvolution, takesAnyGroupsOfChannelsThatAreLast) {
    for (int64_t const groups : {2, 3, 4}) {
        Case one = direct({2, 20 * groups, 9, 8}, {17 * groups, 20, 3, 3}).padded({1, 1});
        one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sigmoid}};
        EXPECT_EQ(one.offer(true).variants.size(), 1U);
        one.expect();
    }
    direct({2, 32, 9, 8}, {34, 16, 1, 1}).expect(); // blocks that are read alone
}

TEST(DirectConvolution, leavesGroupsOfFewChannels) {
    int64_t const few = channelBlock() / 2;
    EXPECT_EQ(direct({1, 4 * few, 5, 5}, {4 * few, few, 3, 3}).offer(true).refusal,
              text("supports groups of ", channelBlock(), " channels and more, not ", few));
}

TEST(DirectConvolution, takesOneToThreeAxes) {
    direct({2, 20, 100}, {24, 20, 5}).padded({2}).expect();
    direct({1, 16, 6, 7, 8}, {16, 16, 3, 2, 3}).padded({1, 0, 1}).expect();
    Case dilated = direct({1, 16, 9, 8, 10}, {8, 16, 2, 3, 2});
    dilated.layer.window.dilation = {3, 2, 4};
    dilated.expect();
    dilated.padded({2, 1, 3}).expect();
}

TEST(DirectConvolution, takesStridesWiderThanWindows) {
    Case one = direct({1, 16, 20, 23}, {32, 16, 2, 2});
    one.layer.window.stride = {3, 5};
    one.expect();
    one.padded({1, 4}).expect();
}

TEST(DirectConvolution, takesWindowsThatSeePaddingOnly) {
    direct({1, 16, 3, 3}, {16, 16, 2, 2}).padded({2, 1}).expect();
    Case rounded = direct({1, 16, 6, 6}, {16, 16, 3, 3});
    rounded.layer.window.stride = {2, 2};
    rounded.layer.window.paddingMode = PaddingMode::ExplicitRoundUp;
    rounded.expect();
}

TEST(DirectConvolution, refusesMorePaddingThanInput) {
    Case one = direct({1, 16, 8, 8}, {16, 16, 3, 3}).padded({9, 9});
    one.layer.window.dilation = {9, 9};
    EXPECT_EQ(one.offer(true).refusal, "would copy more padding than input");
}

TEST(DirectConvolution, readsLinearInputOfFewChannels) {
    Case one = direct({1, 3, 30, 31}, {24, 3, 7, 7}).padded({3, 3});
    one.layer.window.stride = {2, 2};
    std::vector<Format> formats;
    for (Variant const& variant : one.offer(false).variants) formats.push_back(variant.inputs[0].format);
    EXPECT_EQ(std::ranges::count(formats, Format::linear()), 2);
    one.expect();
}

TEST(DirectConvolution, dividesLongSignals) {
    expectTheSameOnAnyThreads(direct({1, 32, 20000}, {32, 32, 3}).padded({1}));
}

TEST(DirectConvolution, isTheSameOnAnyThreads) {
    expectTheSameOnAnyThreads(direct({1, 64, 57, 56}, {64, 64, 3, 3}).padded({1, 1}));
    expectTheSameOnAnyThreads(direct({1, 512, 7, 7}, {512, 512, 3, 3}).padded({1, 1}));
    expectTheSameOnAnyThreads(direct({3, 64, 28, 28}, {200, 64, 1, 1}));
}

TEST(DirectConvolution,
     finishesWithSteps) { // the second of which is not zero at zero, with channels that do not fill a block
    Case one = direct({1, 32, 10, 9}, {20, 32, 3, 3}).padded({1, 1});
    one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sigmoid}, {PointwiseOp::Sum, 3}};
    one.inputs.push_back(test::spread({1, 20, 10, 9}, -3, 3));
    one.expect();
    Case cut = direct({1, 64, 14, 14}, {500, 64, 1, 1}); // between channels
    cut.layer.epilogue = one.layer.epilogue;
    cut.inputs.push_back(test::spread({1, 500, 14, 14}, -3, 3));
    cut.expect();
}

Case depthwise(Dims const& x, std::vector<int64_t> const& window) {
    Dims w{x[1], 1};
    for (int64_t const extent : window) w.push(extent);
    return {groupedConvolution(), x, w};
}

TEST(GroupedConvolution, takesAnyWindow) {
    for (int64_t const size : {1, 2, 3, 4, 5, 7}) {
        depthwise({2, 20, 15, 14}, {size, size}).padded({size / 2, size / 2}).expect();
        depthwise({1, 16, 9, 40}, {3, size}).padded({0, size - 1}).expect();
    }
}

TEST(GroupedConvolution, takesStridesAndDilations) {
    for (int64_t const stride : {2, 3}) {
        for (int64_t const dilation : {1, 2}) {
            Case one = depthwise({1, 24, 17, 33}, {3, 5}).padded({1, 3});
            one.layer.window.stride = {stride, 5 - stride};
            one.layer.window.dilation = {dilation, dilation};
            one.expect();
        }
    }
}

TEST(GroupedConvolution, takesOneAxis) { depthwise({2, 20, 100}, {9}).padded({4}).expect(); }

TEST(GroupedConvolution, finishesWithSteps) {
    Case one = depthwise({2, 52, 12, 11}, {3, 3}).padded({1, 1});
    one.layer.epilogue = {{PointwiseOp::Clip, -1, 0.25, 6}, {PointwiseOp::Sigmoid}, {PointwiseOp::Sum, 3}};
    one.inputs.push_back(test::spread({2, 52, 12, 11}, -3, 3));
    one.expect();
}

TEST(GroupedConvolution, dividesLongSignals) {
    Case one = depthwise({1, 250, 2000}, {15}).padded({7});
    one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sigmoid}, {PointwiseOp::Sum, 3}};
    one.inputs.push_back(test::spread({1, 250, 2000}, -3, 3));
    one.expect();
    expectTheSameOnAnyThreads(one);
}

TEST(GroupedConvolution, isTheSameOnAnyThreads) {
    expectTheSameOnAnyThreads(depthwise({1, 32, 112, 112}, {3, 3}).padded({1, 1}));
    expectTheSameOnAnyThreads(depthwise({2, 960, 7, 7}, {5, 5}).padded({2, 2}));
}

TEST(GroupedConvolution, takesGroupsOfFewChannels) {
    for (int64_t group = 2; group < channelBlock(); group *= 2) {
        for (int64_t const groups : {1 + 16 / group, 64 / group}) {
            Case one = direct({2, groups * group, 11, 12}, {groups * group, group, 3, 3}).padded({1, 1});
            one.kernel = &groupedConvolution();
            one.expect();
            one.layer.window.stride = {2, 3};
            one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sigmoid}};
            one.expect();
        }
    }
}

TEST(GroupedConvolution, refusesOtherGroups) {
    std::string const refusal =
        text("supports groups of 1, 2, 4 … channels, fewer than ", channelBlock(), ", of X and of Y");
    for (Dims const& w : {Dims{32, 16, 3, 3}, Dims{64, 4, 3, 3}, Dims{32, 32, 3, 3}}) {
        Case one = direct({1, 32, 5, 5}, w);
        one.kernel = &groupedConvolution();
        EXPECT_EQ(one.offer(false).refusal, refusal);
    }
    Case one = direct({1, 36, 5, 5}, {36, 3, 3, 3});
    one.kernel = &groupedConvolution();
    EXPECT_EQ(one.offer(false).refusal, refusal);
}

/// The padding of the last block of channels is zero, also if infinite numbers made it NaN.
TEST(BlockedConvolutions, leaveThePaddingOfChannelsZero) {
    Case few = winograd({1, 20, 10, 9}, 20, 20);
    few.inputs[1] = test::spread({20, 1, 3, 3}, -1, 1);
    few.kernel = &groupedConvolution();
    Case many = winograd({1, 32, 10, 9}, 20);
    std::vector<Case> cases{few, many, many, few, many};
    cases[1].kernel = cases[4].kernel = &directConvolution();
    cases[3].types = cases[4].types = {DataType::BFloat16};
    for (Case& one : cases) {
        one.layer.epilogue = {{PointwiseOp::Clip, -1, 0, 6}};
        one.inputs[0] = with(one.inputs[0], 33, kInfinity);
        auto const padding = one.padding();
        ASSERT_FALSE(padding.empty()) << one.kernel->name();
        for (float const lane : padding) ASSERT_EQ(lane, 0) << one.kernel->name();
    }
}

} // namespace
} // namespace tenon::cpu

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/direct_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/through_float.h"
#include "layers/convolution/blocked_convolution_cpu.h"
#include "layers/convolution/convolution_shape.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
double costOf(PrepareArgs const& args) {
    BlockedConvolution const p = blockedOf(args);
    double const inBlocks = p.xBlock == 1 ? 0.9 : 1;
    double const isLast = p.xIsLast || p.yIsLast ? 0.95 : 1; // more cache lines per position
    return blockedCost(args, p, kBlockedSpeed * inBlocks * isLast);
}

class DirectConvolution final : public Kernel {
public:
    std::string_view name() const override { return "direct_convolution"; }

    // float32 and bfloat16, channels in blocks or last; few input channels also linear
    Offer offer(KernelQuery const& query) const override {
        if (std::string refusal = directRefusal(query); !refusal.empty()) return Offer::refuse(std::move(refusal));
        int64_t const groups = ConvolutionShape(query.node, query.inputs).groups;
        Format const blocked = Format::blocked(channelBlock());
        auto const formatsOf = [&](int64_t channels) {
            std::vector<Format> all{Format::nhwc()};
            if (hasWholeBlocks(channels, groups)) all.push_back(blocked);
            return all;
        };
        std::vector<FormatPair> formats;
        for (Format const& y : formatsOf(query.outputs[0][1])) {
            for (Format const& x : formatsOf(query.inputs[kX][1])) formats.emplace_back(x, y);
            bool const areFew = query.inputs[kX][1] <= 4 && groups == 1;
            if (areFew) formats.emplace_back(Format::linear(), y);
        }
        return offerBlocked(query, formats, costOf, directTakesPairs(query));
    }

    Packed pack(PrepareArgs const& args) const override { return packBlocked(args); }
    std::string packKey(Variant const& variant) const override { return blockedPackKey(variant); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [&](PrepareArgs const& inner) {
            auto const run = [&](HotSteps steps) { return runDirectly(inner, std::move(steps)); };
            return finishedHot(inner, run, {.adds = true});
        });
    }
};

} // namespace

std::string directRefusal(KernelQuery const& query) {
    if (std::string refusal = blockedRefusal(query); !refusal.empty()) return refusal;
    ConvolutionShape const shape(query.node, query.inputs);
    int64_t const channels = std::min(query.inputs[kX][1], query.outputs[0][1]) / shape.groups;
    if (shape.groups != 1 && channels < channelBlock())
        return text("supports groups of ", channelBlock(), " channels and more, not ", channels);
    // elements in windows are copied, including gaps of a dilation
    constexpr double kMostCopied = 4;
    double copied = 1;
    for (FixedSlide const& slide : shape.slides) {
        int64_t const seen = (slide.out - 1) * slide.stride + (slide.size - 1) * slide.dilation + 1;
        copied *= static_cast<double>(seen) / static_cast<double>(slide.in);
    }
    return copied > kMostCopied ? "would copy more padding than input" : "";
}

bool directTakesPairs(KernelQuery const& query) {
    int64_t const channels = query.inputs[kX][1] / ConvolutionShape(query.node, query.inputs).groups;
    return multipliesPairs() && channels % perWord(DataType::BFloat16) == 0;
}

std::unique_ptr<Executable> runDirectly(PrepareArgs const& args, HotSteps steps) {
    return runBlocked(args, blockedOf(args), std::move(steps), costOf(args));
}

Kernel const& directConvolution() {
    static constexpr DirectConvolution kernel;
    return kernel;
}

} // namespace tenon::cpu

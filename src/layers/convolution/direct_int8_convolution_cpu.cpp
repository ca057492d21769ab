// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/direct_int8_convolution_cpu.h"

#include "backends/cpu/isa.h"
#include "base/error.h"
#include "layers/convolution/blocked_convolution_cpu.h"
#include "layers/convolution/direct_convolution_cpu.h"
#include "layers/convolution/int8_convolution_cpu.h"

namespace tenon::cpu {
namespace {

double costOf(PrepareArgs const& args) { return blockedCost(args, blockedOf(args), kBlockedSpeed); }

/// Y has channels last: as columns of its rows.
HotSteps stepsOf(PrepareArgs const& args) {
    return {args, ConvolutionShape(args.node, args.inputs).epilogue, {.axis = 1, .adds = true}};
}

/// Why it does not support a node that int8 kernels support, as a clause; empty if it does.
std::string refusal(KernelQuery const& query) {
    if (!multipliesQuads()) return "requires AVX-512 with VNNI";
    ConvolutionShape const shape(query.node, query.inputs);
    if (std::string why = directRefusal(query); !why.empty()) return why;
    int64_t const channels = query.inputs[ConvolutionShape::kX][1] / shape.groups;
    if (channels % perWord(DataType::Int8) != 0) return text("requires a multiple of 4 channels, not ", channels);
    return {};
}

class DirectInt8Convolution final : public Kernel {
public:
    std::string_view name() const override { return "direct_int8_convolution"; }

    // X in integers, Y in float32 or integers, channels last
    Offer offer(KernelQuery const& query) const override {
        ConvolutionShape const shape(query.node, query.inputs);
        if (std::string why = int8Refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
        if (std::string why = refusal(query); !why.empty()) return Offer::refuse(std::move(why));
        Offer offer;
        for (Variant variant : int8Variants(query)) {
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            if (stepsOf(args).count() != shape.epilogue.size()) continue;
            variant.cost = costOf(args);
            offer.variants.push_back(std::move(variant));
        }
        if (offer.variants.empty()) offer.refusal = "does not support the layout of an operand of the epilogue";
        return offer;
    }

    Packed pack(PrepareArgs const& args) const override { return packBlocked(args); }
    std::string packKey(Variant const& variant) const override { return blockedPackKey(variant); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        HotSteps steps = stepsOf(args);
        if (steps.count() != ConvolutionShape(args.node, args.inputs).epilogue.size()) // a plan may be malformed
            fail(ErrorCode::Unsupported, args.node, ": its epilogue does not fit the layout of its output");
        return runBlocked(args, blockedOf(args), std::move(steps), costOf(args));
    }
};

} // namespace

Kernel const& directInt8Convolution() {
    static constexpr DirectInt8Convolution kernel;
    return kernel;
}

} // namespace tenon::cpu

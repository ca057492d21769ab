// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/onednn.h"

namespace tenon::cpu {
namespace {

class OneDnnSoftmax final : public Kernel {
public:
    std::string_view name() const override { return "onednn_softmax"; }

    // float32 and bfloat16, dense
    Offer offer(KernelQuery const& query) const override {
        Tensor const& x = *query.node.input(0);
        Offer offer;
        for (DataType type : query.typesOf(x)) {
            if (type != DataType::Float32 && type != DataType::BFloat16) continue;
            Label const label{type, Format::linear(), Device::Cpu};
            auto const elements = static_cast<double>(query.inputs[0].volume());
            offer.variants.push_back({.inputs = {label}, .outputs = {label}, .cost = elements});
        }
        if (offer.variants.empty()) offer.refusal = text("takes float32 and bfloat16, not ", x.type);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& softmax = *as<Softmax>(*args.node.layer);
        return guardDnnl(args.node, name(), [&] {
            return makeSoftmax({describe(args.inputs[0], args.variant.inputs[0]),
                                describe(args.outputs[0], args.variant.outputs[0]),
                                resolveAxis(softmax.axis, args.inputs[0].rank()), softmax.log});
        });
    }
};

constexpr OneDnnSoftmax kOneDnn;
constexpr Kernel const* kKernels[]{&kOneDnn};

} // namespace

KernelList softmaxKernels() { return {Softmax::kKind, kKernels}; }

} // namespace tenon::cpu

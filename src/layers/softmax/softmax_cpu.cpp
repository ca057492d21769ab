// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/onednn.h"
#include "backends/cpu/through_float.h"

namespace tenon::cpu {
namespace {

class OneDnnSoftmax final : public Kernel {
public:
    std::string_view name() const override { return "onednn_softmax"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        if (!isCounted(query.inputs[0].span())) return Offer::refuse(text("takes extents up to ", INT32_MAX));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            auto const elements = static_cast<double>(query.inputs[0].volume());
            Variant const variant{.inputs = {label}, .outputs = {label}, .cost = elements};
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return throughFloat(args, prepareInFloat); });
    }

private:
    static std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args) {
        auto const& softmax = *as<Softmax>(*args.node.layer);
        if (!isCounted(args.inputs[0].span()))
            fail(ErrorCode::Unsupported, args.node, ": oneDNN takes extents up to ", INT32_MAX, ", not ",
                 args.inputs[0]);
        return makeSoftmax({describe(args.inputs[0], args.variant.inputs[0]),
                            describe(args.outputs[0], args.variant.outputs[0]),
                            resolveAxis(softmax.axis, args.inputs[0].rank()), softmax.log});
    }
};

constexpr OneDnnSoftmax kOneDnn;
constexpr Kernel const* kKernels[]{&kOneDnn};

} // namespace

KernelList softmaxKernels() { return {Softmax::kKind, kKernels}; }

} // namespace tenon::cpu

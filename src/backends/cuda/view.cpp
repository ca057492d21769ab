// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/view.h"

#include "backends/cuda/copy_bytes.h"
#include "backends/cuda/int8_labels.h"
#include "backends/quantized_views.h"

namespace tenon::cuda {

Offer offerView(KernelQuery const& query) {
    Offer offer = offerMoving(query, {}, formatsOf(keepsChannels(query.node), {Format::nhwc(), Format::nhwc(8)}));
    for (Variant& variant : offer.variants) {
        variant.view = true;
        variant.cost = 0; // nothing runs, unless the engine's own inputs or outputs are copied
    }
    return alsoInInt8(std::move(offer));
}

void offerInt8Views(KernelQuery const& query, Quantum const& quantum, Offer& offer) {
    auto const formats = formatsOf(hasChannels(query.inputs[0].rank()), {Format::nhwc(), Format::nhwc(16)});
    Offer views;
    offerViews(query, quantum, formats, kCuda, views);
    for (Variant& view : views.variants) {
        view.inputs[0] = inInt8(view.inputs[0]);
        view.outputs[0] = inInt8(view.outputs[0]);
        offer.variants.push_back(std::move(view));
    }
}

std::unique_ptr<Executable> makeView(PrepareArgs const& args) {
    return std::make_unique<CopyBytes>(bytesOf(args.inputs[0], args.variant.inputs[0]));
}

namespace {

class ViewKernel final : public Kernel {
public:
    std::string_view name() const override { return "cuda_view"; }
    Offer offer(KernelQuery const& query) const override { return offerView(query); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

constexpr ViewKernel kView;
constexpr Kernel const* kKernels[]{&kView};

} // namespace

std::span<Kernel const* const> viewKernels() { return kKernels; }

} // namespace tenon::cuda

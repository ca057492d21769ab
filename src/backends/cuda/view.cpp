// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/view.h"

#include "backends/cuda/copy_bytes.h"
#include "backends/cuda/int8_labels.h"
#include "backends/host_lists.h"
#include "backends/quantized_views.h"

namespace tenon::cuda {
namespace {

/// Formats that move channels keep their bytes as long as batch and channels stay and only the other axes are
/// regrouped.
bool keepsChannels(Tensor const& x, Tensor const& y) {
    return x.shape.size() >= 3 && y.shape.size() >= 3 && x.shape[0] == y.shape[0] && x.shape[1] == y.shape[1];
}

} // namespace

Variant movingVariant(KernelQuery const& query, Label const& label) {
    Variant variant{.inputs = {label}, .outputs = {label}};
    addHostInputs(query.node, variant);
    auto const bytes = static_cast<double>(bytesOf(query.inputs[0], label) + bytesOf(query.outputs[0], label));
    variant.cost = kernelCost(bytes);
    return variant;
}

Offer offerView(KernelQuery const& query) {
    Tensor const& x = *query.node.input(0);
    auto const formats = formatsOf(keepsChannels(x, *query.node.output()), {Format::nhwc(), Format::nhwc(8)});
    return alsoInInt8(offerTypes(query, x, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) {
            offer.variants.push_back(movingVariant(query, {type, format, kCuda}));
            offer.variants.back().view = true;
            offer.variants.back().cost = 0; // nothing runs, unless the engine's own inputs or outputs are copied
        }
    }));
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

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/quantized_views.h"

namespace tenon {

void offerViews(KernelQuery const& query, Quantum const& quantum, std::span<Format const> formats, Device device,
                Offer& offer) {
    Node const& node = query.node;
    Tensor const& reals = isFloat(node.output()->type) ? *node.output() : *node.input(0);
    if (!query.mayBeInt8(reals) || !quantum.isLike(reals.quantum)) return;
    for (Format const& format : formats) {
        Label x{quantum.type, format, device};
        Label y = Label::of(quantum, format, device);
        if (&reals == node.input(0)) std::swap(x, y);
        Variant variant{.inputs = {x}, .outputs = {y}, .view = true};
        for (size_t i = 1; i < node.inputs().size(); ++i) {
            Tensor const* const other = node.inputs()[i];
            variant.inputs.push_back({other ? other->type : DataType::Float32, Format::linear(), device});
        }
        offer.variants.push_back(std::move(variant));
    }
}

} // namespace tenon

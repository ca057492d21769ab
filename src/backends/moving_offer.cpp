// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/moving_offer.h"

namespace tenon {
namespace {

/// The labels of one variant, in which elements of the network's type `type` have the label `moved`.
Variant labelled(Node const& node, Moving const& moving, DataType type, Label const& moved) {
    auto const labelOf = [&](Tensor const& tensor) {
        if (tensor.type != type) return Label{tensor.type, Format::linear(), moved.device};
        return Label{moved.type, tensor.shape.size() < 3 ? Format::linear() : moved.format, moved.device};
    };
    Variant variant;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        Tensor const* const tensor = node.inputs()[i];
        bool const onHost = node.layer->readsValuesOf(static_cast<int>(i));
        if (onHost || moving.keepsInputs)
            variant.inputs.push_back({tensor ? tensor->type : DataType::Float32, Format::linear(),
                                      onHost ? Device(Device::Cpu) : moved.device});
        else
            variant.inputs.push_back(tensor ? labelOf(*tensor) : Label{moved.type, Format::linear(), moved.device});
    }
    for (Tensor const* output : node.outputs()) variant.outputs.push_back(labelOf(*output));
    return variant;
}

/// The bytes that the kernel moves in this variant.
double bytesMoved(KernelQuery const& query, Moving const& moving, Variant const& variant) {
    double bytes = moving.writes * static_cast<double>(bytesOf(query.outputs[0], variant.outputs[0]));
    for (size_t i = 0; i < moving.reads.size(); ++i) {
        if (moving.reads[i] != 0)
            bytes += moving.reads[i] * static_cast<double>(bytesOf(query.inputs[i], variant.inputs[i]));
    }
    return bytes;
}

} // namespace

Offer offerMoving(KernelQuery const& query, MovingDevice const& on, Moving const& moving,
                  std::vector<Format> const& formats) {
    Tensor const& elements = moving.elements ? *moving.elements : *query.node.output();
    return offerTypes(query, elements, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) {
            Variant variant = labelled(query.node, moving, elements.type, {type, format, on.device});
            variant.cost = moving.ns + on.costOf(bytesMoved(query, moving, variant));
            offer.variants.push_back(std::move(variant));
        }
    });
}

bool keepsChannels(Node const& node) {
    Shape const& x = node.input(0)->shape;
    Shape const& y = node.output()->shape;
    return x.size() >= 3 && y.size() >= 3 && x[0] == y[0] && x[1] == y[1];
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/moved_integers.h"

#include "backends/empty_tensors.h"

#include <algorithm>

namespace tenon {
namespace {

bool isKeptAs(KernelQuery const& query, Tensor const* tensor, Quantum const& common) {
    return tensor && query.mayBeSymmetric(*tensor) && tensor->quantum.isLike(common);
}

/// The number of leading inputs that are moved to an output that may be stored in the same integers; 0 if they may not,
/// or the layer computes. Zeros that a layer adds are 0 in integers too.
int inputsMovedAlike(KernelQuery const& query) {
    Node const& node = query.node;
    Quantum const& common = node.output()->quantum;
    if (!isKeptAs(query, node.output(), common)) return 0;
    int const moved = movedInputs(node).count;
    bool areAlike = true;
    for (int i = 0; i < moved; ++i) areAlike = areAlike && isKeptAs(query, node.input(i), common);
    return areAlike ? moved : 0;
}

/// Marks a variant for int8 as one for floating-point tensors stored in these integers. False: it is not for int8, or
/// it also reads floating-point tensors that are not moved.
bool keep(Variant& variant, Node const& node, size_t moved, Quantum const& quantum) {
    if (variant.outputs[0].type != quantum.type) return false;
    variant.outputs[0].scale = quantum.scale;
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        Label& label = variant.inputs[i];
        if (i < moved && label.type != quantum.type) return false;
        if (i < moved) label.scale = quantum.scale;
        Tensor const* const other = i < moved || i >= node.inputs().size() ? nullptr : node.inputs()[i];
        if (other && label.type != other->type) return false;
    }
    return true;
}

} // namespace

Offer offerWithIntegers(Kernel const& kernel, KernelQuery const& query) {
    Offer offer = offerOf(kernel, query);
    auto const moved = static_cast<size_t>(inputsMovedAlike(query));
    if (moved == 0) return offer;
    Quantum const& quantum = query.node.output()->quantum;
    KernelQuery integers = query;
    integers.floatTypes = {quantum.type};
    for (Variant& variant : offerOf(kernel, integers).variants) {
        if (keep(variant, query.node, moved, quantum)) offer.variants.push_back(std::move(variant));
    }
    return offer;
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/moved_integers.h"

#include "backends/empty_tensors.h"
#include "layers/expand/expand.h"
#include "layers/identity/identity.h"
#include "layers/moved_inputs.h"
#include "layers/resize/resize.h"
#include "layers/slice/slice.h"

#include <algorithm>

namespace tenon {
namespace {

/// How many of the first inputs the elements of the output come from, but for zeros, which are 0 in integers too.
size_t inputsMovedBy(Node const& node) {
    Layer const& layer = *node.layer;
    auto const* resize = as<Resize>(layer);
    bool const repeats =
        resize && resize->mode == Resize::Mode::Nearest && resize->coordinates != Resize::Coordinates::TfCropAndResize;
    bool const padsZeros = as<Slice>(layer) && node.input(Slice::kFill) == nullptr;
    return repeats || padsZeros || as<Expand>(layer) || as<Identity>(layer) ? 1 : movedInputs(node);
}

/// The integers that all tensors may be kept in whose elements are moved; null where there are none.
Quantum const* commonQuantum(KernelQuery const& query, size_t moved) {
    Quantum const& common = query.node.output()->quantum;
    auto const isKeptAlike = [&](Tensor const* tensor) {
        return tensor && query.mayBeSymmetric(*tensor) && tensor->quantum.isLike(common);
    };
    bool const areAlike = std::ranges::all_of(
        query.node.inputs().begin(), query.node.inputs().begin() + static_cast<std::ptrdiff_t>(moved), isKeptAlike);
    return areAlike && isKeptAlike(query.node.output()) ? &common : nullptr;
}

/// Says of a variant for int8 that it is for real numbers kept in these integers. False: it is not for int8, or takes
/// real numbers that are not moved in it, too.
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
    size_t const moved = inputsMovedBy(query.node);
    Quantum const* const quantum = moved == 0 ? nullptr : commonQuantum(query, moved);
    if (quantum == nullptr) return offer;
    KernelQuery integers = query;
    integers.floatTypes = {quantum->type};
    for (Variant& variant : offerOf(kernel, integers).variants) {
        if (keep(variant, query.node, moved, *quantum)) offer.variants.push_back(std::move(variant));
    }
    return offer;
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/candidates.h"

#include <algorithm>

namespace tenon {

bool isSameWay(Assignment const& a, Assignment const& b) {
    return a.node == b.node && a.kernel == b.kernel && a.variant.inputs == b.variant.inputs &&
           a.variant.outputs == b.variant.outputs && a.variant.packed == b.variant.packed &&
           a.variant.tactic == b.variant.tactic;
}

bool isOnHost(Variant const& variant) {
    auto const inHost = [](Label const& label) { return label.device == Device::Cpu; };
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        if (!variant.packs(i) && !inHost(variant.inputs[i])) return false;
    }
    return std::ranges::all_of(variant.outputs, inHost);
}

} // namespace tenon

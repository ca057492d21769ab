// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/constant/constant.h"

#include <cstring>

namespace tenon {

namespace layers {
LayerEntry constantLayer() { return entryOf<Constant>(); }
} // namespace layers

// → Y [the shape of the value]
std::vector<Result> Constant::infer(Operands const& in) const {
    in.expectCount(0, 0);
    return {{value.type(), toShape(value.dims())}}; // operandsOf() passes the literal itself to consumers
}

void Constant::reference(std::span<HostTensor const>, std::span<HostTensor const> out) const {
    if (value.bytes() != 0) std::memcpy(out[0].data, value.data(), value.bytes());
}

} // namespace tenon

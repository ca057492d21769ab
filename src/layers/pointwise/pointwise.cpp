// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {

namespace layers {
LayerEntry pointwiseLayer() { return entryOf<Pointwise>(); }
} // namespace layers

// X… [any] → Y [broadcast of all]
std::vector<Result> Pointwise::infer(Operands const& in) const {
    in.expectCount(1, std::max(in.count(), 1));
    Shape shape;
    for (int i = 0; i < in.count(); ++i) {
        if (!in.has(i)) fail(ErrorCode::InvalidArgument, "input ", i, " is missing");
        in.expectFloat(i).expectSameType(0, i);
        shape = broadcast(shape, in[i].shape);
    }
    checkSteps(steps, in.count());
    return {{in[0].type, shape}};
}

void Pointwise::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    computeSteps(steps, in, out[0]);
}

} // namespace tenon

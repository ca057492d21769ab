// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unsqueeze/unsqueeze.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry unsqueezeLayer() { return entryOf<Unsqueeze>(); }
} // namespace layers

// X [2,3], axes [1] → Y [2,1,3]
std::vector<Result> Unsqueeze::infer(Operands const& in) const {
    in.expectCount(2, 2);
    int const rank = in.rank(0) + axisCount(in, kAxes, Dims::kMaxRank);
    auto const inserted = axesIn(in, kAxes, rank);
    if (!inserted) return {{in[0].type, unknownShape(in, rank)}};
    Shape shape = in[0].shape;
    for (int const axis : *inserted) shape.insert(shape.begin() + axis, 1);
    return {{in[0].type, shape, valuesIn(in[0])}};
}

void Unsqueeze::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    if (in[0].bytes() != 0) std::memcpy(out[0].data, in[0].data, in[0].bytes());
}

} // namespace tenon

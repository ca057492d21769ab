// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/expand/expand.h"

#include "base/error.h"
#include "graph/elements.h"

namespace tenon {

namespace layers {
LayerEntry expandLayer() { return entryOf<Expand>(); }
} // namespace layers

// X [3,1], shape [2,1,4] → Y [2,3,4]
std::vector<Result> Expand::infer(Operands const& in) const {
    in.expectCount(2, 2).expectInteger(1).expectRank(1, 1, 1);
    elementBytes(in[0].type);
    Shape const wanted = in.valuesOf(1, "shape");
    for (DimExpr const& extent : wanted) {
        if (extent.constantOr(0) < 0) fail(ErrorCode::InvalidArgument, "shape ", wanted, " has a negative extent");
    }
    Shape const shape = broadcast(in[0].shape, wanted);
    return {{in[0].type, shape, movedValues(*this, in, {0}, shape)}};
}

void Expand::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const strides = broadcastStrides(in[0].dims, out[0].dims);
    Dims index = Dims::filled(strides.rank(), 0);
    for (int64_t to = 0; to < out[0].dims.volume(); ++to, nextIndex(index, out[0].dims)) {
        int64_t from = 0;
        for (int axis = 0; axis < index.rank(); ++axis) from += index[axis] * strides[axis];
        copyElement(in[0], from, out[0], to);
    }
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/one_hot/one_hot.h"

#include "base/error.h"
#include "graph/elements.h"

namespace tenon {

namespace layers {
LayerEntry oneHotLayer() { return entryOf<OneHot>(); }
} // namespace layers

std::string OneHot::inputName(int input) const {
    if (input == kIndices) return "indices";
    return input == kValues ? "values" : "depth";
}

// indices [O,J], values [2], depth [] → Y [O,depth,J]
std::vector<Result> OneHot::infer(Operands const& in) const {
    in.expectCount(3, 3).expectInteger(kIndices).expectRank(kIndices, 0, Dims::kMaxRank - 1).expectRank(kValues, 1, 1);
    in.expectInteger(kDepth).expectOneElement(kDepth);
    elementBytes(in[kValues].type);
    if (in[kValues].shape[0].constantOr(2) != 2)
        fail(ErrorCode::InvalidArgument, "values has shape ", in[kValues].shape, "; expected [2], off and on");
    DimExpr const depth = in.valuesOf(kDepth, "depth").front();
    if (depth.constantOr(0) < 0) fail(ErrorCode::InvalidArgument, "depth is ", depth, "; expected 0 or more");
    Shape shape = in[kIndices].shape;
    shape.insert(shape.begin() + resolveAxis(axis, in.rank(kIndices) + 1), depth);
    return {{in[kValues].type, shape}};
}

void OneHot::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    HostTensor const& y = out[0];
    int const at = resolveAxis(axis, y.dims.rank());
    int64_t const inner = y.dims.volume(at + 1, y.dims.rank());
    int64_t const depth = y.dims[at];
    auto const indices = integersIn(in[kIndices]);
    for (int64_t to = 0; to < y.dims.volume(); ++to) {
        int64_t const index = indices[static_cast<size_t>(to / (depth * inner) * inner + to % inner)];
        int64_t const place = to / inner % depth;
        copyElement(in[kValues], place == index || place == index + depth ? 1 : 0, y, to);
    }
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/concatenation/concatenation.h"

#include "base/error.h"
#include "graph/elements.h"

#include <cstring>
#include <numeric>

namespace tenon {

namespace layers {
LayerEntry concatenationLayer() { return entryOf<Concatenation>(); }
} // namespace layers

namespace {

/// Adds input `i` to the shape of the previous inputs.
void join(Shape& all, Operands const& in, int i, size_t axis) {
    Shape const& one = in[i].shape;
    bool fits = one.size() == all.size();
    for (size_t at = 0; fits && at < one.size(); ++at) {
        if (at == axis) {
            all[at] = all[at] + one[at];
        } else if (one[at].isConstant()) {
            fits = all[at].constantOr(one[at].constant()) == one[at].constant();
            all[at] = one[at];
        }
    }
    if (!fits)
        fail(ErrorCode::InvalidArgument, "input ", i, " has shape ", one, " and input 0 has ", in[0].shape,
             "; all extents but those of axis ", axis, " must be equal");
}

} // namespace

Concatenation Concatenation::along(int64_t axis) {
    Concatenation layer;
    layer.axis = axis;
    return layer;
}

// X_i […,d_i,…] → Y […,sum of d_i,…]
std::vector<Result> Concatenation::infer(Operands const& in) const {
    in.expectCount(1, INT32_MAX).expectRank(0, 1, Dims::kMaxRank);
    elementBytes(in[0].type);
    auto const at = static_cast<size_t>(resolveAxis(axis, in.rank(0)));
    Shape shape = in[0].shape;
    for (int i = 1; i < in.count(); ++i) {
        if (!in.has(i)) fail(ErrorCode::InvalidArgument, "input ", i, " is missing");
        in.expectSameType(0, i);
        join(shape, in, i, at);
    }
    std::vector<int> all(static_cast<size_t>(in.count()));
    std::iota(all.begin(), all.end(), 0);
    return {{in[0].type, shape, movedValues(*this, in, all, shape)}};
}

void Concatenation::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    int const at = resolveAxis(axis, out[0].dims.rank());
    int64_t const inner = out[0].dims.volume(at + 1, out[0].dims.rank());
    auto const bytes = static_cast<int64_t>(elementBytes(out[0].type));
    int64_t const rowBytes = out[0].dims[at] * inner * bytes;
    int64_t before = 0;
    for (HostTensor const& x : in) {
        int64_t const chunk = x.dims[at] * inner * bytes;
        for (int64_t row = 0; row < x.dims.volume(0, at) && chunk != 0; ++row)
            std::memcpy(static_cast<std::byte*>(out[0].data) + row * rowBytes + before,
                        static_cast<std::byte const*>(x.data) + row * chunk, static_cast<size_t>(chunk));
        before += chunk;
    }
}

} // namespace tenon

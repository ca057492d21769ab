// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reformat/reformat.h"

#include "graph/reformat.h"

namespace tenon {

namespace layers {
LayerEntry reformatLayer() { return entryOf<Reformat>(); }
} // namespace layers

// X [any shape] → Y [the same]
std::vector<Result> Reformat::infer(Operands const& in) const {
    in.expectCount(1, 1);
    return {{in[0].type, in[0].shape, in[0].values}};
}

void Reformat::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    reformat(in[0].dims, {in[0].type, {}, {}}, in[0].data, {out[0].type, {}, {}}, out[0].data);
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/trilu/trilu.h"

#include "graph/elements.h"

#include <array>

namespace tenon {

namespace layers {
LayerEntry triluLayer() { return entryOf<Trilu>(); }
} // namespace layers

// X [any,N,M], k → Y [any,N,M]
std::vector<Result> Trilu::infer(Operands const& in) const {
    in.expectCount(1, 2).expectRank(0, 2, Dims::kMaxRank);
    elementBytes(in[0].type);
    if (in.has(1)) in.expectInteger(1).expectOneElement(1);
    return {{in[0].type, in[0].shape, movedValues(*this, in, {0}, in[0].shape)}};
}

void Trilu::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    bool const given = in.size() > 1 && in[1].data != nullptr;
    Dims const& dims = in[0].dims;
    if (dims.volume() == 0) return;
    int64_t const k = given ? integersIn(in[1]).at(0) : 0;
    std::array<std::byte, 8> zero{};
    HostTensor const nothing{in[0].type, {}, zero.data()};
    int64_t const columns = dims[dims.rank() - 1];
    int64_t const rows = dims[dims.rank() - 2];
    for (int64_t i = 0; i < dims.volume(); ++i) {
        int64_t const diagonal = i % columns - i / columns % rows;
        bool const stays = upper ? diagonal >= k : diagonal <= k;
        copyElement(stays ? in[0] : nothing, stays ? i : 0, out[0], i);
    }
}

} // namespace tenon

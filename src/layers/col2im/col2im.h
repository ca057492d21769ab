// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Rearranges columns of a convolution into an image, summing where blocks overlap. columns [N,C·block,L], with L the
/// number of positions of the block in the padded image; image [k] and block [k], the extents of both, int32 or int64 →
/// Y [N,C,image…]. Floating point or integers.
struct Col2Im final : LayerOf<Col2Im> {
    static constexpr std::string_view kKind = "Col2Im";

    enum Inputs { kColumns, kImage, kBlock };

    std::vector<int64_t> strides;   // empty: 1 along all axes
    std::vector<int64_t> dilations; // likewise
    std::vector<int64_t> pads;      // before all axes, then after them; empty: 0

    void fields(Fields& f) override {
        f("strides", strides);
        f("dilations", dilations);
        f("pads", pads);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kImage || input == kBlock; }
};

} // namespace tenon

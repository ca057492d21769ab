// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Computes the points at which a GridSample with rotation, translation and scaling reads X. theta [N,k,k+1], one
/// matrix for each batch item, k = 2 or 3, floating point; size [k+2] (N, C and the spatial extents), int32 or int64 →
/// grid [N,extents…,k]: theta · (x, y[, z], 1), with x, y, z from -1 to 1 across the extents.
struct AffineGrid final : LayerOf<AffineGrid> {
    static constexpr std::string_view kKind = "AffineGrid";

    bool alignCorners = false; // -1 and 1 are the centers of the outermost points; else their outer edges

    void fields(Fields& f) override { f("alignCorners", alignCorners); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override { return input == 1 ? "size" : Layer::inputName(input); }
    bool readsValuesOf(int input) const override { return input == 1; }
};

} // namespace tenon

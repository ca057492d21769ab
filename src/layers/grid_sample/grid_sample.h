// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Samples X at points. X [N,C,D1,…,Dk], k = 1 to 6, grid [N,E1,…,Em,k] → Y [N,C,E1,…,Em]. Points have coordinates
/// along Dk, …, D1, in this order: -1 and 1 are the ends of X along an axis; NaN is read as -1. X floating point, or
/// any type in mode Nearest; the grid floating point.
struct GridSample final : LayerOf<GridSample> {
    static constexpr std::string_view kKind = "GridSample";

    enum class Mode { Nearest, Linear, Cubic };
    enum class Padding { // the values outside of X
        Zeros,
        Border,     // the nearest element
        Reflection, // X mirrored at its ends
    };

    Mode mode = Mode::Linear;
    Padding padding = Padding::Zeros;
    bool alignCorners = false; // the ends are the centers of the outermost elements; else their outer edges

    void fields(Fields& f) override {
        f("mode", mode);
        f("padding", padding);
        f("alignCorners", alignCorners);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

std::span<std::string_view const> names(GridSample::Mode);
std::span<std::string_view const> names(GridSample::Padding);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Takes every stride-th element from `start` on, along some axes: Y[…,i,…] = X[…,start + i·stride,…].
/// Inputs: X [any shape], start?, size?, stride? ([n] int32 or int64 each; the fields hold where absent), fill? (a
/// scalar of X's type, 0 where absent), axes? ([n]).
struct Slice final : LayerOf<Slice> {
    static constexpr std::string_view kKind = "Slice";

    /// What is read outside X: nothing (an Error), X repeated, its nearest element, the fill value, X mirrored at its
    /// outermost elements.
    enum class Mode { StrictBounds, Wrap, Clamp, Fill, Reflect };
    /// How `start` and `size` bound an axis of extent d.
    ///   Size     elements from `start` on: `size` of them
    ///   End      from `start` up to, not including, `size`, both as in Python: negative counts from the end, clamped
    ///   Pads     all, with `start` more before and `size` more behind
    ///   Repeats  `size` times all
    ///   Part     the `start`-th of `size` parts, equally long except the last one
    enum class Bounds { Size, End, Pads, Repeats, Part };
    enum Input { kX, kStart, kSize, kStride, kFill, kAxes, kInputs };

    Mode mode = Mode::StrictBounds;
    Bounds bounds = Bounds::Size;
    std::vector<int64_t> start;
    std::vector<int64_t> size;
    std::vector<int64_t> stride; // empty: 1 along each axis
    std::vector<int64_t> axes;   // that the other lists are about; empty: all in order

    void fields(Fields& f) override {
        f("mode", mode);
        f("bounds", bounds);
        f("start", start);
        f("size", size);
        f("stride", stride);
        f("axes", axes);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& in) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input != kX && input != kFill; }

    /// One axis of X, resolved: `extent` elements from `start` on, `stride` apart.
    struct Cut {
        DimExpr start = 0;
        DimExpr extent;
        DimExpr stride = 1;
    };
    /// One for each axis of X; symbols for what only run time can tell.
    std::vector<Cut> cuts(Operands const& in) const;
};

std::span<std::string_view const> names(Slice::Mode);
std::span<std::string_view const> names(Slice::Bounds);

/// Which element of an axis of extent `extent` stands for position `at`; -1 where the fill value does.
int64_t sampledFrom(Slice::Mode mode, int64_t at, int64_t extent);

} // namespace tenon

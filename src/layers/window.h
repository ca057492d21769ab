// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Where the padding of a window comes from and how its output extent is rounded; TensorRT's names and order.
enum class PaddingMode : uint8_t {
    ExplicitRoundDown, // windows that fit whole
    ExplicitRoundUp,   // and the one that hangs over the end
    SameUpper,         // as much padding as makes out = ceil(in / stride), the odd one behind
    SameLower,         // … the odd one in front
    CaffeRoundDown,    // as ExplicitRoundDown
    CaffeRoundUp,      // as ExplicitRoundUp, but no window starts in the padding behind (ONNX's ceil_mode)
};
std::span<std::string_view const> names(PaddingMode);

/// One spatial axis that a window slides over; numbers may be symbols.
struct Slide {
    DimExpr in;
    DimExpr size; // of the window, dilation not counted
    int64_t stride = 1;
    int64_t dilation = 1;
    DimExpr pre; // padding in front of the first element
    DimExpr post;
    DimExpr out;
};

/// The same with everything known, as kernels read it.
struct FixedSlide {
    int64_t in, size, stride, dilation, pre, post, out;
};

/// How a window slides over the spatial axes of [N,C,spatial…]. An empty list means 1 (strides, dilations) or 0
/// (padding) along every axis.
struct Window {
    std::vector<int64_t> stride = {};
    std::vector<int64_t> dilation = {};
    std::vector<int64_t> prePadding = {};
    std::vector<int64_t> postPadding = {};
    PaddingMode paddingMode = PaddingMode::ExplicitRoundDown;
    /// Extents of the output that were worked out elsewhere; empty: as padding and mode say. Windows start where the
    /// padding in front says, and there are that many of them.
    std::vector<int64_t> outputs = {};

    void fields(Fields& f) {
        f("stride", stride);
        f("dilation", dilation);
        f("prePadding", prePadding);
        f("postPadding", postPadding);
        f("paddingMode", paddingMode);
        f("outputs", outputs);
    }

    /// Lists are as long as there are axes and hold numbers that make sense; an Error otherwise.
    void check(size_t axes) const;
    /// Sliding a window of these sizes over these extents.
    std::vector<Slide> over(std::span<DimExpr const> in, std::span<DimExpr const> size) const;
    int64_t strideAt(size_t axis) const { return stride.empty() ? 1 : stride[axis]; }
    int64_t dilationAt(size_t axis) const { return dilation.empty() ? 1 : dilation[axis]; }
    int64_t preAt(size_t axis) const { return prePadding.empty() ? 0 : prePadding[axis]; }
    int64_t postAt(size_t axis) const { return postPadding.empty() ? 0 : postPadding[axis]; }
};

/// Elements from the first to the last that one window touches.
DimExpr reach(Slide const& slide);
/// As much padding in front and behind as is `total`, the odd one behind (SameUpper) or in front.
void splitPadding(Slide& slide, DimExpr const& total, PaddingMode mode);

FixedSlide fixed(Slide const& slide);
std::vector<FixedSlide> fixed(std::span<Slide const> slides);

/// The spatial part of a shape [N,C,spatial…].
std::span<DimExpr const> spatial(Shape const& shape);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// How the padding of a window is determined and its output extent is rounded; TensorRT's names and order.
enum class PaddingMode : uint8_t {
    ExplicitRoundDown, // windows that fit completely
    ExplicitRoundUp,   // and a window that extends past the end
    SameUpper,         // padding such that out = ceil(in / stride), the odd one at the end
    SameLower,         // … the odd one at the start
    CaffeRoundDown,    // like ExplicitRoundDown
    CaffeRoundUp,      // like ExplicitRoundUp, but no window starts in the padding at the end (ONNX's ceil_mode)
};
std::span<std::string_view const> names(PaddingMode);

/// One spatial axis over which a window slides; numbers may be symbols.
struct Slide {
    DimExpr in;
    DimExpr size; // of the window, without dilation
    int64_t stride = 1;
    int64_t dilation = 1;
    DimExpr pre; // padding before the first element
    DimExpr post;
    DimExpr out;
};

/// The same with known numbers, for kernels.
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
    /// Explicit output extents; empty: computed from padding and mode. Windows start at the padding before, and there
    /// are that many of them.
    std::vector<int64_t> outputs = {};

    void fields(Fields& f) {
        f("stride", stride);
        f("dilation", dilation);
        f("prePadding", prePadding);
        f("postPadding", postPadding);
        f("paddingMode", paddingMode);
        f("outputs", outputs);
    }

    /// Throws an Error unless lists have one element per axis, and their numbers are valid.
    void check(size_t axes) const;
    /// Sliding a window of these sizes over these extents.
    std::vector<Slide> over(std::span<DimExpr const> in, std::span<DimExpr const> size) const;
    int64_t strideAt(size_t axis) const { return stride.empty() ? 1 : stride[axis]; }
    int64_t dilationAt(size_t axis) const { return dilation.empty() ? 1 : dilation[axis]; }
    int64_t preAt(size_t axis) const { return prePadding.empty() ? 0 : prePadding[axis]; }
    int64_t postAt(size_t axis) const { return postPadding.empty() ? 0 : postPadding[axis]; }
};

/// The number of elements from the first to the last of one window.
DimExpr reach(Slide const& slide);
/// Divides `total` padding before and after, the odd one at the end (SameUpper) or at the start.
void splitPadding(Slide& slide, DimExpr const& total, PaddingMode mode);

FixedSlide fixed(Slide const& slide);
std::vector<FixedSlide> fixed(std::span<Slide const> slides);

/// The spatial part of a shape [N,C,spatial…].
std::span<DimExpr const> spatial(Shape const& shape);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/window.h"

#include "base/error.h"

namespace tenon {
namespace {

constexpr std::string_view kPaddingModes[]{"ExplicitRoundDown", "ExplicitRoundUp", "SameUpper",
                                           "SameLower",         "CaffeRoundDown",  "CaffeRoundUp"};

void checkList(std::string_view what, std::vector<int64_t> const& values, size_t axes, int64_t least) {
    if (!values.empty() && values.size() != axes)
        fail(ErrorCode::InvalidArgument, what, " [", joined(values), "] has ", values.size(), " numbers for ", axes,
             " spatial axes");
    for (int64_t const value : values) {
        if (value < least || value > INT32_MAX)
            fail(ErrorCode::InvalidArgument, what, " [", joined(values), "] has ", value, "; expected ", least,
                 value < least ? " or more" : text(" to ", INT32_MAX));
    }
}

bool isSame(PaddingMode mode) { return mode == PaddingMode::SameUpper || mode == PaddingMode::SameLower; }

DimExpr outExtent(Slide const& slide, PaddingMode mode) {
    DimExpr const room = slide.in + slide.pre + slide.post - reach(slide);
    switch (mode) {
    case PaddingMode::ExplicitRoundDown:
    case PaddingMode::CaffeRoundDown: return floorDiv(room, slide.stride) + DimExpr(1);
    case PaddingMode::ExplicitRoundUp: return ceilDiv(room, slide.stride) + DimExpr(1);
    case PaddingMode::CaffeRoundUp:
        // windows start at 0, stride, …: ceil((in + pre) / stride) of them start before the padding at the end
        return min(ceilDiv(room, slide.stride) + DimExpr(1), ceilDiv(slide.in + slide.pre, slide.stride));
    case PaddingMode::SameUpper:
    case PaddingMode::SameLower: break;
    }
    return ceilDiv(slide.in, slide.stride);
}

void checkFits(Slide const& slide) {
    DimExpr const room = slide.in + slide.pre + slide.post - reach(slide);
    if (room.constantOr(0) < 0)
        fail(ErrorCode::InvalidArgument, "a window of ", reach(slide), " does not fit into ", slide.in,
             " with padding ", slide.pre, " and ", slide.post);
}

} // namespace

std::span<std::string_view const> names(PaddingMode) { return kPaddingModes; }

DimExpr reach(Slide const& slide) { return (slide.size - DimExpr(1)) * DimExpr(slide.dilation) + DimExpr(1); }

void splitPadding(Slide& slide, DimExpr const& total, PaddingMode mode) {
    DimExpr const less = floorDiv(total, DimExpr(2));
    slide.pre = mode == PaddingMode::SameUpper ? less : total - less;
    slide.post = total - slide.pre;
}

void Window::check(size_t axes) const {
    checkList("stride", stride, axes, 1);
    checkList("dilation", dilation, axes, 1);
    checkList("pre-padding", prePadding, axes, 0);
    checkList("post-padding", postPadding, axes, 0);
    checkList("output", outputs, axes, 1);
}

std::vector<Slide> Window::over(std::span<DimExpr const> in, std::span<DimExpr const> size) const {
    std::vector<Slide> slides;
    for (size_t i = 0; i < in.size(); ++i) {
        Slide slide{in[i], size[i], strideAt(i), dilationAt(i), preAt(i), postAt(i), {}};
        if (!outputs.empty()) {
            slide.out = outputs[i];
            DimExpr const covered = (slide.out - DimExpr(1)) * DimExpr(slide.stride) + reach(slide);
            slide.post = max(covered - slide.in - slide.pre, DimExpr(0));
        } else if (isSame(paddingMode)) {
            slide.out = outExtent(slide, paddingMode);
            DimExpr const covered = (slide.out - DimExpr(1)) * DimExpr(slide.stride) + reach(slide);
            splitPadding(slide, max(covered - slide.in, DimExpr(0)), paddingMode);
        } else {
            checkFits(slide);
            slide.out = outExtent(slide, paddingMode);
        }
        slides.push_back(slide);
    }
    return slides;
}

FixedSlide fixed(Slide const& slide) {
    return {slide.in.constant(),  slide.size.constant(), slide.stride,        slide.dilation,
            slide.pre.constant(), slide.post.constant(), slide.out.constant()};
}

std::vector<FixedSlide> fixed(std::span<Slide const> slides) {
    std::vector<FixedSlide> all;
    for (Slide const& slide : slides) all.push_back(fixed(slide));
    return all;
}

std::span<DimExpr const> spatial(Shape const& shape) { return std::span(shape).subspan(2); }

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/window.h"

#include <algorithm>

namespace tenon {

/// TensorRT's names and order, then ONNX's LpPool.
enum class PoolingType : uint8_t { Max, Average, MaxAverageBlend, Lp };
std::span<std::string_view const> names(PoolingType);

/// One number of each window that slides over the spatial axes: X [N,C,in…] → Y [N,C,out…], and on request the places
/// of the maxima. Floating point; Max of int8 and uint8 too. What a window covers outside of X does not count, except
/// in averages that include padding.
struct Pooling final : LayerOf<Pooling> {
    static constexpr std::string_view kKind = "Pooling";

    PoolingType type = PoolingType::Max;
    Window window;
    std::vector<int64_t> windowSize;
    bool averageCountExcludesPadding = true; // false: padding counts as zeros (what rounding up adds never counts)
    double blendFactor = 0;                  // (1 - blendFactor) * maximum + blendFactor * average
    double p = 2;                            // of Lp: (sum of |x|^p)^(1/p)
    bool indices = false;            // Max: a second output, int64 [N,C,out…]: where in all of X the maximum is
    bool columnMajorIndices = false; // the last spatial axis counts slowest in them, not fastest

    void fields(Fields& f) override {
        f("type", type);
        window.fields(f);
        f("windowSize", windowSize);
        f("averageCountExcludesPadding", averageCountExcludesPadding);
        f("blendFactor", blendFactor);
        f("p", p);
        f("indices", indices);
        f("columnMajorIndices", columnMajorIndices);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& in) const override;
};

/// How the window slides over X of this shape.
std::vector<Slide> slidesOf(Pooling const& layer, Shape const& x);

/// What one window covers along one axis: `count` elements of X from `first` on, `dilation` apart, and how many there
/// are with the padding.
struct Covered {
    int64_t first, count, counted;
};
constexpr Covered coveredBy(FixedSlide const& slide, int64_t place) {
    int64_t const start = place * slide.stride - slide.pre;
    auto const tapsUpTo = [&](int64_t end) { // that lie before `end`
        int64_t const distance = end - start;
        return slide.dilation == 1 ? distance : (distance + slide.dilation - 1) / slide.dilation;
    };
    auto const among = [&](int64_t taps) { return std::clamp<int64_t>(taps, 0, slide.size); };
    int64_t const skipped = std::max<int64_t>(0, tapsUpTo(0));
    return {start + skipped * slide.dilation, std::max<int64_t>(0, among(tapsUpTo(slide.in)) - skipped),
            among(tapsUpTo(slide.in + slide.post))};
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/window.h"

#include <array>

namespace tenon {

/// Convolution of integers, exact (sums beyond int32 wrap around). X [N,C,in…] int8 or uint8, W [K,C/groups,window…]
/// int8 or uint8, zero point of X (one element of X's type, optional), zero point of W (one element or [K], of W's
/// type, optional) → Y [N,K,out…] int32. Y[n,k,o] = sum over c, r of (W[k,c,r] - zero of k) * (X[n,group's c,o*stride +
/// r*dilation - padding] - zero of X); padding adds nothing.
struct IntegerConvolution final : LayerOf<IntegerConvolution> {
    static constexpr std::string_view kKind = "IntegerConvolution";
    static constexpr int kZeroOfX = 2;
    static constexpr int kZeroOfW = 3;

    Window window;
    int64_t groups = 1;

    void fields(Fields& f) override {
        window.fields(f);
        f("groups", groups);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// Its extents, for kernels. Also compiled for GPUs.
struct IntegerConvolutionSizes {
    int64_t samples = 0;  // N
    int64_t kernels = 0;  // K
    int64_t channels = 0; // of one group of X
    int64_t groups = 1;
    int axes = 0; // spatial
    int64_t inArea = 1;
    int64_t taps = 1;
    int64_t outArea = 1;
    bool oneZero = true; // W's zero point is the same for all kernels
    std::array<FixedSlide, Dims::kMaxRank> slides{};

    /// The offset in a channel of X of a tap of the window at an output position; -1 in the padding.
    constexpr int64_t meets(int64_t place, int64_t tap) const {
        int64_t offset = 0;
        int64_t scale = 1;
        for (int axis = axes - 1; axis >= 0; --axis) {
            FixedSlide const& slide = slides[static_cast<size_t>(axis)];
            int64_t const position = place % slide.out * slide.stride + tap % slide.size * slide.dilation - slide.pre;
            if (position < 0 || position >= slide.in) return -1;
            offset += position * scale;
            scale *= slide.in;
            place /= slide.out;
            tap /= slide.size;
        }
        return offset;
    }

    /// The first channel of X that output plane n K + k reads.
    constexpr int64_t firstChannel(int64_t plane) const {
        int64_t const k = plane % kernels;
        return (plane / kernels * groups + k / (kernels / groups)) * channels;
    }
};
IntegerConvolutionSizes sizesOf(IntegerConvolution const& layer, std::span<Dims const> inputs);

} // namespace tenon

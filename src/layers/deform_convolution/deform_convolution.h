// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// ONNX's DeformConv: a convolution of images with an offset for each filter element at each position. X [N,C,H,W]; W
/// [K,C/groups,kh,kw]; offsets [N,M·kh·kw·2,h,w]: down and to the right, for M equal parts of the channels; bias? [K];
/// factors? [N,M·kh·kw,h,w] of the elements read → Y [N,K,h,w]. Floating point. Between elements X is interpolated,
/// outside it is 0.
struct DeformConvolution final : LayerOf<DeformConvolution> {
    static constexpr std::string_view kKind = "DeformConvolution";
    enum Inputs { kX, kWeights, kMoves, kBias, kFactors, kInputs };

    std::vector<int64_t> strides{1, 1}; // this and the next one: down and to the right
    std::vector<int64_t> dilations{1, 1};
    std::vector<int64_t> pads{0, 0, 0, 0}; // above, left, below, right
    int64_t parts = 1;                     // M
    int64_t groups = 1;

    void fields(Fields& f) override {
        f("strides", strides);
        f("dilations", dilations);
        f("pads", pads);
        f("parts", parts);
        f("groups", groups);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/window.h"
#include "steps/epilogue.h"

namespace tenon {

/// Convolution backwards (ConvTranspose): each element of X adds a weighted window to Y.
/// X [N,C,in…], W [C,K/groups,window…], bias [K] (may be left out), operands of the epilogue… → Y [N,K,out…],
/// floating point. Y[n,k,i*stride + r*dilation - padding] += X[n,c,i] * W[c,k,r], from bias[k].
struct Deconvolution final : LayerOf<Deconvolution>, HasEpilogue {
    static constexpr std::string_view kKind = "Deconvolution";
    static constexpr int kBias = 2;
    static constexpr int kFirstExtra = 3; // inputs from here on are operands of the epilogue

    Window window; // its padding is cut off Y; SameUpper and SameLower cut Y to in * stride
    int64_t groups = 1;
    std::vector<int64_t> outputPadding; // more elements at the end of each axis; empty: 0
    std::vector<int64_t> outputShape;   // spatial extents of Y, with padding to suit; empty: what the rest says

    void fields(Fields& f) override {
        window.fields(f);
        f("groups", groups);
        f("outputPadding", outputPadding);
        f("outputShape", outputShape);
        f("epilogue", epilogue);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::optional<WeightsRole> weightsRole(int input) const override;
    int firstOperand() const override { return kFirstExtra; }
    int channelAxis(int /*rank*/) const override { return 1; }
};

/// How windows of these sizes are spread over Y by X of these extents: `in` is X, `out` is Y.
std::vector<Slide> slidesOf(Deconvolution const& layer, Shape const& x, Shape const& w);

} // namespace tenon

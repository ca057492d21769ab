// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/window.h"
#include "steps/epilogue.h"

namespace tenon {

/// Cross-correlation over one or more spatial axes (any number that a tensor's rank leaves room for).
/// X [N,C,in…], W [K,C/groups,window…], bias [K] (may be left out), operands of the epilogue… → Y [N,K,out…],
/// floating point. Y[n,k,o] = bias[k] + sum over c, r of W[k,c,r] * X[n,group's c,o*stride + r*dilation - padding].
struct Convolution final : LayerOf<Convolution>, HasEpilogue {
    static constexpr std::string_view kKind = "Convolution";
    static constexpr int kBias = 2;
    static constexpr int kFirstExtra = 3; // inputs from here on are operands of the epilogue

    Window window;
    int64_t groups = 1;

    void fields(Fields& f) override {
        window.fields(f);
        f("groups", groups);
        f("epilogue", epilogue);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::optional<WeightsRole> weightsRole(int input) const override;
    int firstOperand() const override { return kFirstExtra; }
    int channelAxis(int /*rank*/) const override { return 1; }
};

/// The sliding of a convolution's window over X of these extents.
std::vector<FixedSlide> slidesOf(Convolution const& layer, Dims const& x, Dims const& w);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "layers/window.h"
#include "steps/epilogue.h"

namespace tenon {

/// Convolution and Deconvolution as kernels see them. Both have the inputs {x, w, bias, operands of the epilogue…}.
struct ConvolutionShape {
    static constexpr int kX = 0;
    static constexpr int kWeights = 1;
    static constexpr int kBias = 2;
    static constexpr int kFirstExtra = 3;

    bool backwards; // Deconvolution; its weights are [C,K/groups,…]
    int64_t groups;
    std::vector<FixedSlide> slides;
    std::span<EpilogueStep const> epilogue; // of the node's layer

    /// Of a node of one of both kinds, whose inputs have these shapes.
    ConvolutionShape(Node const& node, std::span<Dims const> inputs);

    /// The window as it slides over the larger side: X, or Y where it is backwards.
    std::vector<FixedSlide> forwards() const;
    /// Products and sums of one run.
    double operations(std::span<Dims const> inputs, std::span<Dims const> outputs) const;
};

/// How the inputs of a convolution kernel lie whose X and Y have these labels, and which of them it packs, bit by bit:
/// constant weights, and a constant bias beside them, from the types that they have.
struct ConvolutionInputs {
    std::vector<Label> labels;
    uint32_t packed = 0;

    ConvolutionInputs(Node const& node, Label const& x, Label const& y);
};

} // namespace tenon

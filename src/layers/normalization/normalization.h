// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "steps/epilogue.h"

namespace tenon {

/// Y = (Z - mean) / sqrt(variance + epsilon) * scale + bias, where Z = X + skip + shift and mean and variance are those
/// of Z's elements along some axes: layer, instance and group normalization, as axes and groups say. Floating point.
/// X [any shape], scale? and bias? [what broadcasts to X; in groups also one element per group in the place of the
/// channels], skip? [the shape of X], shift? [as the scale], operands of the epilogue… → Y [the shape of X].
/// Skip and shift are sums that stood in front of it: passes move them there (fuse_skip).
struct Normalization final : LayerOf<Normalization>, HasEpilogue {
    static constexpr std::string_view kKind = "Normalization";
    enum Input { kX, kScale, kBias, kSkip, kShift };
    static constexpr int kFirstExtra = 5; // inputs from here on are operands of the epilogue

    std::vector<int64_t> axes; // negative: counted from the end; in groups: all behind the channels
    double epsilon = 1e-5;
    int64_t groups = 1;  // that the channels, axis 1, are cut into; each is normalized as a whole
    bool centers = true; // false: the mean is taken to be 0 (root mean square normalization)
    DataType computePrecision = DataType::Float32; // what the network would put up with; sums are always in float32

    void fields(Fields& f) override {
        f("axes", axes);
        f("epsilon", epsilon);
        f("groups", groups);
        f("centers", centers);
        f("computePrecision", computePrecision);
        f("epilogue", epilogue);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    int firstOperand() const override { return kFirstExtra; }
    int channelAxis(int rank) const override { return rank - 1; }
    bool hasWeights() const override { return false; }
    std::string inputName(int input) const override;
};

/// The layer at known shapes, groups spelled out.
struct NormalizationSpace {
    Dims dims;               // of X; in groups [N,groups,C/groups,…]
    std::vector<bool> folds; // the axes of `dims` that mean and variance are taken along
    Dims scale, bias, shift; // elements to step over along each axis of `dims`; 0 where there is none

    /// Of rank 0: an input that is not there, or one number for all.
    NormalizationSpace(Normalization const& layer, std::span<Dims const> inputs);
};

/// Why kernels cannot see X of these shapes as rows that are normalized each by itself, a clause; "" where they can,
/// whatever extents the run brings.
std::string refusalOf(Normalization const& layer, std::vector<Tensor*> const& inputs);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Y = (X - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance of the elements along some axes: layer,
/// instance and group normalization, as axes and groups say. Floating point.
/// X [any shape], scale? and bias? [what broadcasts to X; in groups also one element per group in the place of the
/// channels] → Y [the shape of X].
struct Normalization final : LayerOf<Normalization> {
    static constexpr std::string_view kKind = "Normalization";
    enum Input { kX, kScale, kBias };

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
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

/// The layer at known shapes, groups spelled out.
struct NormalizationSpace {
    Dims dims;               // of X; in groups [N,groups,C/groups,…]
    std::vector<bool> folds; // the axes of `dims` that mean and variance are taken along
    Dims scale, bias;        // elements to step over along each axis of `dims`; 0 where there is none

    /// Of rank 0: an input that is not there, or one number for all.
    NormalizationSpace(Normalization const& layer, std::span<Dims const> inputs);
};

/// Why kernels cannot see X of these shapes as rows that are normalized each by itself, a clause; "" where they can,
/// whatever extents the run brings.
std::string refusalOf(Normalization const& layer, std::vector<Tensor*> const& inputs);

} // namespace tenon

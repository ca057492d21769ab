// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step_program.h"

namespace tenon {

/// Y = (X * scale + shift) ^ power, each one number (Uniform), one per channel, or one per element of the axes from
/// channelAxis on. Inputs after X may be absent: 0, 1 and 1 then. Floating point. X [N…,C,…], shift, scale, power
/// [1], [C] or [C,…] → Y [the shape of X].
struct Scale final : LayerOf<Scale>, Stepwise {
    static constexpr std::string_view kKind = "Scale";
    enum class Mode : uint8_t { Uniform, Channel, Elementwise };

    Mode mode = Mode::Uniform;
    int64_t channelAxis = 1; // negative: counted from the end

    void fields(Fields& f) override {
        f("mode", mode);
        f("channelAxis", channelAxis);
    }
    /// The shape with which weights broadcast to an X of this shape: [C,1,1] for one per channel of [N,C,H,W].
    Shape weightShape(Shape const& x) const;
    /// The same as steps on X and those of shift, scale and power that are there, in this order.
    static std::vector<PointwiseStep> steps(bool shift, bool scale, bool power);
    /// These steps on X and the weights that are there, with the shape in which they broadcast.
    StepProgram program(Node const& node, std::span<Dims const> inputs) const override;

    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::optional<WeightsRole> weightsRole(int input) const override;
};

std::span<std::string_view const> names(Scale::Mode);

} // namespace tenon

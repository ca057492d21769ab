// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/pointwise/tile_program_cpu.h"

namespace tenon::cpu {

/// Floating point steps in tiles, for every layer that is some: `programOf` says which, for inputs of these shapes.
class TileKernel final : public Kernel {
public:
    using ProgramOf = StepProgram (*)(Node const& node, std::span<Dims const> inputs);

    constexpr explicit TileKernel(ProgramOf programOf) : programOf_(programOf) {}

    std::string_view name() const override { return "tiles"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;

private:
    ProgramOf programOf_;
};

/// One step on integers or booleans, or one that compares: typed loops on linear tensors.
class TypedKernel final : public Kernel {
public:
    using StepOf = PointwiseStep (*)(Layer const& layer);

    constexpr explicit TypedKernel(StepOf stepOf) : stepOf_(stepOf) {}

    std::string_view name() const override { return "typed_loops"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;

private:
    StepOf stepOf_;
};

} // namespace tenon::cpu

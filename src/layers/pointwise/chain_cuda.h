// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "layers/pointwise/chain_cuda.cuh"
#include "layers/pointwise/memory_axes.h"
#include "layers/pointwise/step_program.h"

namespace tenon::cuda {

/// A result has less elements than this: what a Divider divides is below it.
inline constexpr int64_t kChainElements = int64_t{1} << 31;

/// What the kernels below compute for a node whose inputs have these shapes.
using ProgramOf = StepProgram (*)(Node const& node, std::span<Dims const> inputs);

/// Floating point steps, in a kernel that reads them from a list: it is always there, and slow.
class InterpretedChain final : public Kernel {
public:
    constexpr explicit InterpretedChain(ProgramOf programOf) : programOf_(programOf) {}

    std::string_view name() const override { return "cuda_pointwise_steps"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;

private:
    ProgramOf programOf_;
};

/// The same in a kernel that is compiled for this chain when the engine is built, for all shapes at once.
class CompiledChain final : public Kernel {
public:
    constexpr explicit CompiledChain(ProgramOf programOf) : programOf_(programOf), interpreted_(programOf) {}

    std::string_view name() const override { return "cuda_pointwise"; }
    Offer offer(KernelQuery const& query) const override;
    Packed pack(PrepareArgs const& args) const override;
    std::string packKey(Variant const& variant) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;

private:
    ProgramOf programOf_;
    InterpretedChain interpreted_;
};

/// One step on integers or booleans, or one that compares, on linear tensors.
class TypedStep final : public Kernel {
public:
    using StepOf = PointwiseStep (*)(Layer const& layer);

    constexpr explicit TypedStep(StepOf stepOf) : stepOf_(stepOf) {}

    std::string_view name() const override { return "cuda_typed_step"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;

private:
    StepOf stepOf_;
};

/// The program in each type of the network and each format that it can be computed in; `operations`: of one step on one
/// element, about.
Offer offerChain(StepProgram const& program, KernelQuery const& query, double operations);

/// The program at fixed shapes, as both of its kernels read it.
class ChainLayout {
public:
    ChainLayout(StepProgram const& program, PrepareArgs const& args);

    /// The most elements, up to `most`, that all tensors have together and aligned wherever a pack of them begins.
    int widestPack(int most) const;
    /// For packs of so many elements.
    ChainSpace space(int width) const;
    ChainPointers pointersOf(Pointers const& pointers) const;

private:
    bool hasPacksOf(int width) const;

    std::vector<int> inputs_;
    MemoryAxes axes_;
    int64_t count_;        // elements of the result, padding included
    int64_t channels_ = 0; // of a result that has padding
    int64_t paddedChannels_ = 0;
};

} // namespace tenon::cuda

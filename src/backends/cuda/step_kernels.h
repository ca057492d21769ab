// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/step_space.cuh"
#include "backends/kernel.h"
#include "graph/memory_axes.h"
#include "steps/step_program.h"

namespace tenon::cuda {

/// Results have fewer elements than this: the limit of a Divider's dividends.
inline constexpr int64_t kMostStepElements = int64_t{1} << 31;

/// Floating point steps of every layer that is Stepwise, in a kernel that reads them from a list: always available, and
/// slow.
class InterpretedSteps final : public Kernel {
public:
    std::string_view name() const override { return "cuda_pointwise_steps"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;
};

/// The same in a kernel that is compiled for these steps when the engine is built, for all shapes at once.
class CompiledSteps final : public Kernel {
public:
    std::string_view name() const override { return "cuda_pointwise"; }
    Offer offer(KernelQuery const& query) const override;
    Packed pack(PrepareArgs const& args) const override;
    std::string packKey(Variant const& variant) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;
};

/// One step on integers or booleans, or a comparison, on linear tensors.
class TypedStep final : public Kernel {
public:
    std::string_view name() const override { return "cuda_typed_step"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;
};

/// Offers the program in each type of the network and each format in which it can be computed; `operations`: the
/// approximate cost of one step on one element.
Offer offerSteps(StepProgram const& program, KernelQuery const& query, double operations);

/// The program at fixed shapes, for both of its kernels.
class StepLayout {
public:
    StepLayout(StepProgram const& program, PrepareArgs const& args);

    /// The largest number of elements, up to `most`, that are contiguous and aligned in all tensors wherever a pack
    /// starts.
    int widestPack(int most) const;
    /// For packs of that many elements.
    StepSpace space(int width) const;
    StepPointers pointersOf(Pointers const& pointers) const;

private:
    bool hasPacksOf(int width) const;

    std::vector<int> inputs_;
    MemoryAxes axes_;
    int64_t count_;        // elements of the result, padding included
    int64_t channels_ = 0; // of a result with padding
    int64_t paddedChannels_ = 0;
};

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/select/select.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/step_kernels.h"

namespace tenon::cuda {
namespace {

/// Condition [any], A [any], B [any] → Y [broadcast of all], one thread per element, whose bits are copied.
template <class Bits>
__global__ void selectElements(__grid_constant__ StepSpace const space, __grid_constant__ StepPointers const at) {
    uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= space.packs) return;
    int64_t offsets[3];
    locate(space, i, 3, offsets);
    bool const condition = static_cast<uint8_t const*>(at.inputs[0])[offsets[0]] != 0;
    int64_t const offset = condition ? offsets[1] : offsets[2];
    static_cast<Bits*>(at.output)[i] = static_cast<Bits const*>(at.inputs[condition ? 1 : 2])[offset];
}

class RunSelect final : public Executable {
public:
    explicit RunSelect(PrepareArgs const& args)
        : type_(args.variant.outputs[0].type), layout_(programOf(std::vector<PointwiseStep>{}, args.inputs), args),
          space_(layout_.space(1)) {}

    void run(Pointers const& pointers) override {
        if (space_.packs == 0) return;
        dispatchSize(type_, [&]<class Bits>(TypeTag<Bits>) {
            selectElements<Bits><<<blocksFor(space_.packs), kThreads, 0, streamOf(pointers.stream)>>>(
                space_, layout_.pointersOf(pointers));
        });
        checkLaunch("select");
    }

private:
    DataType type_;
    StepLayout layout_;
    StepSpace space_;
};

class CudaSelect final : public Kernel {
public:
    std::string_view name() const override { return "cuda_select"; }

    // linear, any broadcasting
    Offer offer(KernelQuery const& query) const override {
        if (query.outputs[0].volume() >= kMostStepElements) return Offer::refuse("supports fewer than 2^31 elements");
        return offerMoving(query, {.writes = 3});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunSelect>(args);
    }
};

constexpr CudaSelect kSelect;
constexpr Kernel const* kKernels[]{&kSelect};

} // namespace

KernelList selectKernels() { return {Select::kKind, kKernels}; }

} // namespace tenon::cuda

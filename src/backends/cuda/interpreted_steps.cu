// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/pointwise_step.cuh"
#include "backends/cuda/step_kernels.h"
#include "base/quantize.h"

namespace tenon::cuda {
namespace {

constexpr int kMostValues = 64; // inputs and results of steps

/// The list from which threads read their steps; it must fit into a kernel's parameters.
struct StepList {
    struct Step {
        PointwiseOp op;
        uint8_t a;
        uint8_t b;
        float alpha;
        float beta;
    };
    int inputs = 0;
    int count = 0;
    struct Stored {
        DataType type;
        float scale; // of integers; else 0
        int32_t zero;

        Stored() = default;
        explicit Stored(Label const& label) : type(label.type), scale(label.scale), zero(label.zero) {}
    };
    Stored operands[kMostStepInputs];
    Stored output;
    Step steps[kMostValues];
};

__device__ float load(void const* data, StepList::Stored const& as, int64_t i) {
    switch (as.type) {
    case DataType::Int8: return static_cast<float>(static_cast<int8_t const*>(data)[i] - as.zero) * as.scale;
    case DataType::Float16: return toFloat(static_cast<__half const*>(data)[i]);
    case DataType::BFloat16: return toFloat(static_cast<__nv_bfloat16 const*>(data)[i]);
    default: return static_cast<float const*>(data)[i];
    }
}

__device__ void store(void* data, StepList::Stored const& as, int64_t i, float value) {
    switch (as.type) {
    case DataType::Int8: static_cast<int8_t*>(data)[i] = quantize(value, as.scale, as.zero); break;
    case DataType::Float16: static_cast<__half*>(data)[i] = convertTo<__half>(value); break;
    case DataType::BFloat16: static_cast<__nv_bfloat16*>(data)[i] = convertTo<__nv_bfloat16>(value); break;
    default: static_cast<float*>(data)[i] = value; break;
    }
}

/// X… [any] → Y [broadcast of all], one thread per element.
__global__ void interpretSteps(__grid_constant__ StepSpace const space, __grid_constant__ StepPointers const at,
                               __grid_constant__ StepList const list) {
    uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= space.packs) return;
    int64_t offsets[kMostStepInputs];
    locate(space, i, list.inputs, offsets);
    float values[kMostValues];
    for (int k = 0; k < list.inputs; ++k) values[k] = load(at.inputs[k], list.operands[k], offsets[k]);
    float result = 0;
    for (int s = 0; s < list.count; ++s) {
        StepList::Step const& step = list.steps[s];
        result = computeStep(step.op, values[step.a], values[step.b], step.alpha, step.beta);
        values[list.inputs + s] = result;
    }
    StepList::Stored output = list.output;
    if (realElements(space, i, 1) <= 0) result = 0, output.zero = 0; // padding
    store(at.output, output, i, result);
}

class RunSteps final : public Executable {
public:
    RunSteps(StepProgram const& program, PrepareArgs const& args) : layout_(program, args), space_(layout_.space(1)) {
        size_t const values = program.inputs.size() + program.steps.size();
        if (values > size_t{kMostValues}) // of a plan: offer() refuses such programs
            fail(ErrorCode::InvalidPlan, args.node, ": has ", values, " inputs and steps; the kernel supports ",
                 kMostValues);
        list_.inputs = static_cast<int>(program.inputs.size());
        list_.count = static_cast<int>(program.steps.size());
        list_.output = StepList::Stored(args.variant.outputs[0]);
        for (size_t k = 0; k < program.inputs.size(); ++k)
            list_.operands[k] = StepList::Stored(args.variant.inputs[static_cast<size_t>(program.inputs[k])]);
        for (size_t s = 0; s < program.steps.size(); ++s) {
            PointwiseStep const& step = program.steps[s];
            list_.steps[s] = {step.op, static_cast<uint8_t>(step.a), static_cast<uint8_t>(step.b < 0 ? step.a : step.b),
                              static_cast<float>(step.alpha), static_cast<float>(step.beta)};
        }
    }

    void run(Pointers const& pointers) override {
        if (space_.packs == 0) return;
        interpretSteps<<<blocksFor(space_.packs), kThreads, 0, streamOf(pointers.stream)>>>(
            space_, layout_.pointersOf(pointers), list_);
        checkLaunch("pointwise steps");
    }

private:
    StepLayout layout_;
    StepSpace space_;
    StepList list_;
};

} // namespace

Offer InterpretedSteps::offer(KernelQuery const& query) const {
    constexpr double kOperations = 100; // a jump and memory for each step
    StepProgram const program = programOf(query.node, query.inputs);
    if (program.inputs.size() + program.steps.size() > size_t{kMostValues})
        return Offer::refuse(text("supports up to ", kMostValues, " inputs and steps"));
    return offerSteps(program, query, kOperations);
}

std::unique_ptr<Executable> InterpretedSteps::prepare(PrepareArgs const& args) const {
    return std::make_unique<RunSteps>(programOf(args.node, args.inputs), args);
}

} // namespace tenon::cuda

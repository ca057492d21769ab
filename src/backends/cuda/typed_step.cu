// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/pointwise_step.cuh"
#include "backends/cuda/step_kernels.h"
#include "steps/integer_step.h"

namespace tenon::cuda {
namespace {

/// One step on operands of one type.
template <class X> struct TypedOperation {
    PointwiseOp op;
    IntegerStep<X> integers;

    explicit TypedOperation(PointwiseStep const& step)
        : op(step.op), integers{nearest<X>(step.alpha), nearest<X>(step.beta)} {}
    __device__ X operator()(X a, X b) const { return integers(op, a, b); }
};

/// Of floating point, only comparisons are done here; everything else is done in the kernels of steps.
template <class X>
requires(!std::is_integral_v<X>) struct TypedOperation<X> {
    PointwiseOp op;

    explicit TypedOperation(PointwiseStep const& step) : op(step.op) {}
    __device__ bool operator()(X a, X b) const { return computeStep(op, toFloat(a), toFloat(b), 0, 0) != 0; }
};

struct TypedPointers {
    void const* a;
    void const* b;
    void* y;
};

/// A [any], B [any] → Y [broadcast of both], one thread per element.
template <class X, class Y>
__global__ void computeTypedStep(__grid_constant__ StepSpace const space, TypedPointers const at,
                                 TypedOperation<X> const operation) {
    uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= space.packs) return;
    int64_t offsets[2];
    locate(space, i, 2, offsets);
    X const a = static_cast<X const*>(at.a)[offsets[0]];
    X const b = static_cast<X const*>(at.b)[offsets[1]];
    static_cast<Y*>(at.y)[i] = static_cast<Y>(operation(a, b));
}

using Launch = void (*)(PointwiseStep const& step, StepSpace const& space, TypedPointers const& at, cudaStream_t);

template <class X, class Y>
void launch(PointwiseStep const& step, StepSpace const& space, TypedPointers const& at, cudaStream_t stream) {
    computeTypedStep<X, Y><<<blocksFor(space.packs), kThreads, 0, stream>>>(space, at, TypedOperation<X>(step));
    checkLaunch("typed step");
}

template <class X> Launch launchOf(PointwiseOp op) {
    if (givesBool(op)) return launch<X, uint8_t>;
    if constexpr (std::is_integral_v<X>) return launch<X, X>;
    return nullptr;
}

bool compares(PointwiseOp op) {
    using enum PointwiseOp;
    return op == Equal || op == Greater || op == Less || op == IsNan || op == IsInf;
}

/// Null if there is none.
Launch launchOf(PointwiseOp op, DataType type) {
    if (isFloat(type) ? !compares(op) : !hasIntegerStep(op)) return nullptr;
    switch (type) {
    case DataType::Float32: return launchOf<float>(op);
    case DataType::Float16: return launchOf<__half>(op);
    case DataType::BFloat16: return launchOf<__nv_bfloat16>(op);
    case DataType::Int8: return launchOf<int8_t>(op);
    case DataType::UInt8: return launchOf<uint8_t>(op);
    case DataType::Int32: return launchOf<int32_t>(op);
    case DataType::Int64: return launchOf<int64_t>(op);
    case DataType::Bool: return givesBool(op) ? launchOf<uint8_t>(op) : nullptr; // 0 and 1
    case DataType::Float8:
    case DataType::Int4:
    case DataType::Float4:
    case DataType::E8M0: return nullptr;
    }
    return nullptr;
}

class RunTypedStep final : public Executable {
public:
    RunTypedStep(PointwiseStep const& step, PrepareArgs const& args)
        : step_(step), launch_(launchOf(step.op, args.variant.inputs[0].type)),
          layout_(programOf({step}, args.inputs), args), space_(layout_.space(1)) {}

    void run(Pointers const& pointers) override {
        if (space_.packs == 0) return;
        void const* const b = pointers.inputs[operandCount(step_.op) - 1]; // with one operand: the same again
        launch_(step_, space_, {pointers.inputs[0], b, pointers.outputs[0]}, streamOf(pointers.stream));
    }

private:
    PointwiseStep step_;
    Launch launch_;
    StepLayout layout_;
    StepSpace space_;
};

} // namespace

// In the type of the network, unless another one is requested: values that differ in float32 may be equal in 16 bits.
Offer TypedStep::offer(KernelQuery const& query) const {
    DataType const type = query.typesOf(*query.node.input(0)).front();
    auto const step = oneStepOf(*query.node.layer);
    if (!step) return Offer::refuse("supports a single step only");
    if (launchOf(step->op, type) == nullptr) return Offer::refuse(text("has no kernel for ", step->op, " of ", type));
    if (query.outputs[0].volume() >= kMostStepElements) return Offer::refuse("supports fewer than 2^31 elements");
    Label const label{type, Format::linear(), kCuda};
    Variant variant{.inputs = std::vector<Label>(query.inputs.size(), label)};
    variant.outputs = {{query.node.output()->type, Format::linear(), kCuda}};
    auto bytes = static_cast<double>(bytesOf(query.outputs[0], variant.outputs[0]));
    for (Dims const& dims : query.inputs) bytes += static_cast<double>(bytesOf(dims, label));
    variant.cost = kernelCost(bytes, 20.0 * static_cast<double>(query.outputs[0].volume()));
    return {{variant}, {}};
}

std::unique_ptr<Executable> TypedStep::prepare(PrepareArgs const& args) const {
    return std::make_unique<RunTypedStep>(*oneStepOf(*args.node.layer), args);
}

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cudnn_steps.h"

#include "backends/cuda/convolution_layout.h"
#include "layers/convolution/epilogue.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

/// Empty for what is finished by our own sweep.
std::optional<CudnnPointwise> toCudnn(PointwiseStep const& step) {
    using enum PointwiseOp;
    switch (step.op) {
    case Relu: return CudnnPointwise{CUDNN_POINTWISE_RELU_FWD};
    case LeakyRelu:
        return CudnnPointwise{CUDNN_POINTWISE_RELU_FWD, {{CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, step.alpha}}};
    case Clip:
        if (step.alpha != 0) return std::nullopt;
        return CudnnPointwise{CUDNN_POINTWISE_RELU_FWD, {{CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, step.beta}}};
    case Sigmoid: return CudnnPointwise{CUDNN_POINTWISE_SIGMOID_FWD};
    case Tanh: return CudnnPointwise{CUDNN_POINTWISE_TANH_FWD};
    case Elu: return CudnnPointwise{CUDNN_POINTWISE_ELU_FWD, {{CUDNN_ATTR_POINTWISE_ELU_ALPHA, step.alpha}}};
    case Swish: return CudnnPointwise{CUDNN_POINTWISE_SWISH_FWD, {{CUDNN_ATTR_POINTWISE_SWISH_BETA, step.alpha}}};
    case GeluErf: return CudnnPointwise{CUDNN_POINTWISE_GELU_FWD};
    case GeluTanh: return CudnnPointwise{CUDNN_POINTWISE_GELU_APPROX_TANH_FWD};
    case Sum: return CudnnPointwise{CUDNN_POINTWISE_ADD};
    case Prod: return CudnnPointwise{CUDNN_POINTWISE_MUL};
    default: return std::nullopt; // finished by our own sweep
    }
}

/// What pads the channels is zero and stays it.
bool keepsZero(PointwiseStep const& step) { return step.op != PointwiseOp::Sigmoid; }

} // namespace

std::vector<FusedStep> fusable(PrepareArgs const& args, std::span<PointwiseStep const> steps) {
    std::vector<FusedStep> fused;
    Dims const& y = args.outputs[0];
    bool const isPadded = padded(y[1], args.variant.outputs[0].format) != y[1];
    int const extras = std::max(0, static_cast<int>(args.inputs.size()) - kEpilogueFirstExtra);
    for (size_t i = 0; i < steps.size(); ++i) {
        auto const operation = toCudnn(steps[i]);
        int64_t const operand = otherOperand(steps, i, extras).value_or(0);
        int const input = operand == 0 ? -1 : kEpilogueFirstExtra + static_cast<int>(operand) - 1;
        if (!operation || (isPadded && !keepsZero(steps[i]))) break;
        if (input >= 0 && args.inputs[static_cast<size_t>(input)] != y) break;
        fused.push_back({*operation, input});
    }
    return fused;
}

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cudnn_epilogue.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

/// nullopt for steps that run in Tenon's own kernel.
std::optional<CudnnPointwise> toCudnn(EpilogueStep const& step) {
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
    default: return std::nullopt; // run in Tenon's own kernel
    }
}

/// At every shape, not at these alone: the operand's label was chosen by this condition.
bool liesLikeResult(PrepareArgs const& args, size_t input) {
    return args.node.inputs()[input]->shape == args.node.output()->shape &&
           args.variant.inputs[input].format == args.variant.outputs[0].format;
}

} // namespace

std::vector<CudnnStep> cudnnEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps, bool isPadded) {
    std::vector<CudnnStep> fused;
    for (EpilogueStep const& step : steps) {
        auto const operation = toCudnn(step);
        if (!operation || (isPadded && !keepsZero(step))) break;
        if (step.input >= 0 && !liesLikeResult(args, static_cast<size_t>(step.input))) break;
        fused.push_back({*operation, static_cast<int>(step.input)});
    }
    return fused;
}

} // namespace tenon::cuda

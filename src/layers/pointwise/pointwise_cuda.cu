// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise.h"

#include "backends/cuda/step_kernels.h"
#include "layers/activation/activation.h"
#include "layers/elementwise/elementwise.h"
#include "layers/scale/scale.h"
#include "layers/unary/unary.h"

namespace tenon::cuda {
namespace {

constexpr CompiledSteps kCompiled;
constexpr InterpretedSteps kInterpreted;
constexpr TypedStep kTyped;
constexpr Kernel const* kKernels[]{&kCompiled, &kInterpreted, &kTyped};

} // namespace

KernelList pointwiseKernels() {
    return {{Pointwise::kKind, Activation::kKind, Elementwise::kKind, Scale::kKind, Unary::kKind}, kKernels};
}

} // namespace tenon::cuda

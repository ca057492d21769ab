// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise.h"

#include "backends/cpu/step_kernels.h"
#include "layers/activation/activation.h"
#include "layers/elementwise/elementwise.h"
#include "layers/scale/scale.h"
#include "layers/unary/unary.h"

namespace tenon::cpu {
namespace {

constexpr TileKernel kTiles;
constexpr TypedKernel kTyped;
constexpr Kernel const* kKernels[] = {&kTiles, &kTyped};

} // namespace

KernelList pointwiseKernels() {
    return {{Pointwise::kKind, Activation::kKind, Elementwise::kKind, Scale::kKind, Unary::kKind}, kKernels};
}

} // namespace tenon::cpu

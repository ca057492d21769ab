// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "layers/pointwise/chain_cuda.h"

namespace tenon::cuda {
namespace {

constexpr CompiledChain kCompiled{Scale::program};
constexpr InterpretedChain kSteps{Scale::program};
constexpr Kernel const* kKernels[]{&kCompiled, &kSteps};

} // namespace

KernelList scaleKernels() { return {Scale::kKind, kKernels}; }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"

#include "layers/pointwise/chain_cuda.h"

namespace tenon::cuda {
namespace {

constexpr CompiledChain kCompiled{oneStep<Elementwise>};
constexpr InterpretedChain kSteps{oneStep<Elementwise>};
constexpr TypedStep kTyped{stepOf<Elementwise>};
constexpr Kernel const* kKernels[]{&kCompiled, &kSteps, &kTyped};

} // namespace

KernelList elementwiseKernels() { return {Elementwise::kKind, kKernels}; }

} // namespace tenon::cuda

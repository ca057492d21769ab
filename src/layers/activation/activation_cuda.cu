// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/activation/activation.h"

#include "layers/pointwise/chain_cuda.h"

namespace tenon::cuda {
namespace {

constexpr CompiledChain kCompiled{oneStep<Activation>};
constexpr InterpretedChain kSteps{oneStep<Activation>};
constexpr TypedStep kTyped{stepOf<Activation>};
constexpr Kernel const* kKernels[]{&kCompiled, &kSteps, &kTyped};

} // namespace

KernelList activationKernels() { return {Activation::kKind, kKernels}; }

} // namespace tenon::cuda

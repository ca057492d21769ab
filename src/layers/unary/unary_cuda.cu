// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unary/unary.h"

#include "layers/pointwise/chain_cuda.h"

namespace tenon::cuda {
namespace {

constexpr CompiledChain kCompiled{oneStep<Unary>};
constexpr InterpretedChain kSteps{oneStep<Unary>};
constexpr TypedStep kTyped{stepOf<Unary>};
constexpr Kernel const* kKernels[]{&kCompiled, &kSteps, &kTyped};

} // namespace

KernelList unaryKernels() { return {Unary::kKind, kKernels}; }

} // namespace tenon::cuda

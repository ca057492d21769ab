// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/chain_cuda.h"

namespace tenon::cuda {
namespace {

constexpr CompiledChain kCompiled{allSteps<Pointwise>};
constexpr InterpretedChain kSteps{allSteps<Pointwise>};
constexpr Kernel const* kKernels[]{&kCompiled, &kSteps};

} // namespace

KernelList pointwiseKernels() { return {Pointwise::kKind, kKernels}; }

} // namespace tenon::cuda

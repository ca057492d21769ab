// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "layers/pointwise/pointwise_cpu.h"

namespace tenon::cpu {
namespace {

constexpr TileKernel kTiles{Scale::program};
constexpr Kernel const* kKernels[] = {&kTiles};

} // namespace

KernelList scaleKernels() { return {Scale::kKind, kKernels}; }

} // namespace tenon::cpu

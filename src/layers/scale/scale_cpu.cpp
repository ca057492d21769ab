// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "layers/pointwise/pointwise_cpu.h"

namespace tenon::cpu {
namespace {

/// X and the weights that are there, with the shape in which they broadcast.
StepProgram programOf(Node const& node, std::span<Dims const> inputs) {
    auto const& scale = *as<Scale>(*node.layer);
    Dims const weights = toDims(scale.weightShape(toShape(inputs[0])));
    StepProgram program{Scale::steps(node.input(1), node.input(2), node.input(3)), {0}, {inputs[0]}};
    for (int i = 1; i < static_cast<int>(inputs.size()); ++i) {
        if (node.input(i) == nullptr) continue;
        program.inputs.push_back(i);
        program.dims.push_back(weights);
    }
    return program;
}

constexpr TileKernel kTiles{programOf};
constexpr Kernel const* kKernels[] = {&kTiles};

} // namespace

KernelList scaleKernels() { return {Scale::kKind, kKernels}; }

} // namespace tenon::cpu

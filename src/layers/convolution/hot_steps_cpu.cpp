// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/hot_steps_cpu.h"

#include <limits>

namespace tenon::cpu {
namespace {

/// Whether the operand of a step lies like the result, element by element.
bool liesAlike(PrepareArgs const& args, EpilogueStep const& step) {
    if (step.input < 0) return true;
    auto const input = static_cast<size_t>(step.input);
    return args.inputs[input] == args.outputs[0] && args.variant.inputs[input] == args.variant.outputs[0];
}

/// Lanes behind the last channel stay zero.
bool keepsPadding(PrepareArgs const& args, EpilogueStep const& step) {
    int64_t const block = args.variant.outputs[0].format.block; // 1: there are no such lanes
    return args.outputs[0][1] % block == 0 || keepsZero(step);
}

std::optional<std::pair<float, float>> clampOf(EpilogueStep const& step) {
    if (step.op == PointwiseOp::Relu) return std::pair(0.0F, std::numeric_limits<float>::infinity());
    bool const isRange = step.op == PointwiseOp::Clip && step.alpha <= step.beta;
    return isRange ? std::optional(std::pair(static_cast<float>(step.alpha), static_cast<float>(step.beta)))
                   : std::nullopt;
}

} // namespace

HotSteps::HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps) {
    auto const& loops = bestLoops<PointwiseLoops>();
    for (EpilogueStep const& step : steps) {
        StepLoop const loop = loops[step.op];
        if (loop == nullptr || !liesAlike(args, step) || !keepsPadding(args, step)) break;
        if (count_++ == 0 && (clamp_ = clampOf(step))) continue;
        steps_.push_back({loop, step.input, static_cast<float>(step.alpha), static_cast<float>(step.beta)});
    }
}

void HotSteps::run(Pointers const& pointers, int64_t first, int64_t elements) const {
    float* const y = static_cast<float*>(pointers.outputs[0]) + first;
    for (Step const& step : steps_) {
        float const* const operand =
            step.input < 0 ? y : static_cast<float const*>(pointers.inputs[step.input]) + first;
        step.loop(y, y, operand, step.alpha, step.beta, elements);
    }
}

} // namespace tenon::cpu

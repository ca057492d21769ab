// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/hot_steps.h"

#include <limits>

namespace tenon::cpu {
namespace {

/// Whether the operand of a step is stored like the result, element by element.
bool isStoredAlike(PrepareArgs const& args, EpilogueStep const& step) {
    if (step.input < 0) return true;
    auto const input = static_cast<size_t>(step.input);
    return args.inputs[input] == args.outputs[0] && args.variant.inputs[input] == args.variant.outputs[0];
}

/// Whether it has an element for each index of an axis of the result, float32 in that order.
bool isOfAxis(PrepareArgs const& args, EpilogueStep const& step, int axis) {
    if (step.input < 0 || axis < 0) return false;
    auto const input = static_cast<size_t>(step.input);
    Dims const& dims = args.inputs[input];
    int const missing = args.outputs[0].rank() - dims.rank(); // of its axes, in front
    if (axis < missing || dims.volume() != args.outputs[0][axis] || dims[axis - missing] != dims.volume()) return false;
    return args.variant.inputs[input] == Label{DataType::Float32, {}, Device::Cpu};
}

/// Lanes after the last channel stay zero.
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

HotSteps::HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps, HotRows const& rows) {
    auto const& loops = bestLoops<PointwiseLoops>();
    for (EpilogueStep const& step : steps) {
        StepLoop const loop = loops[step.op];
        bool const isAlike = isStoredAlike(args, step);
        bool const ofColumns = !isAlike && isOfAxis(args, step, rows.axis);
        if (loop == nullptr || (!isAlike && !ofColumns) || !keepsPadding(args, step)) break;
        bool const begins = rows.begins && count_ == 0 && ofColumns && step.op == PointwiseOp::Sum;
        ++count_;
        if (begins) {
            begin_ = step.input;
            continue;
        }
        bool const isFirst = steps_.empty() && !clamp_;
        if (isFirst && (clamp_ = clampOf(step))) continue;
        steps_.push_back({loop, step.input, ofColumns, static_cast<float>(step.alpha), static_cast<float>(step.beta)});
        takesRows_ = takesRows_ || ofColumns;
    }
}

void HotSteps::run(Pointers const& pointers, int64_t first, int64_t elements, int64_t column) const {
    float* const y = static_cast<float*>(pointers.outputs[0]) + first;
    for (Step const& step : steps_) {
        float const* operand = y;
        if (step.input >= 0)
            operand = static_cast<float const*>(pointers.inputs[step.input]) + (step.ofColumns ? column : first);
        step.loop(y, y, operand, step.alpha, step.beta, elements);
    }
}

} // namespace tenon::cpu

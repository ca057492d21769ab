// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/hot_steps.h"

#include "backends/cpu/step_costs.h"

#include <algorithm>
#include <limits>

namespace tenon::cpu {
namespace {

Label const kFloats{DataType::Float32, {}, Device::Cpu};

/// Whether the operand of a step is in the order of the result, element by element.
bool isStoredAlike(PrepareArgs const& args, EpilogueStep const& step) {
    if (step.input < 0) return true;
    auto const input = static_cast<size_t>(step.input);
    Label const& label = args.variant.inputs[input];
    return args.inputs[input] == args.outputs[0] && label.format == args.variant.outputs[0].format &&
           label.device == Device::Cpu && (isFloat(label.type) || label.scale != 0);
}

int64_t bytesOfOne(Label const& label) { return bitsOf(label.type) / 8; }

/// Whether a product that writes a result in the type of its first factor, or float32, can add the operand of a step,
/// which is in the order of the result.
bool isAddend(PrepareArgs const& args, EpilogueStep const& step) {
    if (step.op != PointwiseOp::Sum || step.input < 0) return false;
    DataType const type = args.variant.outputs[0].type;
    bool const isWritten = type == DataType::Float32 || (isFloat(type) && type == args.variant.inputs[0].type);
    return isWritten && args.variant.inputs[static_cast<size_t>(step.input)].type == type;
}

/// Whether the operand has an element for each index of an axis of the result, float32 in that order.
bool isOfAxis(PrepareArgs const& args, EpilogueStep const& step, int axis) {
    if (step.input < 0 || axis < 0) return false;
    auto const input = static_cast<size_t>(step.input);
    Dims const& dims = args.inputs[input];
    int const missing = args.outputs[0].rank() - dims.rank(); // leading axes that the operand lacks
    if (axis < missing || dims.volume() != args.outputs[0][axis] || dims[axis - missing] != dims.volume()) return false;
    return args.variant.inputs[input] == kFloats;
}

/// Whether padding lanes after the last channel stay zero.
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

void forOperandLabels(Node const& node, size_t first, Label const& result,
                      std::function<void(std::span<Label const>)> const& use) {
    std::vector<Label> inType;
    std::vector<Label> inFloat;
    for (size_t i = first; i < node.inputs().size(); ++i) {
        Tensor const* const operand = node.inputs()[i];
        bool const isLike = operand != nullptr && operand->shape == node.output()->shape;
        inType.push_back(operandLabel(node, i, result));
        inFloat.push_back(inType.back());
        if (!isLike) inFloat.back().type = DataType::Float32;
    }
    use(inFloat);
    if (inFloat != inType) use(inType);
}

HotSteps::HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps, HotRows const& rows)
    : toOutput_(kFloats, args.variant.outputs[0]), outputBytes_(bytesOfOne(args.variant.outputs[0])) {
    auto const& loops = bestLoops<PointwiseLoops>();
    for (EpilogueStep const& step : steps) {
        StepLoop const loop = loops[step.op];
        bool const isAlike = isStoredAlike(args, step);
        bool const ofColumns = !isAlike && isOfAxis(args, step, rows.axis);
        if (loop == nullptr || (!isAlike && !ofColumns) || !keepsPadding(args, step)) break;
        bool const begins = rows.begins && count_ == 0 && ofColumns && step.op == PointwiseOp::Sum;
        ++count_;
        nanoseconds_ += stepCost(step.op) * static_cast<double>(args.outputs[0].volume());
        if (begins) {
            begin_ = step.input;
            continue;
        }
        bool const isFirst = steps_.empty() && !clamp_;
        if (isFirst && rows.adds && addend_ < 0 && isAlike && isAddend(args, step)) {
            addend_ = step.input;
            continue;
        }
        if (isFirst && (clamp_ = clampOf(step))) continue;
        Step hot{.loop = loop,
                 .input = step.input,
                 .ofColumns = ofColumns,
                 .alpha = static_cast<float>(step.alpha),
                 .beta = static_cast<float>(step.beta),
                 .toFloat = {}};
        if (step.input >= 0) {
            Label const& label = args.variant.inputs[static_cast<size_t>(step.input)];
            hot.bytes = bytesOfOne(label);
            if (label.type != DataType::Float32) hot.toFloat.emplace(label, kFloats);
        }
        steps_.push_back(std::move(hot));
        takesRows_ = takesRows_ || ofColumns;
    }
    // an operand stored like a narrow result cannot be added while other steps still need floats
    bool const isAddedTooEarly = addend_ >= 0 && !isEmpty() && args.variant.outputs[0].type != DataType::Float32;
    if (isAddedTooEarly) *this = HotSteps(args, steps, {.axis = rows.axis, .begins = rows.begins});
}

void HotSteps::applyConverted(Step const& step, void const* operand, float* values, int64_t elements) const {
    auto const* from = static_cast<std::byte const*>(operand);
    float floats[kTile];
    for (int64_t i = 0; i < elements; i += kTile) {
        int64_t const count = std::min(kTile, elements - i);
        (*step.toFloat)(from + i * step.bytes, floats, count);
        step.loop(values + i, values + i, floats, step.alpha, step.beta, count);
    }
}

void HotSteps::apply(Pointers const& pointers, float* values, Part const& part) const {
    for (Step const& step : steps_) {
        void const* operand = values;
        if (step.input >= 0)
            operand = static_cast<std::byte const*>(pointers.inputs[step.input]) +
                      (step.ofColumns ? part.column : part.first) * step.bytes;
        if (step.toFloat) {
            applyConverted(step, operand, values, part.elements);
        } else {
            step.loop(values, values, static_cast<float const*>(operand), step.alpha, step.beta, part.elements);
        }
    }
}

void HotSteps::store(Pointers const& pointers, float* values, Part const& part) const {
    apply(pointers, values, part);
    toOutput_(values, static_cast<std::byte*>(pointers.outputs[0]) + part.first * outputBytes_, part.elements);
}

void HotSteps::run(Pointers const& pointers, Part first, Rows const& rows) const {
    bool const areOne = first.elements == rows.step && !takesRows_;
    if (areOne) return run(pointers, {first.first, rows.count * rows.step});
    for (int64_t i = 0; i < rows.count && !isEmpty(); ++i, first.first += rows.step) run(pointers, first);
}

void HotSteps::store(Pointers const& pointers, float* values, Part first, Rows const& rows) const {
    bool const areOne = first.elements == rows.step && rows.pitch == rows.step && !takesRows_;
    if (areOne) return store(pointers, values, {first.first, rows.count * rows.step});
    for (int64_t i = 0; i < rows.count; ++i, first.first += rows.step) store(pointers, values + i * rows.pitch, first);
}

} // namespace tenon::cpu

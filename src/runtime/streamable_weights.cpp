// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/streamable_weights.h"

#include "runtime/engine.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr int kNone = -1;
constexpr int kSeveral = -2;

/// By tensor: the one step that reads it; kNone without a reader, kSeveral if others, or the caller, read it too.
std::vector<int> onlyReaders(Graph const& graph, ShapeProgram const& program, std::span<EngineStep const> steps) {
    std::vector<int> readers(static_cast<size_t>(program.tensorCount()), kNone);
    for (size_t step = 0; step < steps.size(); ++step) {
        for (int const input : steps[step].inputs) {
            if (input < 0) continue;
            int& reader = readers[static_cast<size_t>(input)];
            bool const isFirst = reader == kNone || reader == static_cast<int>(step);
            reader = isFirst ? static_cast<int>(step) : kSeveral;
        }
    }
    for (Tensor const* output : graph.outputs()) readers[static_cast<size_t>(program.numberOf(output))] = kSeveral;
    return readers;
}

/// Not of views, whose readers read the same bytes, and not of steps with graphs inside, which hold theirs.
StepWeights weightsOf(size_t number, EngineStep const& step, Device device, std::vector<int> const& onlyReader) {
    StepWeights weights{number};
    Variant const& variant = step.assignment->variant;
    if (step.onHost || !step.bodies.empty() || variant.view) return weights;
    Packed const* const packed = step.assignment->packed.get();
    if (packed && !variant.code) weights.parts.push_back({StepWeights::kPacked, packed->bytes.bytes()});
    for (size_t i = 0; i < step.inputs.size(); ++i) {
        int const input = step.inputs[i];
        if (input < 0 || onlyReader[static_cast<size_t>(input)] != static_cast<int>(number)) continue;
        Tensor const& tensor = *step.assignment->node->inputs()[i];
        bool const isKnown = std::ranges::find(step.inputs, input) != step.inputs.begin() + static_cast<long>(i);
        if (!tensor.literal() || tensor.label.device != device || isKnown) continue;
        weights.parts.push_back({input, bytesOf(tensor.literal()->dims(), tensor.label)});
    }
    return weights;
}

} // namespace

std::vector<StepWeights> streamableWeights(Plan const& plan, ShapeProgram const& program,
                                           std::span<EngineStep const> steps) {
    constexpr size_t kLeast = size_t{64} << 10U; // bytes; a smaller copy costs more time than the memory is worth
    std::vector<StepWeights> found;
    if (!plan.settings.streamsWeights || plan.settings.isStripped) return found;
    auto const readers = onlyReaders(plan.graph, program, steps);
    for (size_t step = 0; step < steps.size(); ++step) {
        StepWeights weights = weightsOf(step, steps[step], plan.device, readers);
        size_t bytes = 0;
        for (StepWeights::Part const& part : weights.parts) bytes += part.bytes;
        if (bytes >= kLeast) found.push_back(std::move(weights));
    }
    return found;
}

} // namespace tenon

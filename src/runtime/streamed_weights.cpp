// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/streamed_weights.h"

#include "plan/lay_out_memory.h"

namespace tenon {

StreamedWeights::StreamedWeights(std::vector<StepWeights> steps, size_t alignment)
    : steps_(std::move(steps)), alignment_(alignment) {
    for (StepWeights& step : steps_) {
        for (StepWeights::Part& part : step.parts) {
            part.offset = step.bytes;
            step.bytes += roundUp(part.bytes, alignment_);
        }
        bytes_ += step.bytes;
    }
}

/// First those that keep what stays in proportion to what was passed, then whatever still has room.
void StreamedWeights::setBudget(size_t budget) {
    double const share = bytes_ == 0 ? 1 : static_cast<double>(budget) / static_cast<double>(bytes_);
    size_t passed = 0;
    size_t kept = 0;
    auto const keepWithin = [&](StepWeights& step, double most) {
        step.isStreamed = static_cast<double>(kept + step.bytes) > most;
        if (!step.isStreamed) kept += step.bytes;
    };
    for (StepWeights& step : steps_) {
        passed += step.bytes;
        keepWithin(step, share * static_cast<double>(passed));
    }
    for (StepWeights& step : steps_) {
        if (step.isStreamed) keepWithin(step, static_cast<double>(budget));
    }
    layOut();
}

void StreamedWeights::layOut() {
    std::vector<Lifetime> pieces;
    for (StepWeights const& step : steps_) {
        auto const turn = static_cast<int>(pieces.size());
        if (step.isStreamed) pieces.push_back({step.bytes, turn - 1, turn});
    }
    MemoryLayout const layout = layOutMemory(pieces, alignment_);
    bufferBytes_ = layout.bytes;
    size_t turn = 0;
    for (StepWeights& step : steps_) {
        if (step.isStreamed) step.offset = layout.offsets[turn++];
    }
}

StepWeights const* StreamedWeights::ofStep(size_t step) const {
    auto const found = std::ranges::find(steps_, step, &StepWeights::step);
    return found == steps_.end() ? nullptr : &*found;
}

StepWeights const* StreamedWeights::ofConstant(int tensor) const {
    auto const found = std::ranges::find_if(steps_, [&](StepWeights const& step) {
        return std::ranges::find(step.parts, tensor, &StepWeights::Part::constant) != step.parts.end();
    });
    return found == steps_.end() || tensor == StepWeights::kPacked ? nullptr : &*found;
}

} // namespace tenon

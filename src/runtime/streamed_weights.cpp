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

/// First those that keep the resident share constant along the steps, then whatever still fits.
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

/// Consecutive ones alternate between both ends of the memory.
void StreamedWeights::layOut() {
    bufferBytes_ = 0;
    size_t before = 0;
    for (StepWeights const& step : steps_) {
        if (!step.isStreamed) continue;
        bufferBytes_ = std::max(bufferBytes_, before + step.bytes);
        before = step.bytes;
    }
    bool isAtEnd = false;
    for (StepWeights& step : steps_) {
        if (!step.isStreamed) continue;
        step.offset = isAtEnd ? bufferBytes_ - step.bytes : 0;
        isAtEnd = !isAtEnd;
    }
}

size_t StreamedWeights::mostBufferBytes() const {
    size_t largest = 0;
    size_t second = 0;
    for (StepWeights const& step : steps_) {
        second = std::max(second, std::min(largest, step.bytes));
        largest = std::max(largest, step.bytes);
    }
    return largest + second;
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

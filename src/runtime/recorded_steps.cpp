// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/recorded_steps.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr size_t kAddressesKept = 4; // for applications with two or three buffers for each input and output
constexpr size_t kLeastRecorded = 2; // launching one step is as fast as replaying a recording

} // namespace

/// Moves the entry for the segment's present addresses to the front and returns it; null if they are new.
RecordedSteps::Known* RecordedSteps::find(Segment const& segment) {
    auto const found = std::ranges::find_if(
        known_, [&](auto const& k) { return k->memory == segment.memory() && k->addresses == segment.addresses(); });
    if (found == known_.end()) return nullptr;
    std::rotate(known_.begin(), found, found + 1);
    return known_.front().get();
}

std::vector<RecordedSteps::Stretch> RecordedSteps::record(Segment const& segment, Backend const& backend,
                                                          RunStep const& runStep) {
    std::vector<Stretch> stretches;
    for (size_t step = segment.firstStep(); step < segment.endStep();) {
        size_t end = step;
        while (end < segment.endStep() && segment.isRecordable(end)) ++end;
        size_t const recorded = end - step;
        end = std::max(end, step + 1);
        stretches.push_back({step, end, nullptr});
        if (recorded >= kLeastRecorded)
            stretches.back().recording = backend.record([&](void* stream) {
                for (size_t i = step; i < end; ++i) runStep(i, stream);
            });
        step = end;
    }
    return stretches;
}

void RecordedSteps::run(Segment const& segment, Backend const& backend, void* stream, RunStep const& runStep) {
    Known* known = find(segment);
    if (known == nullptr || backend.isBeingRecorded(stream)) {
        for (size_t step = segment.firstStep(); step < segment.endStep(); ++step) runStep(step, stream);
        if (known) return;
        known_.insert(known_.begin(), std::make_unique<Known>(Known{segment.addresses(), segment.memory(), {}}));
        if (known_.size() > kAddressesKept) known_.pop_back();
        return;
    }
    if (known->stretches.empty()) known->stretches = record(segment, backend, runStep);
    for (Stretch const& stretch : known->stretches) {
        if (stretch.recording) {
            stretch.recording->replay(stream);
            continue;
        }
        for (size_t step = stretch.begin; step < stretch.end; ++step) runStep(step, stream);
    }
}

} // namespace tenon

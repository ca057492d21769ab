// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/segment.h"

#include <functional>

namespace tenon {

/// Called with each step and its nanoseconds after a run.
using StepTimes = std::function<void(Node const& node, double nanoseconds)>;

/// Times the steps of a segment by the device's clock. Belongs to a context.
class StepTimer {
public:
    void set(StepTimes times) { times_ = std::move(times); }
    bool isOn() const { return static_cast<bool>(times_); }

    void begin(Engine const& engine, Segment const& segment, void* stream);
    void ended(Segment const& segment, size_t step, void* stream) {
        moments_[step - segment.firstStep() + 1]->mark(stream);
    }
    /// Waits for the device.
    void report(Engine const& engine, Segment const& segment) const;

private:
    StepTimes times_;
    std::vector<std::unique_ptr<Moment>> moments_; // before the first step, and after each
};

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"
#include "runtime/segment.h"

#include <functional>

namespace tenon {

/// Runs the steps of a segment, and lets the device replay those that ran before with the same addresses: one call
/// instead of many. Belongs to a segment.
class RecordedSteps {
public:
    using RunStep = std::function<void(size_t step, void* stream)>;

    void run(Segment const& segment, Backend const& backend, void* stream, RunStep const& runStep);

private:
    struct Stretch {
        size_t begin;
        size_t end;
        std::unique_ptr<Recording> recording; // null: the steps run one by one
    };
    struct Known {
        std::vector<void*> addresses;
        std::byte const* memory;
        std::vector<Stretch> stretches; // empty until the second run
    };

    Known* find(Segment const& segment);
    static std::vector<Stretch> record(Segment const& segment, Backend const& backend, RunStep const& runStep);

    std::vector<std::unique_ptr<Known>> known_; // most recently used first
};

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/context_weights.h"
#include "runtime/read_sizes.h"
#include "runtime/recorded_steps.h"

#include <map>

namespace tenon {

/// A segment with the recordings of its steps.
struct PreparedSegment {
    std::unique_ptr<Segment> segment = nullptr;
    RecordedSteps recorded = {};
    std::shared_ptr<void> memory = nullptr; // of its own, for segments after the first
};

/// The segments for one set of input shapes: the first, and those after it for the sizes seen.
struct PreparedRun {
    std::vector<ShapeProgram::Input> key;
    PreparedSegment first = {};
    std::map<std::vector<int64_t>, PreparedSegment> later = {}; // by SizesRead::key()
};

/// The segments of a context for the last few input shapes. One thread at a time; the engine's device is current while
/// segments are made or dropped.
class PreparedShapes {
public:
    static constexpr size_t kKept = 8;

    PreparedShapes(Engine const& engine, StepStates const& states, ContextWeights const& weights);

    bool empty() const { return runs_.empty(); }
    size_t size() const { return runs_.size(); }
    /// Used last.
    PreparedRun& front() const { return *runs_.front(); }
    /// Moves the entry for these shapes to the front; false if nothing was.
    bool use(std::vector<ShapeProgram::Input> const& key);
    /// Prepares these shapes, at the front, and drops the least recently used ones beyond kKept.
    void add(std::vector<ShapeProgram::Input> key);
    void clear() { runs_.clear(); }

    /// The segment after `before` for these sizes, bound to the results of the earlier segments. Made if it is new, in
    /// the memory for temporary segments.
    PreparedSegment& later(PreparedRun& run, Segment const& before, SizesRead const& sizes,
                           ContextMemory const& memory);
    /// Drops the segments for sizes of earlier runs once there are as many as kKept runs have. Not during a run, whose
    /// segments read the memory of earlier ones.
    void forgetSizes(PreparedRun& run);
    /// Passes the shapes of a segment that is about to run to the plugins, unless they have them.
    void announce(Segment const& segment);

private:
    std::unique_ptr<Segment> makeSegment(ShapeProgram::Shapes shapes, size_t number) const;

    Engine const& engine_;
    StepStates const& states_;
    ContextWeights const& weights_;
    std::vector<std::unique_ptr<PreparedRun>> runs_; // most recently used first
    std::vector<Segment const*> announced_;          // by number: the segment whose shapes its plugins received last
};

} // namespace tenon

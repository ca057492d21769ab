// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/engine.h"

namespace tenon {

/// A range that a profiler of the device shows while it exists; no range without a name.
class MarkedRange {
public:
    MarkedRange(Backend const& backend, char const* name) : markers_(name ? backend.markers() : nullptr) {
        if (markers_) markers_->begin(name);
    }
    ~MarkedRange() {
        if (markers_) markers_->end();
    }
    MarkedRange(MarkedRange const&) = delete;
    MarkedRange& operator=(MarkedRange const&) = delete;

private:
    Markers const* markers_;
};

/// The names of the ranges of a run and its steps.
class StepMarkers {
public:
    StepMarkers() = default;
    /// No names for verbosity `None`, or if the device has no profiler.
    StepMarkers(Engine const& engine, ProfilingVerbosity verbosity);

    /// Null: no range.
    char const* ofStep(size_t step) const { return names_.empty() ? nullptr : names_[step].c_str(); }
    char const* ofRun() const { return names_.empty() ? nullptr : "enqueue"; }

private:
    std::vector<std::string> names_; // by step
};

} // namespace tenon

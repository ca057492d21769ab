// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include "plan/shapes/profile_shapes.h"

namespace tenon {

/// A test bench for timing: kernels of some steps of a plan, with memory for their inputs and outputs, that can be run
/// in order, repeatedly, at the optimum of a profile. Results of plugins, steps on the host and constants are zeros in
/// it.
class Stand {
public:
    /// The steps in order of execution. Weights are already packed. They may use `limit` bytes; more is an Error, also
    /// of prepare().
    Stand(std::vector<Assignment const*> const& steps, ProfileShapes const& shapes, Backend const& backend,
          size_t limit = SIZE_MAX);

    /// From now on the step at this index in `steps` runs with this tactic; before, it does not run. Steps that the
    /// device does not compute never run.
    void prepare(size_t step, int64_t tactic);
    /// Nanoseconds of a run of all steps, the least of some rounds, in this stream, else in its own; replayed as a
    /// graph if the device records.
    double time(int rounds, void* stream);

private:
    struct Step {
        Assignment const* assignment;
        std::vector<Dims> inputDims;
        std::vector<Dims> outputDims;
        bool isRun = false;
        std::vector<void const*> inputs = {};
        std::vector<void*> outputs = {};
        void const* packed = nullptr;
        std::unique_ptr<Executable> executable = nullptr;
    };

    void place();
    void pack(Step& step);
    void growWorkspace();
    std::shared_ptr<void> allocate(Backend const& backend, size_t bytes);
    void run(void* stream);

    Backend const& backend_;
    std::vector<Step> steps_;
    std::vector<std::shared_ptr<void>> memory_;
    std::shared_ptr<void> workspace_;
    size_t workspaceBytes_ = 0;
    size_t left_; // bytes that may still be used
};

} // namespace tenon

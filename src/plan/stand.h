// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/profile_shapes.h"

namespace tenon {

/// Some steps of a plan that can be run one after another, again and again, at the optimum of a profile: kernels with
/// memory for what they read and write. What plugins, steps on the host and constants would have put there is zero.
class Stand {
public:
    /// The steps in order of execution. Weights are packed already.
    Stand(std::vector<Assignment const*> const& steps, ProfileShapes const& shapes, Backend const& backend);

    /// From now on this step (its place in `steps`) runs in this way; before, it does not run. What is not the
    /// device's work never runs.
    void prepare(size_t step, int64_t tactic);
    /// Nanoseconds of a run of all steps, the least of some rounds, recorded where the device records.
    double time(int rounds);

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
    void run(void* stream);
    void* allocate(size_t bytes);

    Backend const& backend_;
    std::vector<Step> steps_;
    std::vector<std::shared_ptr<void>> memory_;
    std::shared_ptr<void> workspace_;
    size_t workspaceBytes_ = 0;
};

} // namespace tenon

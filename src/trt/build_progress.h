// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "base/error.h"

namespace tenon::trt {

/// Tells a progress monitor, where there is one, how far a build is: one phase of two steps, choosing and saving.
class BuildProgress {
public:
    explicit BuildProgress(nvinfer1::IProgressMonitor* monitor) : monitor_(monitor) {
        if (monitor_) monitor_->phaseStart(kPhase, nullptr, 2);
    }
    ~BuildProgress() {
        if (monitor_) monitor_->phaseFinish(kPhase);
    }
    BuildProgress(BuildProgress const&) = delete;
    BuildProgress& operator=(BuildProgress const&) = delete;

    /// An Error where the monitor wants to stop.
    void step() {
        if (monitor_ && !monitor_->stepComplete(kPhase, step_++))
            fail(ErrorCode::InvalidState, "the progress monitor stopped the build");
    }

private:
    static constexpr char const* kPhase = "Building the engine";
    nvinfer1::IProgressMonitor* monitor_;
    int32_t step_ = 0;
};

} // namespace tenon::trt

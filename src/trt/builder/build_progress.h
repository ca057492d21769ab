// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "base/error.h"
#include "plan/build.h"
#include "trt/edge/edge.h"

#include <utility>

namespace tenon::trt {

/// Tells a progress monitor, where there is one, how far a build is: a phase with a step for each stage, and inside it
/// a phase of one step for the stage that it is in.
class BuildProgress {
public:
    BuildProgress(nvinfer1::IProgressMonitor* monitor, Log log) : monitor_(monitor), log_(std::move(log)) {
        if (monitor_) monitor_->phaseStart(kWhole, nullptr, static_cast<int32_t>(names(BuildStage{}).size()));
    }
    ~BuildProgress() {
        if (monitor_ && stage_) finish(stage_);
        if (monitor_) finish(kWhole);
    }
    BuildProgress(BuildProgress const&) = delete;
    BuildProgress& operator=(BuildProgress const&) = delete;

    /// Ends the stage before. An Error where the monitor wants to stop.
    void enter(BuildStage stage) {
        leave();
        if (monitor_ == nullptr) return;
        stage_ = names(stage)[static_cast<size_t>(stage)].data();
        monitor_->phaseStart(stage_, kWhole, 1);
    }
    void leave() {
        if (stage_ == nullptr) return;
        complete(stage_, 0);
        finish(std::exchange(stage_, nullptr));
        complete(kWhole, done_++);
    }

private:
    void finish(char const* phase) noexcept {
        callToTheEnd(log_, "IProgressMonitor::phaseFinish", [&] { monitor_->phaseFinish(phase); });
    }
    void complete(char const* phase, int32_t step) {
        if (!monitor_->stepComplete(phase, step))
            fail(ErrorCode::InvalidState, "the progress monitor stopped the build");
    }

    static constexpr char const* kWhole = "Building the engine";
    nvinfer1::IProgressMonitor* monitor_;
    Log log_;
    char const* stage_ = nullptr;
    int32_t done_ = 0;
};

} // namespace tenon::trt

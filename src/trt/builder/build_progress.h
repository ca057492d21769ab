// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "base/error.h"
#include "plan/build.h"
#include "trt/edge/edge.h"

#include <utility>

namespace tenon::trt {

/// Reports the progress of a build to a progress monitor, if there is one: a phase with a step for each stage, and
/// inside it a phase of one step for the present stage. Calibration is a stage, too, which contains a phase for each
/// batch: only the calibrator knows their number.
class BuildProgress {
public:
    BuildProgress(nvinfer1::IProgressMonitor* monitor, Log log, bool calibrates)
        : monitor_(monitor), log_(std::move(log)) {
        size_t const stages = names(BuildStage{}).size() + (calibrates ? 1 : 0);
        if (monitor_) monitor_->phaseStart(kWhole, nullptr, static_cast<int32_t>(stages));
    }
    ~BuildProgress() {
        if (monitor_ && isInBatch_) finish(kBatch);
        if (monitor_ && stage_) finish(stage_);
        if (monitor_) finish(kWhole);
    }
    BuildProgress(BuildProgress const&) = delete;
    BuildProgress& operator=(BuildProgress const&) = delete;

    /// Ends the previous stage. An Error if the monitor cancels the build.
    void enter(BuildStage stage) { enter(names(stage)[static_cast<size_t>(stage)].data()); }
    void enterCalibration() { enter(kCalibration); }
    void enterBatch() {
        if (monitor_) monitor_->phaseStart(kBatch, kCalibration, 1);
        isInBatch_ = true;
    }
    void leaveBatch() {
        if (monitor_) complete(kBatch, 0);
        if (monitor_) finish(kBatch);
        isInBatch_ = false;
    }
    void leave() {
        if (stage_ == nullptr) return;
        complete(stage_, 0);
        finish(std::exchange(stage_, nullptr));
        complete(kWhole, done_++);
    }

private:
    void enter(char const* stage) {
        leave();
        if (monitor_ == nullptr) return;
        stage_ = stage;
        monitor_->phaseStart(stage_, kWhole, 1);
    }
    void finish(char const* phase) noexcept {
        callToTheEnd(log_, "IProgressMonitor::phaseFinish", [&] { monitor_->phaseFinish(phase); });
    }
    void complete(char const* phase, int32_t step) {
        if (!monitor_->stepComplete(phase, step))
            fail(ErrorCode::InvalidState, "the progress monitor stopped the build");
    }

    static constexpr char const* kWhole = "Building the engine";
    static constexpr char const* kCalibration = "Calibrating";
    static constexpr char const* kBatch = "Running a batch";
    nvinfer1::IProgressMonitor* monitor_;
    Log log_;
    char const* stage_ = nullptr;
    bool isInBatch_ = false;
    int32_t done_ = 0;
};

} // namespace tenon::trt

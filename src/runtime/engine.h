// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/refit.h"
#include "runtime/plan_segments.h"
#include "runtime/plan_streams.h"
#include "runtime/resident_weights.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// A plan ready to run: weights where the kernels read them, plugins started. Immutable but for refit(),
/// setWeightBudget() and settleWeights(); any thread may use it, and it must outlive its contexts.
class Engine {
public:
    /// Takes over the plan. An Error names the node that cannot be prepared. With plugins that have not been revived it
    /// can tell its memory, but no context can be made.
    explicit Engine(Plan plan, Log log = {}) : Engine(std::make_shared<Plan>(std::move(plan)), std::move(log)) {}
    explicit Engine(std::shared_ptr<Plan> plan, Log log = {});
    Engine(Engine const&) = delete;
    Engine& operator=(Engine const&) = delete;

    Plan const& plan() const { return *plan_; }
    /// The kind of device that it runs on, and the index of the device: the one that was current when it was made.
    Backend const& backend() const { return backend_; }
    int deviceIndex() const { return deviceIndex_; }
    ShapeProgram const& shapeProgram() const { return program_; }
    Log const& log() const { return log_; }

    using Step = EngineStep;
    std::vector<Step> const& steps() const { return steps_; }
    /// How the steps are divided at what a run has to read before it goes on.
    std::vector<SegmentPlan> const& segments() const { return segments_; }
    /// All shapes are known before a run, so that nothing is read in it.
    bool isOneSegment() const { return segments_.size() == 1 && !segments_.front().reads(); }
    /// The bytes of a constant in the label that its readers want, on the host where it is streamed; null for other
    /// tensors.
    void const* constantData(int tensor) const { return weights_.constant(tensor); }

    /// Whether it is a constant that no step reads as it is: packed weights hold what is needed of it.
    bool isUnread(int tensor) const { return weights_.isUnread(tensor); }

    /// In which stream each step runs; empty: all in the caller's.
    std::vector<StepPlace> const& places() const { return places_; }
    int auxStreams() const { return auxiliaryStreams(places_); }
    /// The first step that may still be running when this one begins; itself where steps run one after another.
    size_t firstBeside(size_t step) const {
        return places_.empty() ? step : static_cast<size_t>(places_[step].firstBeside);
    }

    /// Bytes of activations and workspaces that all shapes of a profile find room in. An Error for a stripped plan,
    /// whose kernels cannot be prepared.
    size_t memoryBytes(int profile) const;

    /// Exchanges weights, as tenon::refit() does in its plan. Nothing may run meanwhile; contexts take the new weights
    /// when they run next. Memory of a device that holds weights stays where it is.
    void refit(Refit const& values);
    /// Which weights there are now: how often they were exchanged, or put elsewhere.
    int64_t weightsVersion() const { return weights_.version(); }
    /// An Error where weights were left out of the plan and not given back.
    void expectUnstripped() const { weights_.expectUnstripped(); }
    /// An Error, also where weights are not where kernels read them, so that nothing can run.
    void expectWeights() const { weights_.expectPresent(); }

    /// Weights that may stay in host memory, where the plan was built for it (PlanSettings::streamsWeights).
    StreamedWeights const& streamedWeights() const { return weights_.streamed(); }
    /// Puts these weights where they are to be: at most so many bytes of them on the device; each run streams the
    /// others into memory of its context. Nothing may run meanwhile; contexts follow when they run next, and recordings
    /// that programs made of runs are void. Where the engine computes in host memory, nothing moves. After an Error, as
    /// where there is no memory for them, they are nowhere, and the engine waits for another budget.
    void setWeightBudget(size_t bytes) { weights_.setBudget(bytes); }
    std::optional<size_t> weightBudget() const { return weights_.budget(); }
    /// Without a budget so far, all weights go to the device.
    void settleWeights() { weights_.settle(); }
    /// A budget that leaves room on the device, as it is now, for a context at the largest shapes.
    size_t affordableWeightBudget() const;
    /// Runs bring weights to the device.
    bool streamsNow() const { return weights_.streamsNow(); }
    /// Where weights that may be streamed are between runs: on the host if they are streamed.
    void const* weightsAt(size_t step, StepWeights::Part const& part) const { return weights_.at(step, part); }

private:
    friend class ResidentWeights; // reloads those of the graphs inside of steps

    void makeSteps();
    Step stepOf(Assignment const& assignment) const;
    void start(Step const& step) const;
    void placeSteps();

    std::shared_ptr<Plan> plan_;
    Log log_;
    Backend const& backend_;
    int deviceIndex_;
    ShapeProgram program_;
    std::vector<Step> steps_;
    std::vector<SegmentPlan> segments_;
    std::vector<StepPlace> places_;
    ResidentWeights weights_;
};

} // namespace tenon

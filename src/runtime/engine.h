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

/// A plan ready to run: weights where the kernels read them, plugins started. Immutable except for refit(),
/// setWeightBudget() and settleWeights(); any thread may use it, and it must outlive its contexts.
class Engine {
public:
    /// Takes over the plan. An Error names the node that cannot be prepared. With plugins that are not revived it can
    /// report its memory, but contexts cannot be made.
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
    /// The segments of the steps, divided where a run must read data before it continues.
    std::vector<SegmentPlan> const& segments() const { return segments_; }
    /// All shapes are known before a run, so a run reads nothing back.
    bool isOneSegment() const { return segments_.size() == 1 && !segments_.front().reads(); }
    /// The bytes of a constant in the label that its readers read, on the host if it is streamed; null for other
    /// tensors.
    void const* constantData(int tensor) const { return weights_.constant(tensor); }

    /// Whether it is a constant that no step reads unpacked: packed weights contain its data.
    bool isUnread(int tensor) const { return weights_.isUnread(tensor); }

    /// The stream of each step; empty: all in the caller's.
    std::vector<StepPlace> const& places() const { return places_; }
    int auxStreams() const { return auxiliaryStreams(places_); }
    /// The first step that may still be running when this one begins; the step itself if steps run one after another.
    size_t firstBeside(size_t step) const {
        return places_.empty() ? step : static_cast<size_t>(places_[step].firstBeside);
    }

    /// Bytes of activations and workspaces that suffice for all shapes of a profile. An Error for a stripped plan,
    /// whose kernels cannot be prepared.
    size_t memoryBytes(int profile) const;

    /// Exchanges weights, as tenon::refit() does in its plan. Nothing may run meanwhile; contexts use the new weights
    /// in their next run. Device memory of weights stays at its address.
    void refit(Refit const& values);
    /// The version of the weights: the number of times that they were exchanged or moved.
    int64_t weightsVersion() const { return weights_.version(); }
    /// An Error if weights were left out of the plan and have not been refitted.
    void expectUnstripped() const { weights_.expectUnstripped(); }
    /// An Error, also if weights are not where kernels read them, so that nothing can run.
    void expectWeights() const { weights_.expectPresent(); }

    /// Weights that may stay in host memory, if the plan was built for it (PlanSettings::streamsWeights).
    StreamedWeights const& streamedWeights() const { return weights_.streamed(); }
    /// Moves these weights: at most this many bytes of them to the device; each run streams the others into memory of
    /// its context. Nothing may run meanwhile; contexts follow in their next run, and recordings of runs by
    /// applications become invalid. If the engine computes in host memory, nothing moves. After an Error, such as out
    /// of memory, they are not loaded, and the engine waits for another budget.
    void setWeightBudget(size_t bytes) { weights_.setBudget(bytes); }
    std::optional<size_t> weightBudget() const { return weights_.budget(); }
    /// Without a budget so far, moves all weights to the device.
    void settleWeights() { weights_.settle(); }
    /// A budget that leaves room on the device, at present, for a context at the largest shapes.
    size_t affordableWeightBudget() const;
    /// Runs copy weights to the device.
    bool streamsNow() const { return weights_.streamsNow(); }
    /// Location of streamable weights between runs: the host if they are streamed.
    void const* weightsAt(size_t step, StepWeights::Part const& part) const { return weights_.at(step, part); }

private:
    friend class ResidentWeights; // reloads those of the graphs inside steps

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

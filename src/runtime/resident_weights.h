// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/engine_step.h"
#include "runtime/streamed_weights.h"

#include <atomic>
#include <optional>

namespace tenon {

/// The weights of an engine where its kernels read them: constants and packed weights, on the device or, for those that
/// runs stream, in host memory. exchange(), setBudget() and settle() change them while nothing runs; any thread may
/// call the rest.
class ResidentWeights {
public:
    /// load() sets the packed weights of `steps`, which may be added until then. All of these outlive it.
    ResidentWeights(Plan const& plan, ShapeProgram const& program, std::vector<EngineStep>& steps, int deviceIndex);

    void load();

    /// The bytes of a constant; null for other tensors.
    void const* constant(int tensor) const { return constants_[static_cast<size_t>(tensor)].get(); }
    /// Whether it is a constant that no step reads unpacked.
    bool isUnread(int tensor) const { return isUnread_[static_cast<size_t>(tensor)]; }

    /// How often weights were exchanged or moved.
    int64_t version() const { return version_; }
    void expectUnstripped() const;
    /// An Error if some weights are not where kernels read them, so that nothing can run.
    void expectPresent() const;

    /// Loads all weights again after change(), which changes those of the plan. If change() throws, they are unchanged.
    template <class Change> void exchange(Change const& change) {
        State otherwise = state_.exchange(State::BeingExchanged); // as before if the plan refuses the values
        try {
            change();
            otherwise = State::Lost; // unless all of it is loaded
            reload();
        } catch (...) {
            state_ = otherwise;
            throw;
        }
        state_ = State::Present;
    }

    StreamedWeights const& streamed() const { return streamed_; }
    bool streamsNow() const { return plan_.device != Device::Cpu && streamed_.bufferBytes() != 0; }
    std::optional<size_t> budget() const { return budget_; }
    void setBudget(size_t bytes);
    /// Sets a budget for all weights, unless one is set.
    void settle();
    /// The largest budget that leaves `context` bytes on the device, at present, and some for the application.
    size_t affordableBudget(size_t context) const;
    /// Location of streamable weights between runs.
    void const* at(size_t step, StepWeights::Part const& part) const {
        return const_cast<ResidentWeights&>(*this).memoryOf(step, part).get();
    }

private:
    using Memory = std::shared_ptr<void const>;
    enum class Load { Missing, All };
    enum class State { Present, BeingExchanged, Lost }; // Lost: some could not be loaded where kernels read them

    /// No budget is set yet, so the weights that may be streamed are not loaded.
    bool waitsForBudget() const { return plan_.settings.streamsWeights && plan_.device != Device::Cpu && !budget_; }
    Memory& memoryOf(size_t step, StepWeights::Part const& part);
    std::vector<bool> readByStepsOrCaller() const;
    void findStreamable();
    void upload(Memory& memory, void const* data, size_t bytes, StepWeights const* streamable) const;
    void putInLabel(Memory& memory, Literal const& literal, Label const& label, StepWeights const* streamable) const;
    void loadPacked(size_t step, Load which);
    void loadConstants(Load which);
    void load(Load which);
    void reload();
    void release(StepWeights const& weights);
    bool releaseMoved(StreamedWeights const& before, bool werePresent);
    void unloadStreamable();
    size_t streamableBytesPresent() const;

    Plan const& plan_;
    ShapeProgram const& program_;
    std::vector<EngineStep>& steps_;
    Backend const& backend_;
    int deviceIndex_;
    std::vector<Memory> constants_; // by tensor number
    std::vector<bool> isUnread_;    // by tensor number
    StreamedWeights streamed_{{}, 1};
    std::optional<size_t> budget_;
    int64_t version_ = 0;
    std::atomic<State> state_{State::Present}; // contexts of other threads read it
};

} // namespace tenon

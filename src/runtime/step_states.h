// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/segment.h"

namespace tenon {

/// The objects of a context for each step: plugins (the engine's, or clones), attached, and contexts for the
/// graphs inside layers. Made and cleared while the engine's device is current.
class StepStates {
public:
    /// `threads`: for the contexts inside.
    StepStates(Engine const& engine, int threads, PluginResources const& resources);

    std::vector<StepState> const& all() const { return states_; }
    void clear();

    /// Calls visit(context) for each graph inside a layer.
    template <class Visit> void eachBody(Visit const& visit) const {
        for (StepState const& state : states_) {
            for (auto const& body : state.bodies) visit(*body);
        }
    }

    void setStreamed(size_t step, void const* packed) { states_[step].streamed = packed; }
    void forgetStreamed();

private:
    LibraryHandles handles_; // plugins hold them until they are detached
    std::vector<std::shared_ptr<PluginLife>> plugins_;
    std::vector<StepState> states_; // by step
};

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/step_states.h"

#include "base/error.h"
#include "runtime/context.h"

#include <algorithm>

namespace tenon {

StepStates::StepStates(Engine const& engine, int threads, PluginResources const& resources) {
    Backend const& backend = engine.backend();
    bool const anyPlugin = std::ranges::any_of(engine.steps(), [](auto const& step) { return step.plugin != nullptr; });
    if (anyPlugin) handles_ = backend.makeLibraryHandles();
    PluginResources onHost = resources;
    PluginResources onDevice = resources;
    onDevice.device = engine.plan().device;
    onDevice.cudnn = handles_.cudnn.get();
    onDevice.cublas = handles_.cublas.get();
    if (onDevice.device != Device::Cpu)
        onHost.allocator = onHost.hostAllocator; // the other one allocates device memory
    for (Engine::Step const& step : engine.steps()) {
        StepState& state = states_.emplace_back();
        for (auto const& body : step.bodies) state.bodies.push_back(Context::inside(*body, threads, resources));
        if (!step.plugin) continue;
        locate([&] { return text(*step.assignment->node); },
               [&] { plugins_.push_back(step.plugin->life().forContext(step.onHost ? onHost : onDevice)); });
        state.plugin = plugins_.back().get();
    }
}

void StepStates::clear() {
    states_.clear();
    plugins_.clear();
}

void StepStates::forgetStreamed() {
    for (StepState& state : states_) state.streamed = nullptr;
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/engine.h"

#include "backends/streams.h"
#include "base/error.h"
#include "plan/kernels/candidates.h"
#include "plan/plugins/begun_plugins.h"
#include "runtime/segment.h"

#include <algorithm>

namespace tenon {

int64_t EngineStep::aliasOf(size_t output) const {
    return plugin && output < plugin->built().aliases.size() ? plugin->built().aliases[output] : -1;
}

Engine::Engine(std::shared_ptr<Plan> plan, Log log)
    : plan_(std::move(plan)), log_(std::move(log)), backend_(backendOf(plan_->device)),
      deviceIndex_(backend_.current()), program_(plan_->graph), weights_(*plan_, program_, steps_, deviceIndex_) {
    makeSteps();
    weights_.load();
    placeSteps();
    for (Step const& step : steps_) {
        if (step.plugin && step.plugin->hasPlugin()) start(step);
    }
}

/// The engine's plugin objects are those of the plan; contexts have clones of them. In a plan that was built in this
/// process they are already started.
void Engine::start(Step const& step) const {
    PluginLife& life = step.plugin->life();
    locate([&] { return text(*step.assignment->node); },
           [&] {
               life.setPlace(placeOf(step.assignment->variant, *plan_));
               life.shareAmongContexts();
               life.start();
           });
}

Engine::Step Engine::stepOf(Assignment const& assignment) const {
    Node const& node = *assignment.node;
    Step step{&assignment, {}, {}, as<PluginLayer>(*node.layer), node.layer->sizes(operandsOf(node))};
    step.onHost = plan_->device != Device::Cpu && assignment.bodies.empty() && isOnHost(assignment.variant);
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        bool const packed = assignment.variant.packs(i);
        step.inputs.push_back(packed ? -1 : program_.numberOf(node.inputs()[i]));
    }
    for (Tensor const* output : node.outputs()) step.outputs.push_back(program_.numberOf(output));
    for (auto const& body : assignment.bodies) {
        step.bodies.push_back(std::make_unique<Engine>(body, log_));
        step.bodies.back()->settleWeights(); // it may run many times
    }
    return step;
}

void Engine::makeSteps() {
    std::vector<Node const*> nodes;
    for (Assignment const& assignment : plan_->nodes) {
        steps_.push_back(stepOf(assignment));
        nodes.push_back(assignment.node);
    }
    segments_ = planSegments(nodes, program_);
}

size_t Engine::affordableWeightBudget() const {
    CurrentDevice const current(backend_, deviceIndex_);
    expectUnstripped();
    if (streamedWeights().bytes() == 0) return 0;
    size_t context = 0;
    for (size_t profile = 0; profile < plan_->profiles.size(); ++profile)
        context = std::max(context, memoryBytes(static_cast<int>(profile)));
    return weights_.affordableBudget(context);
}

void Engine::refit(Refit const& values) {
    CurrentDevice const current(backend_, deviceIndex_);
    weights_.exchange([&] { tenon::refit(*plan_, values, log_); });
}

void Engine::placeSteps() {
    bool const oneByOne = plan_->settings.streamsWeights; // as each step's weights arrive
    if (plan_->settings.auxStreams == 0 || oneByOne || backend_.streams() == nullptr) return;
    std::vector<int> writer(static_cast<size_t>(program_.tensorCount()), -1);
    std::vector<StepNeeds> needs;
    for (Step const& step : steps_) {
        StepNeeds& one =
            needs.emplace_back(StepNeeds{{}, step.plugin != nullptr || step.onHost || !step.bodies.empty()});
        for (int const input : step.inputs) {
            if (input >= 0 && writer[static_cast<size_t>(input)] >= 0)
                one.steps.push_back(writer[static_cast<size_t>(input)]);
        }
        for (int const output : step.outputs) writer[static_cast<size_t>(output)] = static_cast<int>(needs.size()) - 1;
    }
    places_ = planStreams(needs, static_cast<int>(plan_->settings.auxStreams));
}

size_t Engine::memoryBytes(int profile) const {
    expectUnstripped();
    return Segment::bytesWithin(*this, ProfileShapes(plan_->graph, plan_->profiles.at(static_cast<size_t>(profile))));
}

} // namespace tenon

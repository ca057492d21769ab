// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/engine.h"

#include "base/error.h"
#include "graph/reformat.h"
#include "plan/begun_plugins.h"
#include "plan/choose_kernels.h"
#include "runtime/segment.h"

namespace tenon {

int64_t Engine::Step::aliasOf(size_t output) const {
    return plugin && output < plugin->built().aliases.size() ? plugin->built().aliases[output] : -1;
}

Engine::Engine(std::shared_ptr<Plan> plan, Log log)
    : plan_(std::move(plan)), log_(std::move(log)), backend_(backendOf(plan_->device)),
      deviceIndex_(backend_.current()) {
    program_ = std::make_unique<ShapeProgram>(plan_->graph);
    makeSteps();
    loadConstants();
    placeSteps();
    for (Step const& step : steps_) {
        if (step.plugin && step.plugin->hasPlugin()) start(step);
    }
}

/// The engine's plugin objects are those of the plan; contexts have clones of them. In a plan that was built in this
/// process they are started already.
void Engine::start(Step const& step) const {
    PluginLife& life = step.plugin->life();
    locate([&] { return text(*step.assignment->node); },
           [&] {
               life.setPlace(placeOf(step.assignment->variant, *plan_));
               life.shareAmongContexts();
               life.start();
           });
}

/// Into the memory that there is, which programs may have recorded runs with, or into new memory.
void Engine::upload(std::shared_ptr<void const>& memory, void const* data, size_t bytes) const {
    if (!memory) memory = backend_.allocate(bytes);
    backend_.copy(const_cast<void*>(memory.get()), data, bytes, nullptr);
    backend_.synchronize(nullptr);
}

void Engine::putInLabel(std::shared_ptr<void const>& memory, Literal const& literal, Label const& label) const {
    Label const plain{literal.type(), Format::linear(), Device::Cpu};
    Label onHost = label;
    onHost.device = Device::Cpu;
    std::shared_ptr<void const> found(std::make_shared<Literal>(literal), literal.data()); // shares the bytes
    size_t const bytes = bytesOf(literal.dims(), onHost);
    if (onHost != plain) {
        auto reordered = allocateHost(bytes);
        reformat(literal.dims(), plain, literal.data(), onHost, reordered.get());
        found = reordered;
    }
    if (label.device != Device::Cpu) return upload(memory, found.get(), bytes);
    memory = found;
}

/// Those that steps read as they are, and outputs. Of others the packed weights are all that a run needs.
void Engine::loadConstants() {
    constants_.resize(static_cast<size_t>(program_->tensorCount()));
    isUnread_.resize(constants_.size(), false);
    std::vector<bool> isRead(constants_.size(), false);
    for (Step const& step : steps_) {
        for (int const input : step.inputs) {
            if (input >= 0) isRead[static_cast<size_t>(input)] = true;
        }
    }
    for (Tensor const* output : plan_->graph.outputs()) isRead[static_cast<size_t>(program_->numberOf(output))] = true;
    for (auto const& tensor : plan_->graph.tensors()) {
        auto const number = static_cast<size_t>(program_->numberOf(tensor.get()));
        Literal const* const literal = tensor->literal();
        isUnread_[number] = literal && !isRead[number];
        if (plan_->settings.isStripped) continue;
        if (literal && isRead[number]) putInLabel(constants_[number], *literal, tensor->label);
    }
}

void Engine::makeSteps() {
    for (Assignment const& assignment : plan_->nodes) {
        Node const& node = *assignment.node;
        Step step{&assignment, {}, {}, as<PluginLayer>(*node.layer), node.layer->sizes(operandsOf(node))};
        step.onHost = plan_->device != Device::Cpu && assignment.bodies.empty() && isOnHost(assignment.variant);
        loadPacked(step);
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            bool const packed = assignment.variant.packs(i);
            step.inputs.push_back(packed ? -1 : program_->numberOf(node.inputs()[i]));
        }
        for (Tensor const* output : node.outputs()) step.outputs.push_back(program_->numberOf(output));
        for (auto const& body : assignment.bodies) step.bodies.push_back(std::make_unique<Engine>(body, log_));
        steps_.push_back(std::move(step));
    }
}

void Engine::loadPacked(Step& step) const {
    Packed const* const packed = step.assignment->packed.get();
    if (packed == nullptr || plan_->settings.isStripped) return;
    bool const isShared = plan_->device == Device::Cpu || step.onHost || step.assignment->variant.code;
    if (!isShared) return upload(step.packed, packed->bytes.data(), packed->bytes.bytes());
    step.packed = std::shared_ptr<void const>(step.assignment->packed, packed->bytes.data());
}

void Engine::refit(Refit const& values) {
    CurrentDevice const current(backend_, deviceIndex_);
    tenon::refit(*plan_, values, log_);
    isBroken_ = true; // unless all of it is there
    reload();
    isBroken_ = false;
}

void Engine::reload() {
    ++refits_;
    for (Step& step : steps_) {
        loadPacked(step);
        for (auto const& body : step.bodies) body->reload();
    }
    loadConstants();
}

void Engine::placeSteps() {
    if (plan_->settings.auxStreams == 0 || backend_.streams() == nullptr) return;
    std::vector<int> writer(static_cast<size_t>(program_->tensorCount()), -1);
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
    auto const inputs = inputsAt(plan_->graph, plan_->profiles.at(static_cast<size_t>(profile)), ProfilePoint::Max);
    return Segment::bytesAt(*this, program_->evaluate(inputs));
}

} // namespace tenon

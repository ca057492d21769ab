// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/segment.h"

#include "base/error.h"
#include "runtime/body_run.h"
#include "runtime/plugin_step.h"

#include <algorithm>

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

size_t at(int number) { return static_cast<size_t>(number); }

bool crossesDevices(Variant const& variant) {
    auto const isElsewhere = [&](Label const& label) { return label.device != variant.outputs[0].device; };
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        if (!variant.packs(i) && isElsewhere(variant.inputs[i])) return true;
    }
    return std::ranges::any_of(variant.outputs, isElsewhere);
}

} // namespace

Segment::Segment(Engine const& engine, Shapes shapes, size_t number, std::vector<StepState> const& states)
    : engine_(engine), shapes_(std::move(shapes)), number_(number), first_(plan().first) {
    std::vector<size_t> workspaces;
    for (size_t step = first_; step < plan().end; ++step) {
        runs_.push_back(makeRun(engine.steps()[step], states[step]));
        workspaces.push_back(runs_.back().workspaceBytes);
    }
    memory_ = layOutSegment(engine, shapes_, plan(), workspaces);
    for (size_t i = 0; i < runs_.size(); ++i) runs_[i].skip = memory_.isView[i] != 0;
    findUses();
    findCopies();
    if (memory_.hostLayout.bytes != 0) hostMemory_ = engine.backend().allocateStaging(memory_.hostLayout.bytes);
    data_.assign(shapes_.dims.size(), nullptr);
    bound_.assign(shapes_.dims.size(), 0);
    bindFixed();
}

Segment::Run Segment::makeRun(Step const& step, StepState const& state) const {
    expectFits(step, engine_, shapes_);
    Run run;
    run.plugin = state.plugin;
    if (!run.plugin) run.executable = prepareStep(step, engine_, shapes_, state);
    bool const anyUnbounded =
        std::ranges::any_of(step.outputs, [&](int output) { return shapes_.unbounded[at(output)] != 0; });
    if (anyUnbounded) run.bodies = static_cast<BodyRun const*>(run.executable.get()); // no other steps have such memory
    run.inputs.resize(step.inputs.size(), nullptr);
    run.outputs.resize(step.outputs.size(), nullptr);
    run.workspaceBytes =
        run.plugin ? pluginWorkspace(step, engine_, shapes_, *run.plugin) : run.executable->workspaceBytes();
    return run;
}

void Segment::findUses() {
    uses_.resize(shapes_.dims.size());
    for (size_t i = 0; i < runs_.size(); ++i) {
        Step const& step = engine_.steps()[first_ + i];
        for (size_t k = 0; k < step.inputs.size(); ++k) {
            if (step.inputs[k] >= 0) uses_[at(step.inputs[k])].push_back({i, k, false});
        }
        for (size_t k = 0; k < step.outputs.size(); ++k) uses_[at(step.outputs[k])].push_back({i, k, true});
    }
}

void Segment::findCopies() {
    for (size_t i = 0; i < runs_.size(); ++i) {
        Step const& step = engine_.steps()[first_ + i];
        runs_[i].firstCopy = copies_.size();
        for (size_t output = 0; output < step.outputs.size(); ++output) {
            if (step.aliasOf(output) < 0) continue;
            auto const input = static_cast<size_t>(step.aliasOf(output));
            if (memory_.pieceOf[at(step.inputs[input])] == memory_.pieceOf[at(step.outputs[output])]) continue;
            Node const& node = *step.assignment->node;
            Tensor const* tensor = node.input(static_cast<int>(input));
            size_t const bytes = tensorBytes(engine_, shapes_, tensor);
            if (bytes != tensorBytes(engine_, shapes_, node.output(static_cast<int>(output))))
                fail(ErrorCode::Plugin, node, ": output ", output, " is an alias of input ", input,
                     ", but has another size at these shapes");
            copies_.push_back({input, output, bytes});
        }
        runs_[i].endCopy = copies_.size();
    }
}

/// Binds constants and shape tensors, whose addresses never change.
void Segment::bindFixed() {
    for (auto const& tensor : engine_.plan().graph.tensors()) {
        int const number = engine_.shapeProgram().numberOf(tensor.get());
        if (engine_.isUnread(number)) continue;
        void const* fixed = engine_.constantData(number);
        if (!fixed && (tensor->onHost || tensor->literal())) fixed = shapes_.host[at(number)].data();
        if (fixed) bind(number, const_cast<void*>(fixed));
    }
}

std::byte* Segment::place(int piece) const {
    if (memory_.onHost[at(piece)] != 0)
        return static_cast<std::byte*>(hostMemory_.get()) + memory_.hostLayout.offsets[at(piece)];
    return placed_ + memory_.layout.offsets[at(piece)];
}

void Segment::bind(int tensor, void* data) {
    int const piece = memory_.pieceOf[at(tensor)];
    bool const bound = data != nullptr;
    if (!data && piece >= 0 && placed_) data = place(piece);
    put(tensor, data, bound);
    for (SegmentMemory::Follower const& one : memory_.followersOf(tensor)) put(one.tensor, data, bound);
}

void Segment::put(int tensor, void* data, bool bound) {
    bound_[at(tensor)] = bound ? 1 : 0;
    if (data_[at(tensor)] != data) point(tensor, data);
}

/// Takes time in proportion to the uses of the tensor, so that setting all tensors is linear.
void Segment::point(int tensor, void* data) {
    data_[at(tensor)] = data;
    for (Use const& use : uses_[at(tensor)]) {
        Run& run = runs_[use.run];
        if (use.isOutput)
            run.outputs[use.index] = data;
        else
            run.inputs[use.index] = data;
        for (Copy& copy : copiesOf(run)) {
            if (!use.isOutput && copy.input == use.index) copy.from = data;
            run.inputs[copy.input] = run.outputs[copy.output];
        }
    }
}

void Segment::placeIn(std::byte* memory) {
    if (placed_ == memory) return;
    placed_ = memory;
    for (size_t number = 0; number < data_.size(); ++number) {
        if (memory_.pieceOf[number] >= 0 && !bound_[number]) bind(static_cast<int>(number), nullptr);
    }
    for (size_t i = 0; i < runs_.size(); ++i) {
        if (memory_.workspace[i] >= 0) runs_[i].workspace = place(memory_.workspace[i]);
    }
}

void Segment::announceShapes() const {
    for (size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i].plugin) tenon::announceShapes(engine_.steps()[first_ + i], engine_, shapes_, *runs_[i].plugin);
    }
}

void Segment::run(size_t step, void* stream, void* communicator) {
    Run& run = runs_[step - first_];
    if (run.skip) return;
    for (Copy const& copy : copiesOf(run))
        engine_.backend().copy(run.outputs[copy.output], copy.from, copy.bytes, stream);
    if (engine_.steps()[step].onHost) engine_.backend().synchronize(stream); // its inputs must have arrived on the host
    Pointers const pointers{run.inputs.data(), run.outputs.data(), run.workspace, stream, communicator};
    if (run.plugin) return enqueuePlugin(*run.plugin, engine_.backend(), pointers, run.workspaceBytes);
    run.executable->run(pointers);
    if (run.bodies) takeOwnMemory(*run.bodies, engine_.steps()[step]);
}

void Segment::takeOwnMemory(BodyRun const& bodies, Engine::Step const& step) {
    for (size_t i = 0; i < step.outputs.size(); ++i) {
        if (shapes_.unbounded[at(step.outputs[i])]) bind(step.outputs[i], bodies.ownMemory(i));
    }
}

/// Copies between devices are not recorded: the recording would read wrong memory if the application freed it and
/// allocated the same address again. A step on the host, which waits, is next to them anyway.
bool Segment::isRecordable(size_t step) const {
    Run const& run = runs_[step - first_];
    Engine::Step const& which = engine_.steps()[step];
    return run.executable && !run.executable->waits() && !which.onHost && !crossesDevices(which.assignment->variant);
}

} // namespace tenon

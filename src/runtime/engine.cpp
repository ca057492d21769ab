// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/engine.h"

#include "backends/streams.h"
#include "base/error.h"
#include "graph/reformat.h"
#include "plan/kernels/candidates.h"
#include "plan/plugins/begun_plugins.h"
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
    findStreamable();
    load(Load::All);
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
void Engine::upload(Memory& memory, void const* data, size_t bytes, StepWeights const* streamable) const {
    bool const isStreamed = streamable && streamable->isStreamed;
    if (!memory) memory = isStreamed ? backend_.allocateStaging(bytes) : backend_.allocate(bytes);
    backend_.copy(const_cast<void*>(memory.get()), data, bytes, nullptr);
    backend_.synchronize(nullptr);
}

void Engine::putInLabel(Memory& memory, Literal const& literal, Label const& label,
                        StepWeights const* streamable) const {
    Label const plain{literal.type(), Format::linear(), Device::Cpu};
    Label onHost = label;
    onHost.device = Device::Cpu;
    Memory found(std::make_shared<Literal>(literal), literal.data()); // shares the bytes
    size_t const bytes = bytesOf(literal.dims(), onHost);
    if (onHost != plain) {
        auto reordered = allocateHost(bytes);
        reformat(literal.dims(), plain, literal.data(), onHost, reordered.get());
        found = reordered;
    }
    if (label.device != Device::Cpu) return upload(memory, found.get(), bytes, streamable);
    memory = found;
}

void Engine::makeSteps() {
    for (Assignment const& assignment : plan_->nodes) {
        Node const& node = *assignment.node;
        Step step{&assignment, {}, {}, as<PluginLayer>(*node.layer), node.layer->sizes(operandsOf(node))};
        step.onHost = plan_->device != Device::Cpu && assignment.bodies.empty() && isOnHost(assignment.variant);
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            bool const packed = assignment.variant.packs(i);
            step.inputs.push_back(packed ? -1 : program_->numberOf(node.inputs()[i]));
        }
        for (Tensor const* output : node.outputs()) step.outputs.push_back(program_->numberOf(output));
        for (auto const& body : assignment.bodies) {
            step.bodies.push_back(std::make_unique<Engine>(body, log_));
            step.bodies.back()->settleWeights(); // it may run many times
        }
        steps_.push_back(std::move(step));
    }
    std::vector<Node const*> nodes;
    for (Step const& step : steps_) nodes.push_back(step.assignment->node);
    segments_ = planSegments(nodes, *program_);
}

/// By tensor: the one step that reads it; -1 where there is none, or others read it too.
std::vector<int> Engine::onlyReaders() const {
    constexpr int kSeveral = -2;
    std::vector<int> readers(static_cast<size_t>(program_->tensorCount()), -1);
    for (size_t step = 0; step < steps_.size(); ++step) {
        for (int const input : steps_[step].inputs) {
            if (input < 0) continue;
            int& reader = readers[static_cast<size_t>(input)];
            bool const isFirst = reader == -1 || reader == static_cast<int>(step);
            reader = isFirst ? static_cast<int>(step) : kSeveral;
        }
    }
    for (Tensor const* output : plan_->graph.outputs())
        readers[static_cast<size_t>(program_->numberOf(output))] = kSeveral;
    return readers;
}

/// Not of views, behind which others read the same bytes, and of steps with graphs inside, which hold theirs.
StepWeights Engine::weightsOf(size_t number, std::vector<int> const& onlyReader) const {
    StepWeights weights{number};
    Step const& step = steps_[number];
    Variant const& variant = step.assignment->variant;
    if (step.onHost || !step.bodies.empty() || variant.view) return weights;
    Packed const* const packed = step.assignment->packed.get();
    if (packed && !variant.code) weights.parts.push_back({StepWeights::kPacked, packed->bytes.bytes()});
    for (size_t i = 0; i < step.inputs.size(); ++i) {
        int const input = step.inputs[i];
        if (input < 0 || onlyReader[static_cast<size_t>(input)] != static_cast<int>(number)) continue;
        Tensor const& tensor = *step.assignment->node->inputs()[i];
        bool const isKnown = std::ranges::find(step.inputs, input) != step.inputs.begin() + static_cast<long>(i);
        if (!tensor.literal() || tensor.label.device != plan_->device || isKnown) continue;
        weights.parts.push_back({input, bytesOf(tensor.literal()->dims(), tensor.label)});
    }
    return weights;
}

void Engine::findStreamable() {
    constexpr size_t kLeast = size_t{64} << 10U; // bytes; a smaller copy takes more time than it spares memory
    if (!plan_->settings.streamsWeights || plan_->settings.isStripped) return;
    std::vector<StepWeights> found;
    auto const readers = onlyReaders();
    for (size_t step = 0; step < steps_.size(); ++step) {
        StepWeights weights = weightsOf(step, readers);
        size_t bytes = 0;
        for (StepWeights::Part const& part : weights.parts) bytes += part.bytes;
        if (bytes >= kLeast) found.push_back(std::move(weights));
    }
    streamed_ = StreamedWeights(std::move(found), backend_.alignment());
    if (weightBudget_) streamed_.setBudget(*weightBudget_);
}

void Engine::loadPacked(size_t number, Load which) {
    Step& step = steps_[number];
    Packed const* const packed = step.assignment->packed.get();
    bool const isThere = step.packed && which == Load::Missing;
    if (packed == nullptr || plan_->settings.isStripped || isThere) return;
    StepWeights const* const streamable = streamed_.ofStep(number);
    bool const waits = streamable && waitsForBudget();
    bool const isShared = plan_->device == Device::Cpu || step.onHost || step.assignment->variant.code || waits;
    if (!isShared) return upload(step.packed, packed->bytes.data(), packed->bytes.bytes(), streamable);
    step.packed = Memory(step.assignment->packed, packed->bytes.data());
}

/// Those that steps read as they are, and outputs. Of others the packed weights are all that a run needs.
void Engine::loadConstants(Load which) {
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
        int const number = program_->numberOf(tensor.get());
        auto const at = static_cast<size_t>(number);
        Literal const* const literal = tensor->literal();
        isUnread_[at] = literal && !isRead[at];
        StepWeights const* const streamable = streamed_.ofConstant(number);
        bool const isThere = constants_[at] && which == Load::Missing;
        if (plan_->settings.isStripped || isThere || (streamable && waitsForBudget())) continue;
        if (literal && isRead[at]) putInLabel(constants_[at], *literal, tensor->label, streamable);
    }
}

void Engine::load(Load which) {
    for (size_t step = 0; step < steps_.size(); ++step) loadPacked(step, which);
    loadConstants(which);
}

void Engine::expectUnstripped() const {
    if (plan_->settings.isStripped)
        fail(ErrorCode::InvalidState, "the weights of the engine were left out when it was saved "
                                      "(BuilderFlag::kSTRIP_PLAN); give them back with IRefitter before it is used");
}

void Engine::expectWeights() const {
    if (weights_ == Weights::BeingExchanged)
        fail(ErrorCode::InvalidState, "the engine is being refitted; make and run contexts before or after "
                                      "IRefitter::refitCudaEngine, not meanwhile");
    expectUnstripped();
    if (weights_ == Weights::Lost)
        fail(ErrorCode::InvalidState, "there was no memory for the weights that the engine was to take; give it them "
                                      "again with IRefitter, or less room for them with setWeightStreamingBudgetV2");
    if (waitsForBudget())
        fail(ErrorCode::InvalidState, "weights of the engine are not on the ", plan_->device,
             ": there was no room for as many as were asked for, or no budget for them was set; set one with "
             "setWeightStreamingBudgetV2");
}

Engine::Memory& Engine::memoryOf(size_t step, StepWeights::Part const& part) {
    return part.constant == StepWeights::kPacked ? steps_[step].packed : constants_[static_cast<size_t>(part.constant)];
}

void Engine::release(StepWeights const& weights) {
    for (StepWeights::Part const& part : weights.parts) memoryOf(weights.step, part).reset();
}

/// Weights that a new budget puts elsewhere; false where they all stay.
bool Engine::releaseMoved(StreamedWeights const& before, bool wereThere) {
    bool anyMoved = false;
    for (size_t i = 0; i < streamed_.steps().size(); ++i) {
        StepWeights const& weights = streamed_.steps()[i];
        if (wereThere && weights.isStreamed == before.steps()[i].isStreamed) continue;
        release(weights);
        anyMoved = true;
    }
    return anyMoved;
}

/// As before the first budget.
void Engine::unloadStreamable() {
    weightBudget_.reset();
    streamed_.setBudget(StreamedWeights::kAll);
    for (StepWeights const& weights : streamed_.steps()) release(weights);
    for (StepWeights const& weights : streamed_.steps()) loadPacked(weights.step, Load::Missing);
}

void Engine::setWeightBudget(size_t bytes) {
    CurrentDevice const current(backend_, deviceIndex_);
    if (Streams const* const streams = backend_.streams()) streams->finishAll(); // what still runs reads weights
    StreamedWeights const before = streamed_;
    bool const areLost = weights_ == Weights::Lost;
    bool const wereThere = !waitsForBudget() && !areLost;
    weightBudget_ = bytes;
    streamed_.setBudget(bytes);
    if (plan_->device == Device::Cpu) return;
    if (!releaseMoved(before, wereThere) && !areLost) return;
    ++weightsVersion_;
    try {
        areLost ? reload() : load(Load::Missing);
    } catch (...) {
        unloadStreamable();
        throw;
    }
    weights_ = Weights::There;
}

void Engine::settleWeights() {
    if (waitsForBudget()) setWeightBudget(StreamedWeights::kAll);
}

size_t Engine::streamableBytesThere() const {
    size_t bytes = 0;
    for (StepWeights const& weights : streamed_.steps()) {
        if (waitsForBudget() || weights.isStreamed) continue;
        for (StepWeights::Part const& part : weights.parts) bytes += weightsAt(weights.step, part) ? part.bytes : 0;
    }
    return bytes;
}

size_t Engine::affordableWeightBudget() const {
    CurrentDevice const current(backend_, deviceIndex_);
    expectUnstripped();
    if (streamed_.bytes() == 0) return 0;
    size_t context = 0;
    for (size_t profile = 0; profile < plan_->profiles.size(); ++profile)
        context = std::max(context, memoryBytes(static_cast<int>(profile)));
    size_t const room = backend_.freeBytes() + streamableBytesThere();
    auto const besides = [room](size_t taken) { // some is for the program
        return room > taken ? (room - taken) / 10 * 9 : 0;
    };
    if (besides(context) >= streamed_.bytes()) return streamed_.bytes();
    return besides(context + streamed_.mostBufferBytes());
}

void Engine::refit(Refit const& values) {
    CurrentDevice const current(backend_, deviceIndex_);
    Weights otherwise = weights_.exchange(Weights::BeingExchanged); // as they are where the plan refuses the values
    try {
        tenon::refit(*plan_, values, log_);
        otherwise = Weights::Lost; // unless all of it is there
        reload();
    } catch (...) {
        weights_ = otherwise;
        throw;
    }
    weights_ = Weights::There;
}

void Engine::reload() {
    ++weightsVersion_;
    for (Step& step : steps_) {
        for (auto const& body : step.bodies) body->reload();
    }
    if (streamed_.steps().empty()) findStreamable(); // of a plan that was stripped
    load(Load::All);
}

void Engine::placeSteps() {
    bool const oneByOne = plan_->settings.streamsWeights; // as each step's weights arrive
    if (plan_->settings.auxStreams == 0 || oneByOne || backend_.streams() == nullptr) return;
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
    expectUnstripped();
    return Segment::bytesWithin(*this, ProfileShapes(plan_->graph, plan_->profiles.at(static_cast<size_t>(profile))));
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/resident_weights.h"

#include "backends/streams.h"
#include "base/error.h"
#include "graph/reformat.h"
#include "runtime/engine.h"
#include "runtime/streamable_weights.h"

namespace tenon {

ResidentWeights::ResidentWeights(Plan const& plan, ShapeProgram const& program, std::vector<EngineStep>& steps,
                                 int deviceIndex)
    : plan_(plan), program_(program), steps_(steps), backend_(backendOf(plan.device)), deviceIndex_(deviceIndex) {}

void ResidentWeights::load() {
    findStreamable();
    load(Load::All);
}

void ResidentWeights::findStreamable() {
    if (!plan_.settings.streamsWeights || plan_.settings.isStripped) return;
    streamed_ = StreamedWeights(streamableWeights(plan_, program_, steps_), backend_.alignment());
    if (budget_) streamed_.setBudget(*budget_);
}

/// Into the existing memory, which applications may have recorded runs with, or into new memory.
void ResidentWeights::upload(Memory& memory, void const* data, size_t bytes, StepWeights const* streamable) const {
    bool const isStreamed = streamable && streamable->isStreamed;
    if (!memory) memory = isStreamed ? backend_.allocateStaging(bytes) : backend_.allocate(bytes);
    backend_.copy(const_cast<void*>(memory.get()), data, bytes, nullptr);
    backend_.synchronize(nullptr);
}

void ResidentWeights::putInLabel(Memory& memory, Literal const& literal, Label const& label,
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

void ResidentWeights::loadPacked(size_t number, Load which) {
    EngineStep& step = steps_[number];
    Packed const* const packed = step.assignment->packed.get();
    bool const isLoaded = step.packed && which == Load::Missing;
    if (packed == nullptr || plan_.settings.isStripped || isLoaded) return;
    StepWeights const* const streamable = streamed_.ofStep(number);
    bool const waits = streamable && waitsForBudget();
    bool const isShared = plan_.device == Device::Cpu || step.onHost || step.assignment->variant.code || waits;
    if (!isShared) return upload(step.packed, packed->bytes.data(), packed->bytes.bytes(), streamable);
    step.packed = Memory(step.assignment->packed, packed->bytes.data());
}

std::vector<bool> ResidentWeights::readByStepsOrCaller() const {
    std::vector<bool> isRead(static_cast<size_t>(program_.tensorCount()), false);
    for (EngineStep const& step : steps_) {
        for (int const input : step.inputs) {
            if (input >= 0) isRead[static_cast<size_t>(input)] = true;
        }
    }
    for (Tensor const* output : plan_.graph.outputs()) isRead[static_cast<size_t>(program_.numberOf(output))] = true;
    return isRead;
}

/// Those that steps read unpacked, and outputs. Of others a run needs the packed weights only.
void ResidentWeights::loadConstants(Load which) {
    auto const isRead = readByStepsOrCaller();
    constants_.resize(isRead.size());
    isUnread_.resize(isRead.size(), false);
    for (auto const& tensor : plan_.graph.tensors()) {
        int const number = program_.numberOf(tensor.get());
        auto const at = static_cast<size_t>(number);
        Literal const* const literal = tensor->literal();
        isUnread_[at] = literal && !isRead[at];
        StepWeights const* const streamable = streamed_.ofConstant(number);
        bool const isLoaded = constants_[at] && which == Load::Missing;
        if (plan_.settings.isStripped || isLoaded || (streamable && waitsForBudget())) continue;
        if (literal && isRead[at]) putInLabel(constants_[at], *literal, tensor->label, streamable);
    }
}

void ResidentWeights::load(Load which) {
    for (size_t step = 0; step < steps_.size(); ++step) loadPacked(step, which);
    loadConstants(which);
}

void ResidentWeights::reload() {
    ++version_;
    for (EngineStep& step : steps_) {
        for (auto const& body : step.bodies) body->weights_.reload();
    }
    if (streamed_.steps().empty()) findStreamable(); // of a stripped plan
    load(Load::All);
}

void ResidentWeights::expectUnstripped() const {
    if (plan_.settings.isStripped)
        fail(ErrorCode::InvalidState,
             "the weights are not in the engine (BuilderFlag::kSTRIP_PLAN); refit them with IRefitter first");
}

void ResidentWeights::expectPresent() const {
    if (state_ == State::BeingExchanged)
        fail(ErrorCode::InvalidState, "the engine is being refitted; do not create or run contexts while "
                                      "IRefitter::refitCudaEngine is in progress");
    expectUnstripped();
    if (state_ == State::Lost)
        fail(ErrorCode::InvalidState, "out of memory while loading the refitted weights; refit again with IRefitter, "
                                      "or lower the budget with setWeightStreamingBudgetV2");
    if (waitsForBudget())
        fail(ErrorCode::InvalidState, "weights of the engine are not on the ", plan_.device,
             ": the budget did not fit, or none was set; set one with setWeightStreamingBudgetV2");
}

ResidentWeights::Memory& ResidentWeights::memoryOf(size_t step, StepWeights::Part const& part) {
    return part.constant == StepWeights::kPacked ? steps_[step].packed : constants_[static_cast<size_t>(part.constant)];
}

void ResidentWeights::release(StepWeights const& weights) {
    for (StepWeights::Part const& part : weights.parts) memoryOf(weights.step, part).reset();
}

/// Releases the weights that a new budget moves; false if they all stay.
bool ResidentWeights::releaseMoved(StreamedWeights const& before, bool werePresent) {
    bool anyMoved = false;
    for (size_t i = 0; i < streamed_.steps().size(); ++i) {
        StepWeights const& weights = streamed_.steps()[i];
        if (werePresent && weights.isStreamed == before.steps()[i].isStreamed) continue;
        release(weights);
        anyMoved = true;
    }
    return anyMoved;
}

/// As before the first budget.
void ResidentWeights::unloadStreamable() {
    budget_.reset();
    streamed_.setBudget(StreamedWeights::kAll);
    for (StepWeights const& weights : streamed_.steps()) release(weights);
    for (StepWeights const& weights : streamed_.steps()) loadPacked(weights.step, Load::Missing);
}

void ResidentWeights::setBudget(size_t bytes) {
    CurrentDevice const current(backend_, deviceIndex_);
    if (Streams const* const streams = backend_.streams()) streams->finishAll(); // running work reads weights
    StreamedWeights const before = streamed_;
    bool const areLost = state_ == State::Lost;
    bool const werePresent = !waitsForBudget() && !areLost;
    budget_ = bytes;
    streamed_.setBudget(bytes);
    if (plan_.device == Device::Cpu) return;
    if (!releaseMoved(before, werePresent) && !areLost) return;
    ++version_;
    try {
        areLost ? reload() : load(Load::Missing);
    } catch (...) {
        unloadStreamable();
        throw;
    }
    state_ = State::Present;
}

void ResidentWeights::settle() {
    if (waitsForBudget()) setBudget(StreamedWeights::kAll);
}

size_t ResidentWeights::streamableBytesPresent() const {
    size_t bytes = 0;
    for (StepWeights const& weights : streamed_.steps()) {
        if (waitsForBudget() || weights.isStreamed) continue;
        for (StepWeights::Part const& part : weights.parts) bytes += at(weights.step, part) ? part.bytes : 0;
    }
    return bytes;
}

size_t ResidentWeights::affordableBudget(size_t context) const {
    size_t const room = backend_.freeBytes() + streamableBytesPresent();
    auto const besides = [room](size_t taken) { // a tenth is for the application
        return room > taken ? (room - taken) / 10 * 9 : 0;
    };
    if (besides(context) >= streamed_.bytes()) return streamed_.bytes();
    return besides(context + streamed_.mostBufferBytes());
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/context.h"

#include "base/error.h"
#include "base/forked.h"
#include "base/parallel.h"
#include "plan/shapes/largest_shape.h"

#include <chrono>

namespace tenon {
namespace {

size_t at(int number) { return static_cast<size_t>(number); }

CurrentDevice deviceOfUsable(Engine const& engine) {
    engine.expectWeights();
    return {engine.backend(), engine.deviceIndex()};
}

} // namespace

Context::Context(Engine const& engine, int threads, PluginResources const& resources)
    : Context(engine, threads > 0 ? threads : defaultThreads(), resources, deviceOfUsable(engine)) {}

Context::Context(Engine const& engine, int threads, PluginResources const& resources, CurrentDevice const&)
    : engine_(engine), backend_(engine.backend()), threads_(threads), bindings_(engine), memory_(backend_),
      states_(engine, threads, resources), weights_(engine, states_), runner_(engine, states_, weights_),
      prepared_(engine, states_, weights_) {}

Context::Context(Context const& other, PluginResources const& resources)
    : Context(other.engine_, other.threads_, resources) {
    bindings_.copyFrom(other.bindings_);
    memory_.copyFrom(other.memory_);
}

std::shared_ptr<Context> Context::inside(Engine const& engine, int threads, PluginResources const& resources) {
    auto context = std::make_shared<Context>(engine, threads, resources);
    context->bindings_.ignoreRanges();
    return context;
}

Context::~Context() {
    CurrentDevice const device(backend_, engine_.deviceIndex());
    prepared_.clear(); // while the device is current
    states_.clear();
    runner_.freeStreams();
    weights_.free();
    memory_.free();
}

Dims Context::shapeOf(Tensor const* tensor) {
    Binding const& io = bindings_.of(tensor);
    if (io.isInput && io.shapeSet) return io.dims;
    if (!io.isInput && missingForShapes().empty()) {
        prepare();
        ShapeProgram::Shapes const& shapes = prepared_.front().first.segment->shapes();
        if (!shapes.bounded[at(io.number)]) return shapes.dims[at(io.number)];
    }
    return bindings_.dimsInProfile(*tensor);
}

Dims Context::largestShapeOf(Tensor const* output) {
    int const number = bindings_.of(output).number;
    prepare();
    Segment const& first = *prepared_.front().first.segment;
    ShapeProgram::Shapes const& shapes = first.shapes();
    bool const isUnbounded = shapes.unbounded[at(number)] != 0;
    if (!shapes.bounded[at(number)] || (first.writes(number) && !isUnbounded)) return shapes.dims[at(number)];
    auto const most = largestShape(engine_.shapeProgram(), shapes, *output);
    if (!most)
        fail(ErrorCode::InvalidState, "output ", output->name,
             ": its size depends on data and has no upper bound; set an output allocator (setOutputAllocator)");
    return *most;
}

ShapeProgram::Shapes const* Context::shapes() {
    if (!missingForShapes().empty()) return nullptr;
    prepare();
    return &prepared_.front().first.segment->shapes();
}

size_t Context::memoryBytes() {
    prepare();
    return prepared_.front().first.segment->memoryBytes();
}

bool Context::onlyEnqueues() {
    prepare();
    Segment const& segment = *prepared_.front().first.segment;
    bool isRecordable = runner_.usesOneStream() && engine_.isOneSegment();
    for (size_t step = 0; isRecordable && step < segment.endStep(); ++step) isRecordable = segment.isRecordable(step);
    return isRecordable;
}

void Context::setMarkers(ProfilingVerbosity verbosity) {
    StepMarkers markers(engine_, verbosity);
    states_.eachBody([&](Context& body) { body.setMarkers(verbosity); });
    runner_.setMarkers(std::move(markers));
}

void Context::setTracing(bool traces) {
    if (runner_.traces() == traces) return;
    runner_.setTracing(traces);
    states_.eachBody([&](Context& body) { body.setTracing(traces); });
}

void Context::setWatch(Watch const& watch) {
    runner_.setWatch(watch);
    states_.eachBody([&](Context& body) { body.setWatch(watch); });
}

void Context::setCommunicator(void* communicator) {
    runner_.setCommunicator(communicator);
    states_.eachBody([&](Context& body) { body.setCommunicator(communicator); });
}

void Context::dropOldWeights() {
    if (!weights_.areOld()) return;
    engine_.expectWeights();
    CurrentDevice const device(backend_, engine_.deviceIndex());
    prepared_.clear();
    weights_.takeNew();
}

void Context::prepare() {
    dropOldWeights();
    weights_.allocateFor(memory_);
    bindings_.readShapeTensors();
    if (!bindings_.haveChanged() && !prepared_.empty()) return;
    ThreadLimit const limit(threads_);
    CurrentDevice const device(backend_, engine_.deviceIndex());
    auto key = bindings_.shapeInputs();
    if (!prepared_.use(key)) {
        slowRuns_.forgetShapes(); // a new PreparedRun may have the address of one that was dropped
        prepared_.add(std::move(key));
    }
    bindings_.settle();
}

void Context::enqueue(void* stream) {
    if (hasLostThreads()) return onAnotherThread([&] { enqueue(stream); });
    ThreadLimit const limit(threads_);
    CurrentDevice const device(backend_, engine_.deviceIndex());
    MarkedRange const range(backend_, runner_.markers().ofRun());
    if (runner_.blame().stream()) return runner_.blame().inOwnStream(stream, [&](void* own) { runAll(own); });
    backend_.device() == Device::Cpu ? runNoticed(stream) : runAll(stream);
}

/// A run in host memory has ended when it returns, so its time shows whether the machine is busy.
void Context::runNoticed(void* stream) {
    if (bindings_.areInside() || !engine_.isOneSegment()) return runAll(stream); // its work depends on data
    auto const start = std::chrono::steady_clock::now();
    runAll(stream);
    auto const took = std::chrono::steady_clock::now() - start;
    if (auto const said = slowRuns_.ended(&prepared_.front(), took)) say(engine_.log(), Severity::Warning, *said);
}

void Context::runAll(void* stream) {
    prepare();
    PreparedRun& run = prepared_.front();
    Segment const& segment = *run.first.segment;
    memory_.place(*run.first.segment);
    bindings_.bind(*run.first.segment);
    weights_.begin(stream);
    if (runner_.watch().isOn()) runner_.watch().showGiven(bindings_);
    runSegment(run.first, stream);
    if (engine_.isOneSegment()) return deliver(segment, segment.shapes(), stream);
    if (!backend_.isBeingRecorded(stream)) return runLater(run, stream);
    expectNoneReadsSizes(segment, bindings_);
    deliver(segment, segment.shapes(), stream);
}

/// After each segment, reads the later shapes that it determines, prepares the next segment for them, and runs it.
void Context::runLater(PreparedRun& run, void* stream) {
    prepared_.forgetSizes(run);
    SizesRead sizes;
    for (PreparedSegment* last = &run.first;;) {
        sizes.read(engine_, *last->segment, stream);
        deliver(*last->segment, engine_.shapeProgram().evaluate(run.key, sizes.known()), stream);
        if (last->segment->isLast()) return;
        last = &prepared_.later(run, *last->segment, sizes, memory_);
        bindings_.bind(*last->segment);
        runSegment(*last, stream);
    }
}

void Context::runSegment(PreparedSegment& prepared, void* stream) {
    prepared_.announce(*prepared.segment);
    runner_.run(*prepared.segment, prepared.recorded, stream);
}

void Context::deliver(Segment const& segment, ShapeProgram::Shapes const& actual, void* stream) {
    if (segment.isLast() && runner_.watch().isOn()) runner_.watch().showShapeTensors(actual);
    tenon::deliver(bindings_, segment, actual, stream);
}

} // namespace tenon

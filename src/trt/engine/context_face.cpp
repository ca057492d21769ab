// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/context_face.h"

#include "graph/reformat.h"
#include "trt/edge/call_program.h"
#include "trt/edge/convert.h"
#include "trt/edge/reachable.h"
#include "trt/edge/small_configs.h"
#include "trt/edge/strides.h"
#include "trt/engine/engine_face.h"
#include "trt/engine/recorded_run.h"
#include "trt/engine/user_memory.h"

#include <algorithm>
#include <cstring>

namespace tenon::trt {

using Strategy = api::ExecutionContextAllocationStrategy;

ContextFace::ContextFace(EngineFace const& engine, Strategy strategy)
    : loaded_(engine.loaded()), engineFace_(engine.link()), engine_(loaded_->core), reporter_(engine.reporter()),
      pluginAllocator_(*allocatorOf({.device = engine_->plan().device, .allocator = loaded_->allocator})),
      pluginHostAllocator_(*allocatorOf({})), context_(*engine_, loaded_->threads,
                                                       {.allocator = &pluginAllocator_,
                                                        .hostAllocator = &pluginHostAllocator_,
                                                        .errorRecorder = engine.reporter().recorder()}),
      strategy_(strategy), hasMemory_(strategy != Strategy::kUSER_MANAGED), nvtxVerbosity_(loaded_->verbosity()) {
    setTemporaryStorageAllocator(nullptr);
    context_.setMarkers(static_cast<ProfilingVerbosity>(nvtxVerbosity_));
}

ContextFace::~ContextFace() = default;

api::ICudaEngine const& ContextFace::getEngine() const noexcept {
    if (EngineFace const* const face = engineFace_.get()) return *face;
    if (!ownFace_) ownFace_ = std::make_unique<EngineFace>(loaded_, reporter_);
    return *ownFace_;
}

void ContextFace::setName(char const* name) noexcept {
    guarded(reporter_, "IExecutionContext::setName", [&] { name_ = expectText(name, "name"); });
}

Tensor const& ContextFace::input(char const* name) const {
    Tensor const& tensor = loaded_->ioTensor(name);
    if (tensor.producer()) fail(ErrorCode::InvalidArgument, tensor.name, " is an output; expected an input");
    return tensor;
}

Tensor const& ContextFace::output(char const* name) const {
    Tensor const& tensor = loaded_->ioTensor(name);
    if (!engine_->plan().graph.isOutput(&tensor))
        fail(ErrorCode::InvalidArgument, tensor.name, " is an input; expected an output");
    return tensor;
}

// ---- shapes

bool ContextFace::setInputShape_(char const* tensorName, api::Dims64 const& dims) noexcept {
    return guarded(reporter_, "setInputShape", [&] {
        context_.setInputShape(&input(tensorName), fromApi(dims));
        batch_ = 0; // not known to be the first extent of all inputs
        return true;
    });
}

api::Dims64 ContextFace::getTensorShape_(char const* tensorName) const noexcept {
    return guardedOr(noDims(), reporter_, "getTensorShape",
                     [&] { return toApi(context().shapeOf(&loaded_->ioTensor(tensorName))); });
}

api::Dims64 ContextFace::getTensorStrides_(char const* tensorName) const noexcept {
    return guardedOr(noDims(), reporter_, "getTensorStrides", [&] {
        Tensor const& tensor = loaded_->ioTensor(tensorName);
        Dims const dims = context().shapeOf(&tensor);
        if (std::ranges::any_of(dims, [](int64_t extent) { return extent < 0; })) return noDims();
        return toApi(stridesOf(dims, tensor.label.format));
    });
}

bool ContextFace::allInputDimensionsSpecified() const noexcept {
    return guarded(reporter_, "allInputDimensionsSpecified", [&] {
        auto const& inputs = engine_->plan().graph.inputs();
        return std::ranges::all_of(inputs, [&](Tensor const* tensor) {
            Dims const dims = context().shapeOf(tensor);
            return std::ranges::all_of(dims, [](int64_t extent) { return extent >= 0; });
        });
    });
}

bool ContextFace::allInputShapesSpecified() const noexcept {
    return guarded(reporter_, "allInputShapesSpecified", [&] {
        auto const missing = context().missingForShapes();
        return std::ranges::none_of(missing, [&](std::string const& name) {
            return loaded_->ioTensor(name.c_str()).onHost; // others lack dimensions only
        });
    });
}

int32_t ContextFace::inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept {
    return guardedOr(-1, reporter_, "inferShapes", [&] {
        if (nbMaxNames < 0)
            fail(ErrorCode::InvalidArgument, "nbMaxNames is ", nbMaxNames, "; expected the capacity of tensorNames");
        if (nbMaxNames > 0 && tensorNames == nullptr) fail(ErrorCode::InvalidArgument, "tensorNames is null");
        auto const missing = context_.missingForShapes();
        for (size_t i = 0; i < missing.size() && static_cast<int32_t>(i) < nbMaxNames; ++i)
            tensorNames[i] = loaded_->ioTensor(missing[i].c_str()).name.c_str();
        if (missing.empty()) writeShapeOutputs();
        return static_cast<int32_t>(missing.size());
    });
}

Literal const* ContextFace::shapeValue(Tensor const& tensor) const {
    ShapeProgram::Shapes const* const known = shapes();
    if (known == nullptr) return nullptr;
    auto const number = static_cast<size_t>(engine_->shapeProgram().numberOf(&tensor));
    return known->guessed[number] ? nullptr : &known->host[number];
}

/// Outputs that are known at run time only are written by the run.
void ContextFace::writeShapeOutputs() {
    context_.prepare();
    for (Tensor const* output : engine_->plan().graph.outputs()) {
        void* const to = output->onHost && output->producer() ? context_.address(output) : nullptr;
        Literal const* const value = to ? shapeValue(*output) : nullptr;
        if (value && value->bytes() != 0) std::memcpy(to, value->data(), value->bytes());
    }
}

bool ContextFace::setOptimizationProfileAsync(int32_t profileIndex, cudaStream_t) noexcept {
    return guarded(reporter_, "setOptimizationProfileAsync", [&] {
        context_.setProfile(profileIndex);
        batch_ = 0;
        return true;
    });
}

// ---- addresses

void ContextFace::setAddress(Tensor const& io, void* data) {
    bool const isOnHostBesideDevice = io.onHost && engine_->backend().programMemory();
    if (!isOnHostBesideDevice) expectReachable(io.name, data, {engine_->plan().device, engine_->deviceIndex()}, cuda_);
    context_.setAddress(&io, data);
}

bool ContextFace::setTensorAddress(char const* tensorName, void* data) noexcept {
    return guarded(reporter_, "setTensorAddress",
                   [&] { return setAddress(loaded_->ioTensor(tensorName), data), true; });
}

void const* ContextFace::getTensorAddress(char const* tensorName) const noexcept {
    return guarded(reporter_, "getTensorAddress",
                   [&]() -> void const* { return context_.address(&loaded_->ioTensor(tensorName)); });
}

bool ContextFace::setInputTensorAddress(char const* tensorName, void const* data) noexcept {
    return guarded(reporter_, "setInputTensorAddress",
                   [&] { return setAddress(input(tensorName), const_cast<void*>(data)), true; });
}

bool ContextFace::setOutputTensorAddress(char const* tensorName, void* data) noexcept {
    return guarded(reporter_, "setOutputTensorAddress", [&] { return setAddress(output(tensorName), data), true; });
}

void* ContextFace::getOutputTensorAddress(char const* tensorName) const noexcept {
    return guarded(reporter_, "getOutputTensorAddress", [&] { return context_.address(&output(tensorName)); });
}

bool ContextFace::setOutputAllocator(char const* tensorName, api::IOutputAllocator* outputAllocator) noexcept {
    return guarded(reporter_, "setOutputAllocator", [&] {
        Tensor const* tensor = &output(tensorName);
        context_.setSink(tensor, nullptr);
        sinks_.erase(tensor);
        if (outputAllocator) context_.setSink(tensor, &sinks_.emplace(tensor, *outputAllocator).first->second);
        return true;
    });
}

api::IOutputAllocator* ContextFace::getOutputAllocator(char const* tensorName) const noexcept {
    return guarded(reporter_, "getOutputAllocator", [&]() -> api::IOutputAllocator* {
        auto const found = sinks_.find(&output(tensorName));
        return found == sinks_.end() ? nullptr : &found->second.allocator();
    });
}

int64_t ContextFace::getMaxOutputSize(char const* tensorName) const noexcept {
    return guardedOr(-1, reporter_, "getMaxOutputSize", [&] {
        Tensor const& tensor = output(tensorName);
        return static_cast<int64_t>(bytesOf(context().largestShapeOf(&tensor), tensor.label));
    });
}

// ---- memory

void ContextFace::setDeviceMemoryV2(void* memory, int64_t size) noexcept {
    guarded(reporter_, "setDeviceMemory", [&] {
        if (size < 0) fail(ErrorCode::InvalidArgument, "a size of ", size, " bytes");
        bool const isTaken = engine_->backend().takesProgramMemory();
        if (memory && !isTaken) reporter_.noEffect(withoutEffect("IExecutionContext::setDeviceMemory"));
        context_.setMemory(isTaken ? memory : nullptr, static_cast<size_t>(size));
        hasMemory_ = memory != nullptr || strategy_ != Strategy::kUSER_MANAGED;
    });
}

void ContextFace::setDeviceMemory(void* memory) noexcept {
    guarded(reporter_, "setDeviceMemory",
            [&] { setDeviceMemoryV2(memory, static_cast<int64_t>(loaded_->memoryBytes())); });
}

size_t ContextFace::updateDeviceMemorySizeForShapes() noexcept {
    return guarded(reporter_, "updateDeviceMemorySizeForShapes", [&] {
        context_.prepare();
        return context_.memoryBytes();
    });
}

api::IRuntimeConfig* ContextFace::getRuntimeConfig() const noexcept {
    return guarded(reporter_, "getRuntimeConfig",
                   [&]() -> api::IRuntimeConfig* { return std::make_unique<RuntimeConfig>(strategy_).release(); });
}

// ---- running

void ContextFace::run(cudaStream_t stream, bool isWaitedFor) {
    context_.setTracing(debugSync_ && isWaitedFor);
    if (!hasMemory_)
        fail(ErrorCode::InvalidState, "the context has no memory; set ", engine_->memoryBytes(getOptimizationProfile()),
             " bytes with setDeviceMemory (from level 10 on also setDeviceMemoryV2)");
    for (auto& [tensor, sink] : sinks_) sink.beginRun(context_.address(tensor), stream);
    if (!streams() && cuda_.isCapturing(stream)) return record(stream);
    times_.clear();
    debug_.stream = stream;
    if (!streams()) cuda_.waitFor(stream);
    context_.enqueue(stream);
    if (inputConsumed_ && !streams()) cuda_.record(inputConsumed_, stream);
    if (inputConsumed_ && streams()) streams()->recordEvent(inputConsumed_, stream);
    if (profiler_ && emitsProfile_) report(times_);
}

/// For a stream that the application captures: its later launches run with the present settings.
void ContextFace::record(cudaStream_t stream) {
    ProgramCuda::BesideCaptures const beside(cuda_); // plugins that are attached may allocate
    context_.prepare();
    auto run = std::make_unique<RecordedRun>(engine_, context_, loaded_->allocator, reporter_, cuda_);
    for (auto& [tensor, sink] : sinks_) {
        Dims const dims = context_.shapeOf(tensor);
        run->context().setAddress(tensor, sink.allocate(tensor->name, bytesOf(dims, tensor->label)));
        sink.shapeIs(tensor->name, dims);
    }
    cuda_.addToGraph(stream, std::move(run));
    if (inputConsumed_) cuda_.record(inputConsumed_, stream);
}

/// Only bindings allow null for outputs that the host computes.
void ContextFace::expectPlacesOfHostOutputs() {
    for (Tensor const* output : engine_->plan().graph.outputs()) {
        if (!output->onHost || context_.address(output) != nullptr || sinks_.contains(output)) continue;
        if (context_.shapeOf(output).volume() != 0)
            fail(ErrorCode::InvalidState, "output ", output->name,
                 " has no address; set it with setTensorAddress before running");
    }
}

/// Throws an Error if streams of setAuxStreams() belong to another partition of the device than the run. Looked up once
/// per stream.
void ContextFace::expectOnePartition(cudaStream_t stream) {
    if (auxiliary_.streams.empty() || auxiliary_.checkedFor == stream) return;
    void const* const partition = streams()->partition(stream);
    for (size_t i = 0; i < auxiliary_.streams.size(); ++i) {
        if (streams()->partition(auxiliary_.streams[i]) != partition)
            fail(ErrorCode::InvalidArgument, "auxiliary stream ", i,
                 " belongs to another green context than the stream of the run; pass streams of the latter to "
                 "setAuxStreams()");
    }
    auxiliary_.checkedFor = stream;
}

bool ContextFace::enqueueV3(cudaStream_t stream) noexcept {
    return guarded(reporter_, "enqueueV3", [&] {
        expectOnePartition(stream);
        expectPlacesOfHostOutputs();
        return run(stream), true;
    });
}

bool ContextFace::executeV2(void* const* bindings) noexcept {
    return guarded(reporter_, "executeV2", [&] {
        if (bindings == nullptr) fail(ErrorCode::InvalidArgument, "bindings is null");
        for (Tensor const* io : loaded_->ios) setAddress(*io, *bindings++);
        return runAndWait(), true;
    });
}

// ---- profiling

void ContextFace::setProfiler(api::IProfiler* profiler) noexcept {
    guarded(reporter_, "setProfiler", [&] {
        profiler_ = profiler;
        if (profiler == nullptr) return context_.setStepTimes({});
        context_.setStepTimes([this](Node const& node, double nanoseconds) {
            times_.push_back({node.name.c_str(), static_cast<float>(nanoseconds * 1e-6)});
        });
    });
}

void ContextFace::report(std::vector<LayerTime> const& times) const {
    callProgram("IProfiler::reportLayerTime", [&] {
        for (LayerTime const& time : times) profiler_->reportLayerTime(time.name, time.ms);
    });
}

bool ContextFace::reportToProfiler() const noexcept {
    return guarded(reporter_, "reportToProfiler", [&] {
        if (profiler_ == nullptr) fail(ErrorCode::InvalidState, "no profiler is set");
        if (emitsProfile_) return true; // each run has reported its times
        if (times_.empty()) fail(ErrorCode::InvalidState, "nothing has run since the profiler was set");
        report(times_);
        return true;
    });
}

// ---- debug tensors

/// The core calls back only while a listener may be interested: other runs stay fast.
void ContextFace::watchDebugTensors() {
    if (debug_.listener == nullptr || (debug_.shown.empty() && !debug_.unfused)) return context_.setWatch({});
    context_.setWatch([this](Tensor const& tensor, Dims const& dims, void const* data) {
        bool const isUnfused = debug_.unfused && !tensor.isDebug && loaded_->ownTensors.contains(&tensor);
        if (isUnfused || debug_.shown.contains(&tensor)) showDebugTensor(tensor, dims, data);
    });
}

void ContextFace::showDebugTensor(Tensor const& tensor, Dims const& dims, void const* data) const {
    Backend const& backend = engine_->backend();
    bool const onDevice =
        backend.takesProgramMemory() && !tensor.onHost; // memory of the engine's device, else host memory
    Label const plain{tensor.type, Format::linear(), Device::Cpu};
    Label const found = tensor.literal() ? plain : tensor.label;
    Label shown = plain;
    if (onDevice) shown.device = engine_->plan().device;
    std::shared_ptr<void> copy;
    if (found != shown) { // through the host: speed does not matter here
        size_t const bytes = bytesOf(dims, found);
        auto const host = allocateHost(bytes);
        backend.copy(host.get(), data, bytes, debug_.stream);
        backend.synchronize(debug_.stream);
        Label onHost = found;
        onHost.device = Device::Cpu;
        auto const reordered = allocateHost(bytesOf(dims, plain));
        reformat(dims, onHost, host.get(), plain, reordered.get());
        copy = onDevice ? backend.allocate(bytesOf(dims, plain)) : reordered;
        if (onDevice) backend.copy(copy.get(), reordered.get(), bytesOf(dims, plain), debug_.stream);
    }
    backend.synchronize(debug_.stream);
    auto const location = tensor.onHost ? api::TensorLocation::kHOST : api::TensorLocation::kDEVICE;
    bool const wanted = callProgram("IDebugListener::processDebugTensor", [&] {
        return debug_.listener->processDebugTensor(copy ? copy.get() : data, location, toApi(tensor.type), toApi(dims),
                                                   tensor.name.c_str(), debug_.stream);
    });
    if (!wanted) fail(ErrorCode::InvalidState, "the debug listener stopped the run at tensor ", tensor.name);
}

bool ContextFace::setDebugListener(api::v_1_0::IDebugListener* listener) noexcept {
    return guarded(reporter_, "setDebugListener", [&] {
        debug_.listener = listener;
        return watchDebugTensors(), true;
    });
}

void ContextFace::failForDebugName(char const* name) const {
    std::string names;
    for (Tensor const* tensor : loaded_->debugTensors) names += text(names.empty() ? "" : ", ", tensor->name);
    fail(ErrorCode::InvalidArgument, "the engine has no debug tensor ", nameOrNull(name),
         "; there are: ", names.empty() ? "none" : names,
         "; mark it with INetworkDefinition::markDebug before the engine is built");
}

bool ContextFace::setTensorDebugState(char const* name, bool flag) noexcept {
    return guarded(reporter_, "setTensorDebugState", [&] {
        auto const tensors = loaded_->debugTensorsNamed(name);
        if (tensors.empty()) failForDebugName(name);
        for (Tensor const* tensor : tensors) {
            if (flag)
                debug_.shown.insert(tensor);
            else
                debug_.shown.erase(tensor);
        }
        return watchDebugTensors(), true;
    });
}

bool ContextFace::getDebugState(char const* name) const noexcept {
    return guarded(reporter_, "getDebugState", [&] {
        auto const tensors = loaded_->debugTensorsNamed(name);
        return !tensors.empty() && debug_.shown.contains(tensors.front());
    });
}

bool ContextFace::setAllTensorsDebugState(bool flag) noexcept {
    return guarded(reporter_, "setAllTensorsDebugState", [&] {
        debug_.shown.clear();
        if (flag) debug_.shown.insert(loaded_->debugTensors.begin(), loaded_->debugTensors.end());
        return watchDebugTensors(), true;
    });
}

bool ContextFace::setUnfusedTensorsDebugState(bool flag) noexcept {
    return guarded(reporter_, "setUnfusedTensorsDebugState", [&] {
        if (flag && !engine_->plan().settings.debugUnfused)
            fail(ErrorCode::InvalidState,
                 "the network was built without INetworkDefinition::markUnfusedTensorsAsDebugTensors");
        debug_.unfused = flag;
        return watchDebugTensors(), true;
    });
}

// ---- events, scratch memory and other settings

bool ContextFace::setInputConsumedEvent(cudaEvent_t event) noexcept {
    return guarded(reporter_, "setInputConsumedEvent", [&] {
        if (event && !streams() && !cuda_.canRecord())
            fail(ErrorCode::InvalidState, "no CUDA runtime in the process can record the event; on a CPU the inputs "
                                          "have been read when enqueueV3 returns");
        inputConsumed_ = event;
        return true;
    });
}

bool ContextFace::setTemporaryStorageAllocator(api::IGpuAllocator* allocator) noexcept {
    return guarded(reporter_, "setTemporaryStorageAllocator", [&] {
        temporary_ = allocator ? allocator : loaded_->allocator;
        context_.setMemorySources(memoryFrom(loaded_->allocator, engine_->backend()),
                                  memoryFrom(temporary_, engine_->backend()));
        return true;
    });
}

namespace {

/// The detail of a verbosity; the enumerators have another order.
int amountOf(api::ProfilingVerbosity verbosity) {
    switch (verbosity) {
    case api::ProfilingVerbosity::kNONE: return 0;
    case api::ProfilingVerbosity::kLAYER_NAMES_ONLY: return 1;
    case api::ProfilingVerbosity::kDETAILED: return 2;
    }
    fail(ErrorCode::InvalidArgument, "no ProfilingVerbosity has the number ", static_cast<int32_t>(verbosity));
}

} // namespace

bool ContextFace::setNvtxVerbosity(api::ProfilingVerbosity verbosity) noexcept {
    return guarded(reporter_, "setNvtxVerbosity", [&] {
        if (amountOf(verbosity) > amountOf(loaded_->verbosity()))
            fail(ErrorCode::InvalidArgument, "exceeds the profiling verbosity of the build");
        nvtxVerbosity_ = verbosity;
        context_.setMarkers(static_cast<ProfilingVerbosity>(verbosity));
        return true;
    });
}

void ContextFace::setAuxStreams(cudaStream_t* auxStreams, int32_t nbStreams) noexcept {
    guarded(reporter_, "setAuxStreams", [&] {
        if (nbStreams < 0 || (nbStreams > 0 && auxStreams == nullptr))
            fail(ErrorCode::InvalidArgument, "auxStreams is ", auxStreams ? "given" : "null", " and nbStreams ",
                 nbStreams, "; expected that many streams");
        if (nbStreams > 0 && !streams()) reporter_.noEffect(withoutEffect("IExecutionContext::setAuxStreams"));
        context_.setAuxStreams(std::vector<void*>(auxStreams, auxStreams + nbStreams)); // braces would list pointers
        auxiliary_ = {};
        if (streams()) auxiliary_.streams.assign(auxStreams, auxStreams + nbStreams);
    });
}

bool ContextFace::setCommunicator(void* communicator) noexcept {
    return guarded(reporter_, "setCommunicator", [&] {
        if (communicator && !streams())
            fail(ErrorCode::InvalidState, "an NCCL communicator requires GPUs; the engine runs on ",
                 engine_->backend().describe());
        context_.setCommunicator(communicator);
        return true;
    });
}

} // namespace tenon::trt

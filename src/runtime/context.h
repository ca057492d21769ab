// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/delivery.h"
#include "runtime/prepared_shapes.h"
#include "runtime/slow_runs.h"
#include "runtime/step_runner.h"

namespace tenon {

/// One run at a time of an engine: shapes, addresses, plugins, activations. One thread at a time; any number of
/// contexts of one engine run side by side. Prepared segments are kept for the last few shapes.
class Context {
public:
    /// `threads` 0: defaultThreads(). The plugins that it runs are attached with `resources`.
    explicit Context(Engine const& engine, int threads = 0, PluginResources const& resources = {});
    /// A context in the same state as the other one: its profile, shapes, values of shape tensors as prepare() found
    /// them, addresses and user memory; with its own plugins and without callbacks.
    Context(Context const& other, PluginResources const& resources);
    /// A context for a graph inside a layer, whose shapes are not checked against a profile.
    static std::shared_ptr<Context> inside(Engine const& engine, int threads, PluginResources const& resources);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    Engine const& engine() const { return engine_; }

    void setProfile(int profile) { bindings_.setProfile(profile); }
    int profile() const { return bindings_.profile(); }
    void setThreads(int threads) { threads_ = threads; }

    /// Required for inputs whose extents the profile does not fix. An Error (nothing changes) names the input, the
    /// shape and the range of the profile.
    void setInputShape(Tensor const* input, Dims const& dims) { bindings_.setShape(input, dims); }
    /// An Error if an element of a shape tensor is outside its range in the profile; a run checks it too.
    void expectInRange(Tensor const* input, void const* elements) const { bindings_.expectInRange(input, elements); }
    Dims const& inputShape(Tensor const* input) const { return bindings_.of(input).dims; }
    /// Host or device memory in the label of the tensor; the caller keeps ownership. Null unsets it.
    void setAddress(Tensor const* io, void* data) { bindings_.setAddress(io, data); }
    void* address(Tensor const* io) const { return bindings_.of(io).data; }
    void setSink(Tensor const* output, OutputSink* sink) { bindings_.setSink(output, sink); }
    OutputSink* sink(Tensor const* output) const { return bindings_.of(output).sink; }
    /// Memory for activations and workspaces instead of the context's own; null: its own again.
    void setMemory(void* data, size_t bytes) { memory_.use(data, bytes); }
    using MemorySource = ContextMemory::Source;
    /// Allocators of the context's own memory: `lasting` for the first segment, `temporary` for those after it, whose
    /// shapes depend on data. Empty: the device's memory.
    void setMemorySources(MemorySource lasting, MemorySource temporary) {
        memory_.setSources(std::move(lasting), std::move(temporary));
    }

    /// The shape of an input or output at the shapes set so far; -1 for extents that are not known yet.
    Dims shapeOf(Tensor const* io);
    /// The same with upper bounds for data-dependent extents. An Error before all input shapes are set, and if an
    /// extent has no bound.
    Dims largestShapeOf(Tensor const* output);
    /// The shapes of all tensors at the shapes set so far; null while some are missing. Valid until the next call.
    ShapeProgram::Shapes const* shapes();
    /// Bytes of activations and workspaces at the shapes set so far.
    size_t memoryBytes();
    /// The names of inputs without a shape or, for shape tensors, without elements; empty when all shapes can be
    /// inferred.
    std::vector<std::string> missingForShapes() const { return bindings_.missingForShapes(); }

    /// Streams of the application to use in addition to that of enqueue(), as the first of engine().auxStreams(); the
    /// others, and all if there are none, are the context's own.
    void setAuxStreams(std::vector<void*> const& streams) { runner_.setAuxStreams(streams); }

    /// Runs all steps; for a shape that was prepared before, nothing is allocated, locked or looked up by name (unless
    /// outputs are data-dependent). An Error names the node; the context stays usable. Errors that a GPU finds later
    /// are reported by the call that waits for the stream; with TENON_BLAME=1 in the environment each step is waited
    /// for, in a stream of the context's own.
    void enqueue(void* stream);
    /// Prepares a segment for the shapes set so far; enqueue() does it when needed.
    void prepare();
    /// At the shapes set so far, a run only puts work into the stream, always the same, so it can be recorded.
    bool onlyEnqueues();

    /// An ncclComm_t of the application, for steps that exchange data with other devices; it outlives all runs. Null,
    /// the default: no other devices.
    void setCommunicator(void* communicator);

    /// While set, a run waits for each step and then logs it: the step after the last one in the log is the one that
    /// hangs.
    void setTracing(bool traces);

    /// Called with each step and its nanoseconds after every run while set; such runs wait for the device.
    void setStepTimes(StepTimes times) { runner_.setTimes(std::move(times)); }

    /// The detail of the ranges that a profiler of the device shows for the host's work for a run and for each of its
    /// steps, also in loops and conditionals; steps that the device replays in one call have no ranges. `None`, the
    /// default: no ranges.
    void setMarkers(ProfilingVerbosity verbosity);

    /// Called with each output of each step when it is computed, also in loops (once per iteration) and conditionals;
    /// for debug tensors also with inputs and constants before the first step, and with shape tensors after the last.
    /// The data are valid until it returns; they are in the label of the tensor, those of constants linear in host
    /// memory.
    using Watch = TensorWatch::Watch;
    void setWatch(Watch const& watch);

private:
    /// `current` exists while the members are made, which need the engine's device.
    Context(Engine const& engine, int threads, PluginResources const& resources, CurrentDevice const& current);

    void dropOldWeights();
    void runNoticed(void* stream);
    void runAll(void* stream);
    void runLater(PreparedRun& run, void* stream);
    void runSegment(PreparedSegment& prepared, void* stream);
    void deliver(Segment const& segment, ShapeProgram::Shapes const& actual, void* stream);

    Engine const& engine_;
    Backend const& backend_;
    int threads_;
    Bindings bindings_;
    ContextMemory memory_;
    StepStates states_;
    ContextWeights weights_;
    StepRunner runner_;
    PreparedShapes prepared_;
    SlowRuns slowRuns_;
};

} // namespace tenon

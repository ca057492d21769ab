// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/delivery.h"
#include "runtime/prepared_shapes.h"
#include "runtime/slow_runs.h"
#include "runtime/step_runner.h"

namespace tenon {

/// One run at a time of an engine: shapes, addresses, plugins, activations. One thread at a time; any number of
/// contexts of one engine run side by side. What is set up for a shape is kept for the last few shapes.
class Context {
public:
    /// `threads` 0: defaultThreads(). The plugins that it runs are attached with `resources`.
    explicit Context(Engine const& engine, int threads = 0, PluginResources const& resources = {});
    /// A context that runs what the other one would run now: with its profile, shapes, values of shape tensors as
    /// prepare() found them, addresses and user's memory, and with plugins of its own. It has no callbacks.
    Context(Context const& other, PluginResources const& resources);
    /// A context for a graph inside of a layer, whose shapes are not checked against a profile.
    static std::shared_ptr<Context> inside(Engine const& engine, int threads, PluginResources const& resources);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    Engine const& engine() const { return engine_; }

    void setProfile(int profile) { bindings_.setProfile(profile); }
    int profile() const { return bindings_.profile(); }
    void setThreads(int threads) { threads_ = threads; }

    /// Needed for inputs whose extents the profile does not fix.
    /// An Error (nothing changes) names the input, the shape and the range of the profile that it is outside of.
    void setInputShape(Tensor const* input, Dims const& dims) { bindings_.setShape(input, dims); }
    /// An Error where an element of a shape tensor is outside of its range in the profile; a run checks it too.
    void expectInRange(Tensor const* input, void const* elements) const { bindings_.expectInRange(input, elements); }
    Dims const& inputShape(Tensor const* input) const { return bindings_.of(input).dims; }
    /// Host or device memory in the label of the tensor; stays the caller's. Null unsets it.
    void setAddress(Tensor const* io, void* data) { bindings_.setAddress(io, data); }
    void* address(Tensor const* io) const { return bindings_.of(io).data; }
    void setSink(Tensor const* output, OutputSink* sink) { bindings_.setSink(output, sink); }
    OutputSink* sink(Tensor const* output) const { return bindings_.of(output).sink; }
    /// Activations and workspaces go here instead of memory of the context's own; null: its own again.
    void setMemory(void* data, size_t bytes) { memory_.use(data, bytes); }
    using MemorySource = ContextMemory::Source;
    /// Where the context's own memory comes from: `lasting` for the first segment, `temporary` for those after it,
    /// whose shapes follow from data. Empty: the device's memory.
    void setMemorySources(MemorySource lasting, MemorySource temporary) {
        memory_.setSources(std::move(lasting), std::move(temporary));
    }

    /// The shape of an input or output at the shapes set so far; -1 for extents that are not known (yet).
    Dims shapeOf(Tensor const* io);
    /// The same with upper bounds for data-dependent extents. An Error before all input shapes are set, and where
    /// nothing bounds an extent.
    Dims largestShapeOf(Tensor const* output);
    /// The shapes of all tensors at the shapes set so far; null while some are missing. Valid until the next call.
    ShapeProgram::Shapes const* shapes();
    /// Bytes of activations and workspaces at the shapes set so far.
    size_t memoryBytes();
    /// The names of inputs that still lack a shape or (shape tensors) elements; empty when all shapes can be inferred.
    std::vector<std::string> missingForShapes() const { return bindings_.missingForShapes(); }

    /// Streams of the program's to use beside the one of enqueue(), the first ones of engine().auxStreams(); the
    /// others, and all where there are none, are the context's own.
    void setAuxStreams(std::vector<void*> const& streams) { runner_.setAuxStreams(streams); }

    /// Runs all steps; for a shape that was prepared before, nothing is allocated, locked or looked up by name (unless
    /// outputs are data-dependent). An Error names the node; the context stays usable. What a GPU finds wrong later
    /// is reported by the call that waits for the stream; with TENON_BLAME=1 in the environment each step is waited
    /// for, in a stream of the context's own.
    void enqueue(void* stream);
    /// Prepares a segment for the shapes set so far; enqueue() does it when needed.
    void prepare();
    /// At the shapes set so far a run only puts work into the stream, always the same, so that it can be recorded.
    bool onlyEnqueues();

    /// An ncclComm_t of the program's, for steps that exchange data with other devices; it outlives all runs. Null, the
    /// default: the device is alone.
    void setCommunicator(void* communicator);

    /// While it is set, a run waits for each step and then logs it: the step behind the last one in the log is the one
    /// that hangs.
    void setTracing(bool traces);

    /// Called with each step and its nanoseconds after every run while it is set; such runs wait for the device.
    void setStepTimes(StepTimes times) { runner_.setTimes(std::move(times)); }

    /// How much the ranges tell that a profiler of the device sees around the host's work for a run and for each of its
    /// steps, those in loops and conditionals too; those that the device replays in one call have none of their own.
    /// `None`, the default: there are none.
    void setMarkers(ProfilingVerbosity verbosity);

    /// Called with each output of each step when it is computed, also in loops (once a trip) and conditionals; of debug
    /// tensors with inputs and constants before the first step, and with shape tensors behind the last, too. The data
    /// are valid until it returns; they lie in the label of the tensor, those of constants linear in host memory.
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

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/recorded_steps.h"
#include "runtime/slow_runs.h"
#include "runtime/step_streams.h"
#include "runtime/weight_stream.h"

#include <functional>
#include <optional>
#include <set>

namespace tenon {

/// Takes an output whose size the caller leaves to the run.
class OutputSink {
public:
    virtual ~OutputSink() = default;
    /// Memory for this many bytes, or null.
    virtual void* allocate(std::string const& name, size_t bytes) = 0;
    virtual void shapeIs(std::string const& name, Dims const& dims) = 0;
};

/// One run at a time of an engine: shapes, addresses, plugins, activations. One thread at a time; any number of
/// contexts of one engine run side by side. What is set up for a shape is kept for the last few shapes.
class Context {
public:
    /// `threads` 0: defaultThreads(). The plugins that it runs are attached with `resources`.
    explicit Context(Engine const& engine, int threads = 0, PluginResources const& resources = {});
    /// A context that runs what the other one would run now: with its profile, shapes, values of shape tensors as
    /// prepare() found them, addresses and user's memory, and with plugins of its own. It has no callbacks.
    Context(Context const& other, PluginResources const& resources);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    Engine const& engine() const { return engine_; }

    void setProfile(int profile);
    int profile() const { return profile_; }
    void setThreads(int threads) { threads_ = threads; }

    /// Needed for inputs whose extents the profile does not fix.
    /// An Error (nothing changes) names the input, the shape and the range of the profile that it is outside of.
    void setInputShape(Tensor const* input, Dims const& dims);
    /// An Error where an element of a shape tensor is outside of its range in the profile; a run checks it too.
    void expectInRange(Tensor const* input, void const* elements) const;
    Dims const& inputShape(Tensor const* input) const;
    /// Host or device memory in the label of the tensor; stays the caller's. Null unsets it.
    void setAddress(Tensor const* io, void* data);
    void* address(Tensor const* io) const;
    void setSink(Tensor const* output, OutputSink* sink);
    OutputSink* sink(Tensor const* output) const;
    /// Activations and workspaces go here instead of memory of the context's own; null: its own again.
    void setMemory(void* data, size_t bytes);
    /// Gives memory, 64-byte aligned, for this many bytes; throws an Error where it cannot.
    using MemorySource = std::function<std::shared_ptr<void>(size_t bytes)>;
    /// Where the context's own memory comes from: `lasting` for the first segment, `temporary` for those after it,
    /// whose shapes follow from data. Empty: the device's memory.
    void setMemorySources(MemorySource lasting, MemorySource temporary);

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
    std::vector<std::string> missingForShapes();

    /// Streams of the program's to use beside the one of enqueue(), the first ones of engine().auxStreams(); the
    /// others, and all where there are none, are the context's own.
    void setAuxStreams(std::vector<void*> const& streams);

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
    using StepTimes = std::function<void(Node const& node, double nanoseconds)>;
    void setStepTimes(StepTimes times) { times_ = std::move(times); }

    /// How much the ranges tell that a profiler of the device sees around the host's work for a run and for each of its
    /// steps, those in loops and conditionals too; those that the device replays in one call have none of their own.
    /// `None`, the default: there are none.
    void setMarkers(ProfilingVerbosity verbosity);

    /// Called with each output of each step when it is computed, also in loops (once a trip) and conditionals; of debug
    /// tensors with inputs and constants before the first step, and with shape tensors behind the last, too. The data
    /// are valid until it returns; they lie in the label of the tensor, those of constants linear in host memory.
    using Watch = std::function<void(Tensor const& tensor, Dims const& dims, void const* data)>;
    void setWatch(Watch const& watch);

private:
    struct Io {
        Tensor const* tensor = nullptr;
        int number = -1;
        bool isInput = false;
        bool shapeSet = false;
        Dims dims;
        void* data = nullptr;
        OutputSink* sink = nullptr;
        Literal host; // elements of a shape tensor at the last enqueue
    };
    /// A segment after the first, with memory of its own.
    struct Later {
        std::unique_ptr<Segment> segment;
        RecordedSteps recorded;
        std::shared_ptr<void> memory;
    };
    /// What segments of a run have told, and the same as numbers.
    struct ReadSoFar {
        ShapeProgram::Known known;
        std::vector<int64_t> key;
    };
    /// All that is set up for one set of input shapes: a first segment, and what follows it for the sizes seen.
    struct Prepared {
        std::vector<ShapeProgram::Input> key;
        std::unique_ptr<Segment> segment;
        RecordedSteps recorded;
        std::map<std::vector<int64_t>, Later> later; // by all that was read so far
    };

    Io& find(Tensor const* tensor);
    Io const& find(Tensor const* tensor) const;
    void takeFixedShapes();
    void checkInRange(Io const& io, Dims const& dims) const;
    void expectInRange(Io const& io, void const* data) const;
    void makeStates(PluginResources const& resources);
    bool readShapeTensors();
    std::vector<ShapeProgram::Input> inputsNow() const;
    void forgetOldWeights();
    void streamWeights();
    bool usePrepared(std::vector<ShapeProgram::Input> const& key);
    std::unique_ptr<Segment> makeSegment(ShapeProgram::Shapes shapes, size_t number) const;
    void placeFirst(Segment& segment);
    void bindIo(Segment& segment);
    void bindOutput(Segment& segment, Io& io);
    static void* memoryOf(Io const& io, size_t bytes);
    void* addressOf(Io const& input);
    void runSegment(Segment& segment, RecordedSteps& recorded, void* stream);
    void runStep(Segment& segment, size_t step, void* stream);
    /// Those of the graphs inside of layers.
    template <class Visit> void eachBody(Visit const& visit) const {
        for (StepState const& state : states_) {
            for (auto const& body : state.bodies) visit(*body);
        }
    }
    char const* markOf(size_t step) const { return marks_.empty() ? nullptr : marks_[step].c_str(); }
    void runNoticed(void* stream);
    void runAll(void* stream);
    void expectNoneReadsSizes(Segment const& segment) const;
    Tensor const& tensorAt(int number) const;
    void runBlamed(Segment& segment, size_t step, void* stream);
    void runTimed(Segment& segment, void* stream);
    void showOutputs(Segment const& segment, Engine::Step const& step) const;
    void showGiven();
    void showShapeTensors(ShapeProgram::Shapes const& shapes) const;
    void forgetSizes(Prepared& prepared);
    void runLater(Prepared& prepared, void* stream);
    Later& later(Prepared& prepared, Segment const& before, ReadSoFar const& read);
    void read(Segment const& segment, ReadSoFar& read, void* stream) const;
    void readSizes(Segment const& segment, Node const& node, ReadSoFar& read, void* stream) const;
    void readElements(Segment const& segment, int number, ReadSoFar& read, void* stream) const;
    void deliver(Segment const& segment, ShapeProgram::Shapes const& actual, void* stream);
    void deliverOne(Io& io, void const* data, Dims const& dims, void* stream);
    MemorySource deviceMemory() const;

    Engine const& engine_;
    Backend const& backend_;
    LibraryHandles handles_;
    int threads_;
    int profile_ = 0;
    /// It runs a graph inside of a layer: the profile holds elements at its points only, and guesses for extents that
    /// follow from data.
    bool isInside_ = false;
    std::vector<Io> ios_;
    std::vector<std::shared_ptr<PluginLife>> plugins_; // that it runs: the engine's, or clones
    std::vector<StepState> states_;                    // one for each step
    std::vector<std::unique_ptr<Prepared>> prepared_;  // most recently used first
    bool shapesChanged_ = true;
    int64_t weightsVersion_;                // of the engine when the segments were prepared
    std::vector<Segment const*> announced_; // by number: the segment whose shapes its plugins were told last
    MemorySource allocateLasting_;
    MemorySource allocateTemporary_;
    std::shared_ptr<void> memory_;
    size_t memoryBytes_ = 0;
    std::shared_ptr<void> nowhere_; // the address of empty inputs that the program gave none
    void* userMemory_ = nullptr;
    size_t userMemoryBytes_ = 0;
    std::optional<StepStreams> streams_;  // where the engine has auxiliary ones
    std::optional<WeightStream> weights_; // where the engine streams some
    bool blames_ = false;                 // TENON_BLAME: waits after each step, so that an error names it
    bool traces_ = false;
    void* communicator_ = nullptr;
    std::shared_ptr<void> blameStream_;
    std::set<PluginLife const*> strayed_; // plugins that were warned of using a default stream
    StepTimes times_;
    std::vector<std::unique_ptr<Moment>> moments_; // before the first step of a timed run, and after each
    Watch watch_;
    std::vector<std::string> marks_; // by step; empty: no ranges for profilers
    SlowRuns slowRuns_;
    Prepared const* noticed_ = nullptr; // what slowRuns_ is about
};

} // namespace tenon

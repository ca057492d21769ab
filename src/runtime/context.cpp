// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/context.h"

#include "backends/streams.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/parallel.h"
#include "graph/reformat.h"
#include "plan/shapes/fixed_extents.h"
#include "plan/shapes/largest_shape.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tenon {
namespace {

constexpr size_t kShapesKept = 8;

size_t at(int number) { return static_cast<size_t>(number); }

bool sameInputs(std::vector<ShapeProgram::Input> const& a, std::vector<ShapeProgram::Input> const& b) {
    return std::ranges::equal(a, b, [](auto const& x, auto const& y) {
        bool const bothPlain = x.host.data() == nullptr && y.host.data() == nullptr;
        return x.dims == y.dims && (bothPlain || x.host == y.host);
    });
}

int64_t readInteger(void const* data, DataType type) {
    if (type == DataType::Int32) return *static_cast<int32_t const*>(data);
    if (type == DataType::Int64) return *static_cast<int64_t const*>(data);
    fail(ErrorCode::Plugin, "a size tensor is ", type, "; it must be int32 or int64");
}

[[noreturn]] void failForAddress(std::string_view what, Tensor const& tensor) {
    fail(ErrorCode::InvalidState, what, ' ', tensor.name,
         " has no address; give it one before running, with setTensorAddress or in its place of the bindings");
}

/// A range that a profiler of the device shows while it lives; none without a name.
class Marked {
public:
    Marked(Backend const& backend, char const* name) : markers_(name ? backend.markers() : nullptr) {
        if (markers_) markers_->begin(name);
    }
    ~Marked() {
        if (markers_) markers_->end();
    }
    Marked(Marked const&) = delete;
    Marked& operator=(Marked const&) = delete;

private:
    Markers const* markers_;
};

/// The names of steps' ranges; none where there are to be none.
std::vector<std::string> marksOf(Engine const& engine, ProfilingVerbosity verbosity) {
    std::vector<std::string> marks;
    if (verbosity == ProfilingVerbosity::None || !engine.backend().markers()) return marks;
    for (Engine::Step const& step : engine.steps()) {
        Assignment const& assignment = *step.assignment;
        bool const tellsKernel = verbosity == ProfilingVerbosity::Detailed && assignment.kernel;
        marks.push_back(
            text(*assignment.node, tellsKernel ? " by " : "", tellsKernel ? assignment.kernel->name() : ""));
    }
    return marks;
}

} // namespace

Context::Context(Engine const& engine, int threads, PluginResources const& resources)
    : engine_(engine), backend_(engine.backend()), threads_(threads > 0 ? threads : defaultThreads()),
      weightsVersion_(engine.weightsVersion()), allocateLasting_(deviceMemory()), allocateTemporary_(deviceMemory()) {
    engine_.expectWeights();
    CurrentDevice const device(backend_, engine_.deviceIndex());
    Graph const& graph = engine.plan().graph;
    for (auto const* tensors : {&graph.inputs(), &graph.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            Io io;
            io.tensor = tensor;
            io.number = engine.shapeProgram().numberOf(tensor);
            io.isInput = tensors == &graph.inputs();
            ios_.push_back(std::move(io));
        }
    }
    takeFixedShapes();
    char const* const blame = std::getenv("TENON_BLAME");
    blames_ = blame != nullptr && *blame != '\0' && *blame != '0';
    if (blames_) blameStream_ = backend_.makeStream();
    if (engine.auxStreams() != 0) streams_.emplace(engine);
    makeStates(resources);
    announced_.resize(engine.segments().size(), nullptr);
}

Context::Context(Context const& other, PluginResources const& resources)
    : Context(other.engine_, other.threads_, resources) {
    profile_ = other.profile_;
    ios_ = other.ios_;
    for (Io& io : ios_) {
        io.sink = nullptr;
        bool const isShape = io.isInput && io.tensor->onHost;
        if (isShape) io.data = const_cast<void*>(io.host.data()); // only read
    }
    allocateLasting_ = other.allocateLasting_;
    allocateTemporary_ = other.allocateTemporary_;
    userMemory_ = other.userMemory_;
    userMemoryBytes_ = other.userMemoryBytes_;
}

Context::~Context() {
    CurrentDevice const device(backend_, engine_.deviceIndex());
    prepared_.clear(); // while the device is current
    states_.clear();
    plugins_.clear();
    streams_.reset();
    weights_.reset();
    memory_.reset();
}

Context::MemorySource Context::deviceMemory() const {
    return [&backend = backend_](size_t bytes) { return backend.allocate(bytes); };
}

void Context::makeStates(PluginResources const& resources) {
    bool const anyPlugin =
        std::ranges::any_of(engine_.steps(), [](auto const& step) { return step.plugin != nullptr; });
    if (anyPlugin) handles_ = backend_.makeLibraryHandles();
    PluginResources onHost = resources;
    PluginResources onDevice = resources;
    onDevice.device = engine_.plan().device;
    onDevice.cudnn = handles_.cudnn.get();
    onDevice.cublas = handles_.cublas.get();
    if (onDevice.device != Device::Cpu) onHost.allocator = onHost.hostAllocator; // the other gives device memory
    for (Engine::Step const& step : engine_.steps()) {
        StepState& state = states_.emplace_back();
        for (auto const& body : step.bodies)
            state.bodies.emplace_back(std::make_shared<Context>(*body, threads_, resources))->isInside_ = true;
        if (!step.plugin) continue;
        locate([&] { return text(*step.assignment->node); },
               [&] { plugins_.push_back(step.plugin->life().forContext(step.onHost ? onHost : onDevice)); });
        state.plugin = plugins_.back().get();
    }
}

Context::Io& Context::find(Tensor const* tensor) {
    return const_cast<Io&>(static_cast<Context const*>(this)->find(tensor));
}

Context::Io const& Context::find(Tensor const* tensor) const {
    auto const found = std::ranges::find(ios_, tensor, &Io::tensor);
    if (found == ios_.end()) fail(ErrorCode::InvalidArgument, tensor->name, " is no input or output of the engine");
    return *found;
}

void Context::setProfile(int profile) {
    auto const count = static_cast<int>(engine_.plan().profiles.size());
    if (profile < 0 || profile >= count)
        fail(ErrorCode::InvalidArgument, "optimization profile ", profile, " is asked for; the engine has ", count);
    profile_ = profile;
    takeFixedShapes();
}

/// The shapes of inputs that the profile leaves no choice in; the others are to be set.
void Context::takeFixedShapes() {
    Plan const& plan = engine_.plan();
    for (Io& io : ios_) {
        if (!io.isInput) continue;
        Shape const shape = shapeIn(plan.profiles[at(profile_)], plan.graph, *io.tensor);
        io.shapeSet = isConstant(shape);
        if (io.shapeSet) io.dims = toDims(shape);
        io.host = {}; // its elements are in the range of another profile
    }
    shapesChanged_ = true;
}

void Context::checkInRange(Io const& io, Dims const& dims) const {
    Tensor const& tensor = *io.tensor;
    if (!io.isInput) fail(ErrorCode::InvalidArgument, tensor.name, " is an output; only inputs are given a shape");
    bool fits = dims.rank() == static_cast<int>(tensor.shape.size());
    for (int axis = 0; fits && axis < dims.rank(); ++axis)
        fits = dims[axis] >= 0 && tensor.shape[at(axis)].constantOr(dims[axis]) == dims[axis];
    if (!fits)
        fail(ErrorCode::InvalidArgument, "input ", tensor.name, " is given shape ", dims, "; the engine takes ",
             tensor.shape);
    if (isInside_) return; // the shapes around it are in range
    Profile const& profile = engine_.plan().profiles[at(profile_)];
    auto const range = profile.find(tensor.name);
    if (isInside_ || range == profile.end() || range->second.min.rank() != dims.rank()) return;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (dims[axis] < range->second.min[axis] || dims[axis] > range->second.max[axis])
            fail(ErrorCode::InvalidArgument, "input ", tensor.name, " is given shape ", dims, "; axis ", axis,
                 " is outside of ", range->second.min[axis], " to ", range->second.max[axis],
                 ", the range of optimization profile ", profile_, " (", range->second.min, " to ", range->second.max,
                 ')');
    }
}

/// A -1 that a reshape is to fill in has to be in the range too. Profiles hold no real numbers, as scales are.
void Context::expectInRange(Io const& io, void const* data) const {
    Profile const& profile = engine_.plan().profiles[at(profile_)];
    auto const range = profile.find(io.tensor->name);
    if (isInside_ || range == profile.end() || isFloat(io.tensor->type)) return;
    auto const found = Literal::borrowed(io.tensor->type, io.dims, data, nullptr).toInt64();
    std::vector<int64_t> const& least = range->second.minValues;
    std::vector<int64_t> const& most = range->second.maxValues;
    for (size_t i = 0; i < std::min({found.size(), least.size(), most.size()}); ++i) {
        if (found[i] >= least[i] && found[i] <= most[i]) continue;
        fail(ErrorCode::InvalidArgument, "element ", i, " of input ", io.tensor->name, ", which decides shapes, is ",
             found[i], "; the range in optimization profile ", profile_, " is ", least[i], " to ", most[i],
             ": give a value in it, or build the engine with a profile that allows this one");
    }
}

void Context::expectInRange(Tensor const* input, void const* elements) const { expectInRange(find(input), elements); }

void Context::setInputShape(Tensor const* input, Dims const& dims) {
    Io& io = find(input);
    if (io.shapeSet && io.dims == dims) return;
    checkInRange(io, dims);
    io.dims = dims;
    io.shapeSet = true;
    shapesChanged_ = true;
}

Dims const& Context::inputShape(Tensor const* input) const { return find(input).dims; }

void Context::setAddress(Tensor const* io, void* data) { find(io).data = data; }
void* Context::address(Tensor const* io) const { return find(io).data; }
void Context::setSink(Tensor const* output, OutputSink* sink) { find(output).sink = sink; }
OutputSink* Context::sink(Tensor const* output) const { return find(output).sink; }

void Context::setMemory(void* data, size_t bytes) {
    userMemory_ = data;
    userMemoryBytes_ = bytes;
}

void Context::setMemorySources(MemorySource lasting, MemorySource temporary) {
    allocateLasting_ = lasting ? std::move(lasting) : deviceMemory();
    allocateTemporary_ = temporary ? std::move(temporary) : deviceMemory();
}

void Context::setAuxStreams(std::vector<void*> const& streams) {
    if (streams_) streams_->use(streams);
}

std::vector<std::string> Context::missingForShapes() {
    std::vector<std::string> missing;
    for (Io const& io : ios_) {
        bool const lacksElements = io.tensor->onHost && io.data == nullptr;
        if (io.isInput && (!io.shapeSet || lacksElements)) missing.push_back(io.tensor->name);
    }
    return missing;
}

Dims Context::shapeOf(Tensor const* tensor) {
    Io const& io = find(tensor);
    if (io.isInput && io.shapeSet) return io.dims;
    Dims dims;
    if (!io.isInput && missingForShapes().empty()) {
        prepare();
        ShapeProgram::Shapes const& shapes = prepared_.front()->segment->shapes();
        if (!shapes.bounded[at(io.number)]) return shapes.dims[at(io.number)];
    }
    Plan const& plan = engine_.plan();
    for (DimExpr const& dim : shapeIn(plan.profiles[at(profile_)], plan.graph, *tensor)) dims.push(dim.constantOr(-1));
    return dims;
}

Dims Context::largestShapeOf(Tensor const* output) {
    Io const& io = find(output);
    prepare();
    Segment const& first = *prepared_.front()->segment;
    ShapeProgram::Shapes const& shapes = first.shapes();
    bool const isUnbounded = shapes.unbounded[at(io.number)] != 0;
    if (!shapes.bounded[at(io.number)] || (first.writes(io.number) && !isUnbounded)) return shapes.dims[at(io.number)];
    auto const most = largestShape(engine_.shapeProgram(), shapes, *output);
    if (!most)
        fail(ErrorCode::InvalidState, "output ", output->name,
             ": data decide its size, and nothing bounds it; set an "
             "output allocator (setOutputAllocator)");
    return *most;
}

ShapeProgram::Shapes const* Context::shapes() {
    if (!missingForShapes().empty()) return nullptr;
    prepare();
    return &prepared_.front()->segment->shapes();
}

size_t Context::memoryBytes() {
    prepare();
    return prepared_.front()->segment->memoryBytes();
}

/// Reads the elements of shape tensors, which may change without a call; true if they did.
bool Context::readShapeTensors() {
    bool changed = false;
    for (Io& io : ios_) {
        if (!io.isInput || !io.tensor->onHost || !io.shapeSet) continue;
        if (io.data == nullptr)
            fail(ErrorCode::InvalidState, "input ", io.tensor->name,
                 " decides shapes and has no address; set one in host memory");
        bool const same =
            io.host.data() && io.host.dims() == io.dims && std::memcmp(io.host.data(), io.data, io.host.bytes()) == 0;
        if (same) continue;
        expectInRange(io, io.data);
        io.host = Literal::copyOf(io.tensor->type, io.dims, io.data);
        changed = true;
    }
    return changed;
}

std::vector<ShapeProgram::Input> Context::inputsNow() const {
    std::vector<ShapeProgram::Input> inputs;
    for (Io const& io : ios_) {
        if (!io.isInput) continue;
        if (!io.shapeSet)
            fail(ErrorCode::InvalidState, "input ", io.tensor->name, " has shape ", io.tensor->shape,
                 "; set its shape before running");
        inputs.push_back({io.dims, io.host});
    }
    return inputs;
}

/// Moves what was prepared for these shapes to the front; false if nothing was.
bool Context::usePrepared(std::vector<ShapeProgram::Input> const& key) {
    auto const found = std::ranges::find_if(prepared_, [&](auto const& p) { return sameInputs(p->key, key); });
    if (found == prepared_.end()) return false;
    std::rotate(prepared_.begin(), found, found + 1);
    return true;
}

/// Kernels keep what they made of weights when they were prepared.
void Context::forgetOldWeights() {
    if (weightsVersion_ == engine_.weightsVersion()) return;
    engine_.expectWeights();
    CurrentDevice const device(backend_, engine_.deviceIndex());
    prepared_.clear();
    weights_.reset();
    for (StepState& state : states_) state.streamed = nullptr;
    weightsVersion_ = engine_.weightsVersion();
    shapesChanged_ = true;
}

/// Makes the memory in which kernels, when they are prepared, are told to find weights that are streamed.
void Context::streamWeights() {
    if (weights_ || !engine_.streamsNow()) return;
    CurrentDevice const device(backend_, engine_.deviceIndex());
    weights_.emplace(engine_, allocateLasting_(engine_.streamedWeights().bufferBytes()));
    weights_->placeAll([&](size_t step, int constant, void const* address) {
        if (constant == StepWeights::kPacked) states_[step].streamed = address;
    });
}

std::unique_ptr<Segment> Context::makeSegment(ShapeProgram::Shapes shapes, size_t number) const {
    auto segment = std::make_unique<Segment>(engine_, std::move(shapes), number, states_);
    if (!weights_) return segment;
    weights_->placeAll([&](size_t, int constant, void* address) {
        if (constant != StepWeights::kPacked) segment->bind(constant, address);
    });
    return segment;
}

void Context::prepare() {
    forgetOldWeights();
    streamWeights();
    if (readShapeTensors()) shapesChanged_ = true;
    if (!shapesChanged_) return;
    ThreadLimit const limit(threads_);
    CurrentDevice const device(backend_, engine_.deviceIndex());
    auto key = inputsNow();
    if (!usePrepared(key)) {
        auto fresh = std::make_unique<Prepared>();
        std::ranges::fill(announced_, nullptr); // the address of a freed segment may be used again
        noticed_ = nullptr;
        fresh->segment = makeSegment(engine_.shapeProgram().evaluate(key), 0);
        announced_.front() = fresh->segment.get();
        fresh->key = std::move(key);
        prepared_.insert(prepared_.begin(), std::move(fresh));
        if (prepared_.size() > kShapesKept) prepared_.pop_back();
    }
    shapesChanged_ = false;
}

bool Context::onlyEnqueues() {
    prepare();
    Segment const& segment = *prepared_.front()->segment;
    bool isRecordable = !blames_ && !streams_ && !weights_ && engine_.isOneSegment();
    for (size_t step = 0; isRecordable && step < segment.endStep(); ++step) isRecordable = segment.isRecordable(step);
    return isRecordable;
}

void Context::placeFirst(Segment& segment) {
    size_t const needed = segment.memoryBytes();
    if (userMemory_) {
        if (userMemoryBytes_ < needed)
            fail(ErrorCode::Memory, "the memory given to the context has ", userMemoryBytes_,
                 " bytes; these shapes take ", needed);
        return segment.placeIn(static_cast<std::byte*>(userMemory_));
    }
    if (needed > memoryBytes_ || !memory_) {
        memory_.reset(); // before the larger one is asked for: both may not fit
        memory_ = allocateLasting_(needed);
        memoryBytes_ = needed;
    }
    segment.placeIn(static_cast<std::byte*>(memory_.get()));
}

/// The memory that the sink gives; an Error for null, unless it was asked for zero bytes.
void* Context::memoryOf(Io const& io, size_t bytes) {
    void* memory = io.sink->allocate(io.tensor->name, bytes);
    if (memory == nullptr && bytes != 0)
        fail(ErrorCode::Memory, "output ", io.tensor->name, ": the output allocator gave no memory for ", bytes,
             " bytes");
    return memory;
}

/// Inputs without elements need no address, but null would tell kernels and plugins that they are not there.
void* Context::addressOf(Io const& input) {
    if (input.data != nullptr) return input.data;
    if (!nowhere_) nowhere_ = backend_.allocate(backend_.alignment());
    return nowhere_.get();
}

void Context::bindOutput(Segment& segment, Io& io) {
    bool const known = !segment.shapes().bounded[at(io.number)];
    bool const isElsewhere = segment.shapes().unbounded[at(io.number)] != 0;
    if (isElsewhere || (io.sink && !known)) return segment.bind(io.number, nullptr); // delivered when its size is known
    size_t const bytes = bytesOf(segment.shapes().dims[at(io.number)], io.tensor->label);
    if (io.sink) return segment.bind(io.number, memoryOf(io, bytes));
    if (io.data == nullptr && !(known && bytes == 0)) failForAddress("output", *io.tensor);
    segment.bind(io.number, io.data);
}

void Context::bindIo(Segment& segment) {
    for (Io& io : ios_) {
        if (!io.isInput) {
            if (segment.writes(io.number)) bindOutput(segment, io);
            continue;
        }
        if (io.data == nullptr && io.dims.volume() != 0) failForAddress("input", *io.tensor);
        if (!io.tensor->onHost) segment.bind(io.number, addressOf(io));
    }
}

void Context::setMarkers(ProfilingVerbosity verbosity) {
    std::vector<std::string> marks = marksOf(engine_, verbosity);
    eachBody([&](Context& body) { body.setMarkers(verbosity); });
    marks_ = std::move(marks);
}

void Context::setTracing(bool traces) {
    if (traces_ == traces) return;
    traces_ = traces;
    eachBody([&](Context& body) { body.setTracing(traces); });
}

void Context::setWatch(Watch const& watch) {
    watch_ = watch;
    eachBody([&](Context& body) { body.setWatch(watch); });
}

void Context::setCommunicator(void* communicator) {
    communicator_ = communicator;
    eachBody([&](Context& body) { body.setCommunicator(communicator); });
}

void Context::runStep(Segment& segment, size_t step, void* stream) {
    Marked const range(backend_, markOf(step));
    Node const& node = *engine_.steps()[step].assignment->node;
    locate([&] { return text(node); },
           [&] {
               if (weights_) weights_->before(step, stream);
               blames_ ? runBlamed(segment, step, stream) : segment.run(step, stream, communicator_);
               if (traces_) backend_.synchronize(stream);
           });
    if (traces_) say(engine_.log(), Severity::Info, text(node, ": has run"));
}

/// Runs the step in a stream that does not wait for the default streams, so that work which a plugin left in one of
/// them is seen to be unfinished.
void Context::runBlamed(Segment& segment, size_t step, void* stream) {
    PluginLife const* const plugin = states_[step].plugin;
    Streams const* const streams = plugin ? backend_.streams() : nullptr;
    if (streams) streams->finishDefault();
    segment.run(step, stream, communicator_);
    bool const strayed = streams && streams->finishDefault();
    backend_.synchronize(stream);
    if (strayed && strayed_.insert(plugin).second)
        say(engine_.log(), Severity::Warning,
            text(*engine_.steps()[step].assignment->node, ": ", plugin->plugin().name(),
                 ": put work into the default stream; use the stream that enqueue() is given"));
}

void Context::runTimed(Segment& segment, void* stream) {
    size_t const first = segment.firstStep();
    while (moments_.size() <= segment.endStep() - first) moments_.push_back(backend_.makeMoment());
    moments_[0]->mark(stream);
    for (size_t step = first; step < segment.endStep(); ++step) {
        runStep(segment, step, stream);
        moments_[step - first + 1]->mark(stream);
        if (watch_) showOutputs(segment, engine_.steps()[step]);
    }
    for (size_t step = first; step < segment.endStep(); ++step)
        times_(*engine_.steps()[step].assignment->node,
               moments_[step - first + 1]->nanosecondsSince(*moments_[step - first]));
}

void Context::runSegment(Segment& segment, RecordedSteps& recorded, void* stream) {
    Segment const*& announced = announced_[segment.number()];
    if (announced != &segment) segment.announceShapes();
    announced = &segment;
    if (times_) return runTimed(segment, stream);
    if (!watch_ && !blames_ && !traces_ && !weights_ && backend_.streams())
        return recorded.run(segment, backend_, stream, [&](size_t step, void* s) {
            if (!streams_) return runStep(segment, step, s);
            streams_->run(step, s, [&](void* own) { runStep(segment, step, own); });
        });
    for (size_t step = segment.firstStep(); step < segment.endStep(); ++step) {
        runStep(segment, step, stream);
        if (watch_) showOutputs(segment, engine_.steps()[step]);
    }
}

void Context::showOutputs(Segment const& segment, Engine::Step const& step) const {
    for (size_t i = 0; i < step.outputs.size(); ++i) {
        int const number = step.outputs[i];
        if (number < 0 || segment.dataOf(number) == nullptr) continue;
        watch_(*step.assignment->node->outputs()[i], segment.shapes().dims[at(number)], segment.dataOf(number));
    }
}

void Context::showGiven() {
    for (Io const& io : ios_) {
        bool const isShown = io.isInput && io.tensor->isDebug;
        if (isShown) watch_(*io.tensor, io.dims, io.tensor->onHost ? io.host.data() : addressOf(io));
    }
    for (auto const& tensor : engine_.plan().graph.tensors()) {
        Literal const* const literal = tensor->isDebug ? tensor->literal() : nullptr;
        if (literal) watch_(*tensor, literal->dims(), literal->data());
    }
}

void Context::showShapeTensors(ShapeProgram::Shapes const& shapes) const {
    for (auto const& tensor : engine_.plan().graph.tensors()) {
        if (!tensor->isDebug || !tensor->onHost || !tensor->producer() || tensor->literal()) continue;
        auto const number = at(engine_.shapeProgram().numberOf(tensor.get()));
        watch_(*tensor, shapes.dims[number], shapes.host[number].data());
    }
}

void Context::enqueue(void* stream) {
    if (hasLostThreads()) return onAnotherThread([&] { enqueue(stream); });
    ThreadLimit const limit(threads_);
    CurrentDevice const device(backend_, engine_.deviceIndex());
    Marked const range(backend_, marks_.empty() ? nullptr : "enqueue");
    if (!blameStream_) return backend_.device() == Device::Cpu ? runNoticed(stream) : runAll(stream);
    backend_.synchronize(stream);
    runAll(blameStream_.get());
    backend_.synchronize(blameStream_.get());
}

/// A run in host memory has ended when it returns, so that its time tells whether the machine is busy. The first run at
/// other shapes prepares them too, and is not compared.
void Context::runNoticed(void* stream) {
    if (isInside_ || !engine_.isOneSegment()) return runAll(stream); // data decide how much they compute
    auto const start = std::chrono::steady_clock::now();
    runAll(stream);
    auto const took = std::chrono::steady_clock::now() - start;
    Prepared const* const shapes = prepared_.front().get();
    if (std::exchange(noticed_, shapes) != shapes) return slowRuns_.forgetFastest();
    if (!slowRuns_.isSlow(took)) return;
    auto const said = busyMachine(took, slowRuns_.fastest());
    if (!said) return;
    slowRuns_.wasSaid();
    say(engine_.log(), Severity::Warning, *said);
}

void Context::runAll(void* stream) {
    prepare();
    Prepared& prepared = *prepared_.front();
    Segment& segment = *prepared.segment;
    placeFirst(segment);
    bindIo(segment);
    if (weights_) weights_->begin(stream);
    if (watch_) showGiven();
    runSegment(segment, prepared.recorded, stream);
    if (engine_.isOneSegment()) return deliver(segment, segment.shapes(), stream);
    if (!backend_.isBeingRecorded(stream)) return runLater(prepared, stream);
    expectNoneReadsSizes(segment);
    deliver(segment, segment.shapes(), stream);
}

/// A stream that is being recorded cannot be waited for: outputs stay where the last segment writes them, and how much
/// of them is filled is known to the device alone.
void Context::expectNoneReadsSizes(Segment const& segment) const {
    constexpr std::string_view kWhy = ", which a run waits for; a stream that is being recorded (a CUDA graph) cannot "
                                      "wait";
    SegmentPlan const& plan = segment.plan();
    if (!plan.elements.empty())
        fail(ErrorCode::InvalidState, "the elements of ", tensorAt(plan.elements.front()).name, " decide shapes", kWhy,
             ": run without recording");
    Node const& node = *plan.sized.back();
    if (!segment.isLast())
        fail(ErrorCode::InvalidState, node, ": the steps behind it follow what it finds", kWhy,
             ": record an engine that ends here, or run without recording");
    for (Io const& io : ios_) {
        if (!io.isInput && io.sink && segment.shapes().bounded[at(io.number)])
            fail(ErrorCode::InvalidState, node, ": the size of output ", io.tensor->name, " follows what it finds",
                 kWhy, ": give the output memory of its greatest size with setTensorAddress, and no output allocator");
    }
}

Tensor const& Context::tensorAt(int number) const { return *engine_.plan().graph.tensors()[at(number)]; }

void Context::readSizes(Segment const& segment, Node const& node, ReadSoFar& read, void* stream) const {
    for (SizeTensor const& size : engine_.shapeProgram().sizesOf(node, segment.shapes())) {
        Tensor const* tensor = node.output(static_cast<int>(size.output));
        int64_t bytes = 0;
        backend_.copy(&bytes, segment.dataOf(engine_.shapeProgram().numberOf(tensor)), bitsOf(tensor->label.type) / 8,
                      stream);
        backend_.synchronize(stream);
        int64_t const value = readInteger(&bytes, tensor->label.type);
        int64_t const most = size.upper.constantOr(INT64_MAX);
        if (value < 0)
            fail(ErrorCode::Plugin, node, ": size tensor ", tensor->name, " says ", value, "; a size is 0 or more");
        if (value > most)
            fail(ErrorCode::Plugin, node, ": size tensor ", tensor->name, " says ", value,
                 "; the plugin declared at most ", most, " for inputs of these shapes");
        read.known.sizes[size.symbol] = value;
        read.key.push_back(value);
    }
}

/// As a linear tensor on the host, whatever its label is.
void Context::readElements(Segment const& segment, int number, ReadSoFar& read, void* stream) const {
    Tensor const& tensor = tensorAt(number);
    Dims const& dims = segment.shapes().dims[at(number)];
    Label label = tensor.label;
    auto memory = allocateHost(bytesOf(dims, label));
    backend_.copy(memory.get(), segment.dataOf(number), bytesOf(dims, label), stream);
    backend_.synchronize(stream);
    label.device = Device::Cpu;
    Label const plain{tensor.type, Format::linear(), Device::Cpu};
    if (label != plain) {
        auto const packed = std::exchange(memory, allocateHost(bytesOf(dims, plain)));
        reformat(dims, label, packed.get(), plain, memory.get());
    }
    Literal const elements = Literal::borrowed(tensor.type, dims, memory.get(), memory);
    read.key.insert(read.key.end(), {number, static_cast<int64_t>(elements.bytes())}); // one that is empty counts too
    auto const* const bytes = static_cast<std::byte const*>(elements.data());
    for (size_t i = 0; i < elements.bytes(); i += sizeof(int64_t)) {
        int64_t part = 0;
        std::memcpy(&part, bytes + i, std::min(sizeof(part), elements.bytes() - i));
        read.key.push_back(part);
    }
    read.known.elements.insert_or_assign(number, elements);
}

/// Reads what a segment that has run tells of the shapes after it.
void Context::read(Segment const& segment, ReadSoFar& read, void* stream) const {
    for (Node const* node : segment.plan().sized) readSizes(segment, *node, read, stream);
    for (int const number : segment.plan().elements) readElements(segment, number, read, stream);
}

Context::Later& Context::later(Prepared& prepared, Segment const& before, ReadSoFar const& read) {
    Later& later = prepared.later[read.key];
    if (!later.segment) {
        size_t const number = before.number() + 1;
        auto shapes = engine_.shapeProgram().evaluate(prepared.key, read.known);
        announced_[number] = nullptr;
        auto segment = makeSegment(std::move(shapes), number);
        later.memory = allocateTemporary_(segment->memoryBytes());
        segment->placeIn(static_cast<std::byte*>(later.memory.get()));
        later.segment = std::move(segment); // kept only where it has its memory
        announced_[number] = later.segment.get();
    }
    for (int number = 0; number < engine_.shapeProgram().tensorCount(); ++number) {
        bool const handedOver = !later.segment->writes(number) && before.dataOf(number);
        if (handedOver) later.segment->bind(number, before.dataOf(number));
    }
    return later;
}

/// Forgets what was prepared for the sizes of earlier runs, once that is as much as kShapesKept runs have. Not within a
/// run, whose segments read the memory of those before them.
void Context::forgetSizes(Prepared& prepared) {
    if (prepared.later.size() <= kShapesKept * (engine_.segments().size() - 1)) return;
    prepared.later.clear();
    std::ranges::fill(announced_, nullptr);
}

/// After each segment reads what it tells of later shapes, prepares the next segment for them, and runs that.
void Context::runLater(Prepared& prepared, void* stream) {
    forgetSizes(prepared);
    ReadSoFar found;
    for (Segment* segment = prepared.segment.get();;) {
        read(*segment, found, stream);
        deliver(*segment, engine_.shapeProgram().evaluate(prepared.key, found.known), stream);
        if (segment->isLast()) return;
        Later& next = later(prepared, *segment, found);
        segment = next.segment.get();
        bindIo(*segment);
        runSegment(*segment, next.recorded, stream);
    }
}

/// Delivers outputs that no step could write in place: passed through, constant, on the host, or data-dependent.
void Context::deliver(Segment const& segment, ShapeProgram::Shapes const& actual, void* stream) {
    bool const isLast = segment.isLast();
    if (isLast && watch_) showShapeTensors(actual);
    for (Io& io : ios_) {
        if (io.isInput) continue;
        Dims const& dims = actual.dims[at(io.number)];
        if (segment.writes(io.number)) {
            if (segment.shapes().bounded[at(io.number)])
                deliverOne(io, segment.dataOf(io.number), dims, stream);
            else if (io.sink)
                io.sink->shapeIs(io.tensor->name, dims);
            continue;
        }
        Node const* producer = io.tensor->producer();
        bool const fixed = !producer || producer->layer->constant() || io.tensor->onHost;
        if (!isLast || !fixed) continue;
        void const* data = producer ? segment.dataOf(io.number) : find(io.tensor).data;
        if (producer && io.tensor->onHost) data = actual.host[at(io.number)].data(); // at the sizes that are known now
        deliverOne(io, data, dims, stream);
    }
}

void Context::deliverOne(Io& io, void const* data, Dims const& dims, void* stream) {
    size_t const bytes = bytesOf(dims, io.tensor->label);
    void* to = io.data;
    if (io.sink) to = memoryOf(io, bytes);
    if (to == nullptr && io.tensor->onHost) return; // programs may ask for it by other ways
    if (to == nullptr && bytes != 0) failForAddress("output", *io.tensor);
    if (io.tensor->onHost && bytes != 0)
        std::memmove(to, data, bytes);
    else
        backend_.copy(to, data, bytes, stream);
    if (io.sink) io.sink->shapeIs(io.tensor->name, dims);
}

} // namespace tenon

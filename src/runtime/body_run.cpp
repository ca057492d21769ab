// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/body_run.h"

#include "base/error.h"
#include "layers/conditional/conditional.h"
#include "layers/loop/loop.h"
#include "runtime/context.h"
#include "runtime/segment.h"

#include <algorithm>

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;
using Inputs = std::vector<ShapeProgram::Input>;

size_t at(int number) { return static_cast<size_t>(number); }

/// Hands out the places in one block, of which none is known yet.
class Places {
public:
    explicit Places(size_t alignment) : alignment_(alignment) {}

    size_t add(size_t bytes) {
        size_t const place = bytes_;
        bytes_ += (std::max<size_t>(bytes, 1) + alignment_ - 1) / alignment_ * alignment_;
        return place;
    }
    size_t bytes() const { return bytes_; }

private:
    size_t alignment_;
    size_t bytes_ = 0;
};

/// The node around a graph: its tensors at the shapes that are set.
class Outside {
public:
    Outside(Engine const& engine, Step const& step, Shapes const& shapes)
        : engine_(engine), node_(*step.assignment->node), shapes_(shapes) {}

    Node const& node() const { return node_; }
    Engine const& engine() const { return engine_; }
    Dims dimsOf(Tensor const* tensor) const { return tensor ? shapes_.dims[numberOf(tensor)] : Dims(); }
    Dims inputDims(int input) const { return dimsOf(node_.input(input)); }
    Dims outputDims(size_t output) const { return dimsOf(node_.outputs()[output]); }
    bool isUnbounded(size_t output) const { return shapes_.unbounded[numberOf(node_.outputs()[output])] != 0; }
    size_t outputBytes(size_t output) const {
        return bytesOf(node_.outputs()[output]->type, outputDims(output).volume());
    }
    /// The elements of an input, where they are known with the shapes.
    Literal known(int input) const {
        Tensor const* const tensor = node_.input(input);
        return tensor ? shapes_.host[numberOf(tensor)] : Literal();
    }

    /// What an input holds when a node runs: one number, of which nothing else is known.
    template <class T> T read(int input, Pointers const& pointers) const {
        Tensor const* const tensor = node_.input(input);
        size_t const bytes = bitsOf(tensor->type) / 8;
        std::byte element[sizeof(int64_t)] = {};
        engine_.backend().copy(element, pointers.inputs[input], bytes, pointers.stream);
        engine_.backend().synchronize(pointers.stream);
        Literal const read = Literal::borrowed(tensor->type, Dims(), element, nullptr);
        if constexpr (std::is_same_v<T, bool>)
            return read.as<bool>()[0];
        else
            return read.toInt64()[0];
    }

private:
    size_t numberOf(Tensor const* tensor) const { return at(engine_.shapeProgram().numberOf(tensor)); }

    Engine const& engine_;
    Node const& node_;
    Shapes const& shapes_;
};

/// One graph inside of a node.
class Body {
public:
    explicit Body(Engine const& engine) : engine_(engine) {}

    Tensor const& input(size_t i) const { return *graph().inputs()[i]; }
    Tensor const& output(size_t i) const { return *graph().outputs()[i]; }
    size_t inputs() const { return graph().inputs().size(); }

    /// The shapes of its outputs.
    std::vector<Dims> outputDims(Inputs const& inputs) const {
        Shapes const shapes = engine_.shapeProgram().evaluate(inputs);
        std::vector<Dims> dims;
        for (Tensor const* output : graph().outputs())
            dims.push_back(shapes.dims[at(engine_.shapeProgram().numberOf(output))]);
        return dims;
    }
    /// What a context takes of the node's workspace; where its shapes depend on data, it has memory of its own.
    size_t memoryBytes(Inputs const& inputs) const {
        return engine_.isOneSegment() ? Segment::bytesAt(engine_, engine_.shapeProgram().evaluate(inputs)) : 0;
    }
    size_t outputBytes(size_t i, Dims const& dims) const { return bytesOf(output(i).type, dims.volume()); }

private:
    Graph const& graph() const { return engine_.plan().graph; }

    Engine const& engine_;
};

/// An Error where a graph gives another shape than its layer said.
void expectDims(std::string_view what, size_t number, Dims const& found, Dims const& expected) {
    if (!(found == expected))
        fail(ErrorCode::InvalidArgument, what, ' ', number, " has shape ", found, "; expected ", expected);
}

/// Where what a loop works with lies, and which shapes it goes through.
class LoopLayout {
public:
    LoopLayout(Step const& step, Outside const& outside)
        : loop(*as<Loop>(*outside.node().layer)), body(*step.bodies[0]), outside_(outside),
          places_(outside.engine().backend().alignment()) {
        if (auto const known = outside.known(Loop::kTrips); known.data()) trips = known.toInt64()[0];
        follows = changes();
        followShapes();
        for (size_t const bytes : most_) {
            states[0].push_back(places_.add(bytes));
            states[1].push_back(places_.add(bytes));
        }
        goesOn = places_.add(1);
        trip = places_.add(sizeof(int64_t));
        memoryBytes = follows || makesNone() ? 0 : body.memoryBytes(inputsOf(0));
        memory = places_.add(memoryBytes);
    }

    size_t bytes() const { return places_.bytes(); }
    size_t carried() const { return static_cast<size_t>(loop.carried); }
    /// What is carried into a trip.
    std::vector<Dims> const& carriedInto(int64_t trip) const {
        return carried_[follows ? static_cast<size_t>(trip) : 0];
    }
    Inputs inputsOf(int64_t trip) const {
        Inputs inputs;
        for (size_t i = 0; i < body.inputs(); ++i) {
            bool const isCarried = i >= Loop::kCarried && i < Loop::kCarried + carried();
            Dims dims = i < Loop::kCarried ? Dims() : outside_.inputDims(static_cast<int>(i));
            if (isCarried) dims = carriedInto(trip)[i - Loop::kCarried];
            Literal host;
            if (body.input(i).onHost)
                host = i == Loop::kTrips ? Literal::scalar(trip) : outside_.known(static_cast<int>(i));
            inputs.push_back({dims, host});
        }
        return inputs;
    }

    Loop const& loop;
    Body body;
    bool follows = false;          // shapes are other ones from trip to trip
    std::optional<int64_t> trips;  // where they are known with the shapes
    std::vector<size_t> states[2]; // what is carried, before a trip and after it
    size_t goesOn = 0;
    size_t trip = 0;
    size_t memory = 0;
    size_t memoryBytes = 0;

private:
    bool makesNone() const { return trips && *trips <= 0; }

    /// Whether the first trip leaves other shapes than it finds, where the layer's rule allows that.
    bool changes() {
        std::vector<Dims>& start = carried_.emplace_back();
        for (size_t i = 0; i < carried(); ++i)
            start.push_back(outside_.inputDims(Loop::kCarried + static_cast<int>(i)));
        if (loop.grows) return true;
        if (makesNone() || !trips || !loop.counted || !loop.readsValuesOf(Loop::kTrips)) return false;
        auto const after = body.outputDims(inputsOf(0));
        return !std::equal(start.begin(), start.end(), after.begin() + 1);
    }

    void followShapes() {
        for (size_t i = 0; i < carried(); ++i) most_.push_back(body.outputBytes(1 + i, carried_[0][i]));
        if (makesNone() && !follows) return; // shapes in there need not fit
        int64_t const followed = follows ? std::clamp<int64_t>(trips.value_or(0), 0, Loop::kMostTrips) : 1;
        for (int64_t trip = 0; trip < followed; ++trip) {
            auto const after = body.outputDims(inputsOf(trip));
            expectAfter(after);
            if (!follows) return;
            carried_.emplace_back(after.begin() + 1, after.begin() + 1 + loop.carried);
            for (size_t i = 0; i < carried(); ++i)
                most_[i] = std::max(most_[i], body.outputBytes(1 + i, carried_.back()[i]));
        }
        for (size_t i = 0; i < carried(); ++i)
            expectDims("what it carries at last as value", i, carried_.back()[i], outside_.outputDims(i));
    }

    void expectAfter(std::vector<Dims> const& after) const {
        if (body.outputBytes(0, after[0]) != 1)
            fail(ErrorCode::InvalidArgument, "its body says in ", body.output(0).type, after[0], " whether to go on");
        for (size_t i = 0; i < carried() && !follows; ++i)
            expectDims("what a trip leaves as value", i, after[1 + i], carried_[0][i]);
        for (size_t i = carried(); i < carried() + loop.gathered(); ++i)
            expectDims("what it gathers as output", i, after[1 + i], Dims(outside_.outputDims(i).span().subspan(1)));
    }

    Outside const& outside_;
    Places places_;
    std::vector<std::vector<Dims>> carried_;
    std::vector<size_t> most_; // bytes of each value that is carried
};

class LoopRun final : public BodyRun {
public:
    LoopRun(Engine const& engine, Step const& step, Shapes const& shapes, Context& context)
        : shapes_(shapes), outside_(engine, step, shapes_), layout_(step, outside_), loop_(layout_.loop),
          context_(context), current_(layout_.carried()) {
        CurrentDevice const device(engine.backend(), engine.deviceIndex());
        numberTrips();
    }

    size_t workspaceBytes() const override { return layout_.bytes(); }
    bool waits() const override { return !isRecordable_.value_or(false); }
    void* ownMemory(size_t) const override { return nullptr; } // it has no such outputs

    void run(Pointers const& pointers) override {
        pointers_ = pointers;
        TripLimit limit = limitFor(pointers);
        for (size_t i = 0; i < current_.size(); ++i) current_[i] = pointers.inputs[Loop::kCarried + i];
        if (limit.goesOn()) begin();
        while (limit.goesOn())
            locate([&] { return text("trip ", limit.made()); }, [&] { limit.countOne(runOne(limit.made())); });
        finish(limit.made());
        if (!isRecordable_ && limit.made() != 0) isRecordable_ = canBeRecorded(limit.made());
    }

private:
    static constexpr int64_t kMostRecorded = 10'000; // steps in one recording

    Backend const& backend() const { return outside_.engine().backend(); }
    bool canBeRecorded(int64_t trips) {
        return loop_.counted && layout_.trips && !layout_.follows && context_.onlyEnqueues() &&
               trips * static_cast<int64_t>(context_.engine().steps().size()) <= kMostRecorded;
    }
    std::byte* place(size_t place) const { return static_cast<std::byte*>(pointers_.workspace) + place; }

    /// Where the device has memory of its own, and the trips are known, the number of each of them.
    void numberTrips() {
        bool const goesOn = true;
        true_ = backend().allocate(sizeof(goesOn));
        backend().copy(true_.get(), &goesOn, sizeof(goesOn), nullptr);
        backend().synchronize(nullptr);
        if (!layout_.trips || *layout_.trips < 0 || *layout_.trips > Loop::kMostTrips) return;
        std::vector<int64_t> numbers(static_cast<size_t>(*layout_.trips) + 1);
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
        size_t const bytes = numbers.size() * sizeof(int64_t);
        tripNumbers_ = backend().allocate(bytes);
        backend().copy(tripNumbers_.get(), numbers.data(), bytes, nullptr);
        backend().synchronize(nullptr);
    }

    TripLimit limitFor(Pointers const& pointers) const {
        auto most = layout_.trips;
        bool const begins = loop_.counted || !outside_.node().input(Loop::kCondition) ||
                            outside_.read<bool>(Loop::kCondition, pointers);
        if (!most && outside_.node().input(Loop::kTrips)) most = outside_.read<int64_t>(Loop::kTrips, pointers);
        return TripLimit(loop_, most, begins);
    }

    void begin() {
        if (layout_.memoryBytes != 0) context_.setMemory(place(layout_.memory), layout_.memoryBytes);
        context_.setAddress(&layout_.body.output(0), place(layout_.goesOn));
        for (size_t i = Loop::kCarried + layout_.carried(); i < layout_.body.inputs(); ++i)
            setInput(i, outside_.inputDims(static_cast<int>(i)), pointers_.inputs[i]);
    }

    void setInput(size_t i, Dims const& dims, void const* data) {
        context_.setInputShape(&layout_.body.input(i), dims);
        context_.setAddress(&layout_.body.input(i), const_cast<void*>(data)); // only read
    }

    /// The number of a trip, where the body reads it.
    void const* numberOf(int64_t trip) {
        trip_ = trip;
        if (layout_.body.input(Loop::kTrips).onHost) return &trip_;
        if (tripNumbers_) return static_cast<int64_t const*>(tripNumbers_.get()) + trip;
        backend().copy(place(layout_.trip), &trip_, sizeof(trip_), pointers_.stream);
        backend().synchronize(pointers_.stream);
        return place(layout_.trip);
    }

    bool runOne(int64_t trip) {
        setInput(Loop::kTrips, Dims(), numberOf(trip));
        setInput(Loop::kCondition, Dims(), true_.get());
        for (size_t i = 0; i < current_.size(); ++i) {
            setInput(Loop::kCarried + i, layout_.carriedInto(trip)[i], current_[i]);
            std::byte* const next = place(layout_.states[trip % 2][i]);
            context_.setAddress(&layout_.body.output(1 + i), next);
            current_[i] = next;
        }
        for (size_t i = current_.size(); i < current_.size() + loop_.gathered(); ++i)
            context_.setAddress(&layout_.body.output(1 + i), gatheredAt(i, trip));
        context_.enqueue(pointers_.stream);
        if (loop_.counted) return true;
        bool goesOn = false;
        backend().copy(&goesOn, place(layout_.goesOn), 1, pointers_.stream);
        backend().synchronize(pointers_.stream);
        return goesOn;
    }

    void* gatheredAt(size_t output, int64_t trip) const {
        int64_t const room = outside_.outputDims(output)[0];
        if (trip >= room) fail(ErrorCode::Internal, "makes more trips than output ", output, " has room for: ", room);
        size_t const bytes = outside_.outputBytes(output) / static_cast<size_t>(room);
        return static_cast<std::byte*>(pointers_.outputs[output]) + static_cast<size_t>(trip) * bytes;
    }

    void finish(int64_t made) {
        for (size_t i = 0; i < current_.size(); ++i)
            backend().copy(pointers_.outputs[i], current_[i], outside_.outputBytes(i), pointers_.stream);
        if (!loop_.countsTrips()) return;
        made_ = made;
        backend().copy(pointers_.outputs[outside_.node().outputs().size() - 1], &made_, sizeof(made_),
                       pointers_.stream);
    }

    Shapes shapes_;
    Outside outside_;
    LoopLayout layout_;
    Loop const& loop_;
    Context& context_;
    std::shared_ptr<void> tripNumbers_;
    std::shared_ptr<void> true_;
    std::optional<bool> isRecordable_; // known after the first run that made a trip; where trips vary it is false
    Pointers pointers_;
    std::vector<void const*> current_; // where what is carried lies
    int64_t trip_ = 0;
    int64_t made_ = 0;
};

/// Takes an output whose shape data decide into the memory of the node's output; where nothing bounds it, into memory
/// of its own, which stays for the next run.
class Room final : public OutputSink {
public:
    Room(Outside const& outside, size_t output)
        : backend_(outside.engine().backend()), output_(output), isUnbounded_(outside.isUnbounded(output)),
          bytes_(isUnbounded_ ? 0 : outside.outputBytes(output)) {}

    void at(void* memory) {
        if (!isUnbounded_) memory_ = memory;
    }
    Dims const& dims() const { return dims_; }
    void* memory() const { return memory_; }

    void* allocate(std::string const&, size_t bytes) override {
        if (bytes > bytes_ || (isUnbounded_ && !own_)) grow(bytes);
        return memory_;
    }
    void shapeIs(std::string const&, Dims const& found) override { dims_ = found; }

private:
    void grow(size_t bytes) {
        if (!isUnbounded_)
            fail(ErrorCode::InvalidArgument, "output ", output_, " takes ", bytes, " bytes; the most is ", bytes_);
        own_.reset(); // before there is more
        own_ = backend_.allocate(std::max<size_t>(bytes, 1));
        memory_ = own_.get();
        bytes_ = bytes;
    }

    Backend const& backend_;
    size_t output_;
    bool isUnbounded_;
    size_t bytes_;
    std::shared_ptr<void> own_;
    void* memory_ = nullptr;
    Dims dims_;
};

/// What the branch of an If works with.
struct Branch {
    Body body;
    int first; // its first input of the node
    Inputs inputs;
    std::vector<Room> rooms; // one an output
    size_t memoryBytes = 0;
    std::string refusal; // why it cannot run with these shapes; empty where it can

    Branch(Engine const& engine, Outside const& outside, int firstInput) : body(engine), first(firstInput) {
        for (size_t i = 0; i < body.inputs(); ++i) {
            int const input = first + static_cast<int>(i);
            inputs.push_back({outside.inputDims(input), body.input(i).onHost ? outside.known(input) : Literal()});
        }
        try {
            lookAt(outside);
        } catch (Error const& error) { // only a run that takes it is an Error
            refusal = error.what();
        }
    }

private:
    void lookAt(Outside const& outside) {
        auto const outputs = body.outputDims(inputs);
        memoryBytes = body.memoryBytes(inputs);
        for (size_t i = 0; i < outputs.size(); ++i) {
            rooms.emplace_back(outside, i);
            if (outputs[i].rank() != outside.outputDims(i).rank()) // of what it takes Room looks at the extents
                fail(ErrorCode::InvalidArgument, "output ", i, " has shape ", outputs[i], "; the most is ",
                     outside.outputDims(i));
        }
    }
};

std::vector<Branch> branchesOf(Step const& step, Outside const& outside) {
    std::vector<Branch> branches;
    branches.emplace_back(*step.bodies[0], outside, 1);
    branches.emplace_back(*step.bodies[1], outside, 1 + static_cast<int>(branches[0].body.inputs()));
    return branches;
}

class ConditionalRun final : public BodyRun {
public:
    ConditionalRun(Engine const& engine, Step const& step, Shapes const& shapes,
                   std::vector<std::shared_ptr<Context>> const& contexts)
        : shapes_(shapes), outside_(engine, step, shapes_), layer_(*as<Conditional>(*outside_.node().layer)),
          branches_(branchesOf(step, outside_)), contexts_(contexts),
          sizes_(layer_.atShapes ? 0 : layer_.openOutputs.size()) {
        if (auto const known = outside_.known(0); known.data()) known_ = known.as<bool>()[0];
        if (known_) locate([&] { return nameOf(*known_); }, [&] { expectPossible(branches_[*known_ ? 0 : 1]); });
    }

    static size_t workspaceBytes(std::vector<Branch> const& branches) {
        size_t bytes = 0;
        for (Branch const& branch : branches) bytes = std::max(bytes, branch.memoryBytes);
        return bytes;
    }
    size_t workspaceBytes() const override { return workspaceBytes(branches_); }
    bool waits() const override { return true; }
    void* ownMemory(size_t output) const override { return branches_[taken_].rooms[output].memory(); }

    void run(Pointers const& pointers) override {
        bool const condition = known_ ? *known_ : outside_.read<bool>(0, pointers);
        taken_ = condition ? 0 : 1;
        locate([&] { return nameOf(condition); },
               [&] {
                   expectPossible(branches_[taken_]);
                   runBranch(branches_[taken_], *contexts_[taken_], pointers);
               });
    }

private:
    static std::string nameOf(bool condition) { return text("its ", condition ? "first" : "second", " branch"); }

    static void expectPossible(Branch const& branch) {
        if (!branch.refusal.empty()) fail(ErrorCode::InvalidArgument, branch.refusal);
    }

    void runBranch(Branch& branch, Context& context, Pointers const& pointers) {
        if (branch.memoryBytes != 0) context.setMemory(pointers.workspace, branch.memoryBytes);
        for (size_t i = 0; i < branch.inputs.size(); ++i) {
            void const* const data = pointers.inputs[at(branch.first) + i];
            context.setInputShape(&branch.body.input(i), branch.inputs[i].dims);
            context.setAddress(&branch.body.input(i), const_cast<void*>(data)); // only read
        }
        for (size_t i = 0; i < branch.rooms.size(); ++i) {
            branch.rooms[i].at(pointers.outputs[i]);
            context.setSink(&branch.body.output(i), &branch.rooms[i]);
        }
        context.enqueue(pointers.stream);
        for (size_t i = 0; i < sizes_.size(); ++i) {
            auto const output = static_cast<size_t>(layer_.openOutputs[i]);
            sizes_[i] = branch.rooms[output].dims()[static_cast<int>(layer_.openAxes[i])];
            outside_.engine().backend().copy(pointers.outputs[branch.rooms.size() + i], &sizes_[i], sizeof(int64_t),
                                             pointers.stream);
        }
    }

    Shapes shapes_;
    Outside outside_;
    Conditional const& layer_;
    std::vector<Branch> branches_;
    std::vector<std::shared_ptr<Context>> contexts_;
    std::vector<int64_t> sizes_; // the extents that only the run tells
    std::optional<bool> known_;  // with the shapes
    size_t taken_ = 0;           // by the last run
};

} // namespace

std::unique_ptr<BodyRun> makeBodyRun(Engine const& engine, Step const& step, Shapes const& shapes,
                                     std::vector<std::shared_ptr<Context>> const& contexts) {
    if (as<Loop>(*step.assignment->node->layer)) return std::make_unique<LoopRun>(engine, step, shapes, *contexts[0]);
    return std::make_unique<ConditionalRun>(engine, step, shapes, contexts);
}

size_t bodyWorkspace(Engine const& engine, Step const& step, Shapes const& shapes) {
    Outside const outside(engine, step, shapes);
    if (as<Loop>(*step.assignment->node->layer)) return LoopLayout(step, outside).bytes();
    return ConditionalRun::workspaceBytes(branchesOf(step, outside));
}

} // namespace tenon

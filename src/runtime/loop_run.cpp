// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/body_run.h"
#include "runtime/context.h"
#include "runtime/loop_layout.h"

namespace tenon {
namespace {

using Step = Engine::Step;
using Shapes = ShapeProgram::Shapes;

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
            locate([&] { return text("iteration ", limit.made()); }, [&] { limit.countOne(runOne(limit.made())); });
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

    /// If the device has its own memory and the iterations are known: the number of each iteration.
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

    /// The number of an iteration, if the body reads it.
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
        if (trip >= room)
            fail(ErrorCode::Internal, "runs more iterations than output ", output, " has room for: ", room);
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
    OuterNode outside_;
    LoopLayout layout_;
    Loop const& loop_;
    Context& context_;
    std::shared_ptr<void> tripNumbers_;
    std::shared_ptr<void> true_;
    std::optional<bool> isRecordable_; // known after the first run with an iteration; false if iterations vary
    Pointers pointers_;
    std::vector<void const*> current_; // where the carried values are
    int64_t trip_ = 0;
    int64_t made_ = 0;
};

} // namespace

std::unique_ptr<BodyRun> makeLoopRun(Engine const& engine, Step const& step, Shapes const& shapes, Context& context) {
    return std::make_unique<LoopRun>(engine, step, shapes, context);
}

} // namespace tenon

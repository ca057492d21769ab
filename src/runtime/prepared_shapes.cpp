// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/prepared_shapes.h"

#include <algorithm>

namespace tenon {
namespace {

bool sameInputs(std::vector<ShapeProgram::Input> const& a, std::vector<ShapeProgram::Input> const& b) {
    return std::ranges::equal(a, b, [](auto const& x, auto const& y) {
        bool const bothPlain = x.host.data() == nullptr && y.host.data() == nullptr;
        return x.dims == y.dims && (bothPlain || x.host == y.host);
    });
}

} // namespace

PreparedShapes::PreparedShapes(Engine const& engine, StepStates const& states, ContextWeights const& weights)
    : engine_(engine), states_(states), weights_(weights), announced_(engine.segments().size(), nullptr) {}

bool PreparedShapes::use(std::vector<ShapeProgram::Input> const& key) {
    auto const found = std::ranges::find_if(runs_, [&](auto const& run) { return sameInputs(run->key, key); });
    if (found == runs_.end()) return false;
    std::rotate(runs_.begin(), found, found + 1);
    return true;
}

void PreparedShapes::add(std::vector<ShapeProgram::Input> key) {
    auto fresh = std::make_unique<PreparedRun>();
    std::ranges::fill(announced_, nullptr); // the address of a freed segment may be used again
    fresh->first.segment = makeSegment(engine_.shapeProgram().evaluate(key), 0);
    announced_.front() = fresh->first.segment.get(); // plugins received its shapes while it was made
    fresh->key = std::move(key);
    runs_.insert(runs_.begin(), std::move(fresh));
    if (runs_.size() > kKept) runs_.pop_back();
}

std::unique_ptr<Segment> PreparedShapes::makeSegment(ShapeProgram::Shapes shapes, size_t number) const {
    auto segment = std::make_unique<Segment>(engine_, std::move(shapes), number, states_.all());
    weights_.bind(*segment);
    return segment;
}

PreparedSegment& PreparedShapes::later(PreparedRun& run, Segment const& before, SizesRead const& sizes,
                                       ContextMemory const& memory) {
    PreparedSegment& later = run.later[sizes.key()];
    if (!later.segment) {
        size_t const number = before.number() + 1;
        auto shapes = engine_.shapeProgram().evaluate(run.key, sizes.known());
        announced_[number] = nullptr;
        auto segment = makeSegment(std::move(shapes), number);
        later.memory = memory.allocateTemporary(segment->memoryBytes());
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

void PreparedShapes::forgetSizes(PreparedRun& run) {
    if (run.later.size() <= kKept * (engine_.segments().size() - 1)) return;
    run.later.clear();
    std::ranges::fill(announced_, nullptr);
}

void PreparedShapes::announce(Segment const& segment) {
    Segment const*& announced = announced_[segment.number()];
    if (announced != &segment) segment.announceShapes();
    announced = &segment;
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/loop_layout.h"

namespace tenon {
namespace {

/// An Error if a graph's shape differs from the one that its layer inferred.
void expectDims(std::string_view what, size_t number, Dims const& found, Dims const& expected) {
    if (!(found == expected))
        fail(ErrorCode::InvalidArgument, what, ' ', number, " has shape ", found, "; expected ", expected);
}

} // namespace

LoopLayout::LoopLayout(Engine::Step const& step, OuterNode const& outside)
    : loop(*as<Loop>(*outside.node().layer)), body(*step.bodies[0]), outside_(outside),
      offsets_(outside.engine().backend().alignment()) {
    if (auto const known = outside.known(Loop::kTrips); known.data()) trips = known.toInt64()[0];
    follows = changes();
    followShapes();
    for (size_t const bytes : most_) {
        states[0].push_back(offsets_.add(bytes));
        states[1].push_back(offsets_.add(bytes));
    }
    goesOn = offsets_.add(1);
    trip = offsets_.add(sizeof(int64_t));
    memoryBytes = follows || makesNone() ? 0 : body.memoryBytes(inputsOf(0));
    memory = offsets_.add(memoryBytes);
}

BodyShapes LoopLayout::inputsOf(int64_t trip) const {
    BodyShapes inputs;
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

/// Whether the first iteration changes shapes, if the layer's rule allows that.
bool LoopLayout::changes() {
    std::vector<Dims>& start = carried_.emplace_back();
    for (size_t i = 0; i < carried(); ++i) start.push_back(outside_.inputDims(Loop::kCarried + static_cast<int>(i)));
    if (loop.grows) return true;
    if (makesNone() || !trips || !loop.counted || !loop.readsValuesOf(Loop::kTrips)) return false;
    auto const after = body.outputDims(inputsOf(0));
    return !std::equal(start.begin(), start.end(), after.begin() + 1);
}

void LoopLayout::followShapes() {
    for (size_t i = 0; i < carried(); ++i) most_.push_back(body.outputBytes(1 + i, carried_[0][i]));
    if (makesNone() && !follows) return; // inner shapes need not fit
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
        expectDims("its final carried value", i, carried_.back()[i], outside_.outputDims(i));
}

void LoopLayout::expectAfter(std::vector<Dims> const& after) const {
    if (body.outputBytes(0, after[0]) != 1)
        fail(ErrorCode::InvalidArgument, "its body's condition is ", body.output(0).type, after[0],
             "; expected one bool");
    for (size_t i = 0; i < carried() && !follows; ++i)
        expectDims("its next carried value", i, after[1 + i], carried_[0][i]);
    for (size_t i = carried(); i < carried() + loop.gathered(); ++i)
        expectDims("its gathered output", i, after[1 + i], Dims(outside_.outputDims(i).span().subspan(1)));
}

} // namespace tenon

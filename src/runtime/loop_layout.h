// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/loop/loop.h"
#include "runtime/inner_graph.h"

namespace tenon {

/// The workspace of a loop, and the shapes of its carried values in each iteration.
class LoopLayout {
public:
    /// An Error if the body does not fit the shapes of the node.
    LoopLayout(Engine::Step const& step, OuterNode const& outside);

    size_t bytes() const { return offsets_.bytes(); }
    size_t carried() const { return static_cast<size_t>(loop.carried); }
    /// The carried values before an iteration.
    std::vector<Dims> const& carriedInto(int64_t trip) const {
        return carried_[follows ? static_cast<size_t>(trip) : 0];
    }
    BodyShapes inputsOf(int64_t trip) const;

    Loop const& loop;
    InnerGraph body;
    bool follows = false;          // shapes differ between iterations
    std::optional<int64_t> trips;  // if they are known with the shapes
    std::vector<size_t> states[2]; // the carried values, before and after an iteration
    size_t goesOn = 0;
    size_t trip = 0;
    size_t memory = 0;
    size_t memoryBytes = 0;

private:
    bool makesNone() const { return trips && *trips <= 0; }

    bool changes();
    void followShapes();
    void expectAfter(std::vector<Dims> const& after) const;

    OuterNode const& outside_;
    BlockOffsets offsets_;
    std::vector<std::vector<Dims>> carried_;
    std::vector<size_t> most_; // bytes of each carried value
};

} // namespace tenon

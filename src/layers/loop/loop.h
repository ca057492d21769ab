// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"

#include <optional>

namespace tenon {

/// A graph that runs repeatedly.
///
/// Inputs: the maximum number of iterations ([] or [1], integer; absent: no limit), whether there is a first iteration
/// ([] or [1] bool; absent: yes), the carried values, then the other inputs of the body. The body's inputs are: the
/// number of the iteration [] int64, a true [] bool, the carried values of the previous iteration, the rest. Its
/// outputs are: whether to continue (bool), the carried values, then the gathered outputs.
///
/// Outputs: the carried values after the last iteration; the gathered outputs, concatenated along a new first axis;
/// and, if the body determines the number of iterations and there are gathered outputs, that number [] int64.
struct Loop final : LayerOf<Loop> {
    static constexpr std::string_view kKind = "Loop";
    enum Input { kTrips, kCondition, kCarried };

    /// More are treated as an error: a body takes at least a microsecond.
    static constexpr int64_t kMostTrips = 1'000'000;

    Graph body;
    int64_t carried = 0;
    bool counted = true; // its condition is always true, so it runs all iterations
    bool grows = false;  // the shapes in it differ between iterations, so the number of iterations determines shapes

    void fields(Fields& f) override {
        visitBody(f, "body", body);
        f("carried", carried);
        f("counted", counted);
        f("grows", grows);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kTrips && (gathered() > 0 || grows); }
    std::vector<SizeTensor> sizes(Operands const& in) const override;
    std::vector<Graph*> bodies() override { return {&body}; }
    std::vector<BodyInputs> bodyInputs(Operands const& in) const override;

    size_t gathered() const { return body.outputs().size() - 1 - static_cast<size_t>(carried); }
    /// Whether the number of iterations is an output.
    bool countsTrips() const { return !counted && gathered() > 0; }
};

/// Counts the iterations of a loop, whatever runs its body.
class TripLimit {
public:
    /// `most`: the trip count input, if any; `begins`: its condition before the first iteration. Throws an Error if the
    /// loop would be endless, or nearly.
    TripLimit(Loop const& loop, std::optional<int64_t> most, bool begins);

    /// Whether there is another iteration; throws an Error if there were too many.
    bool goesOn() const;
    int64_t made() const { return made_; }
    /// Counts an iteration, whose condition is `goesOn`.
    void countOne(bool goesOn);

private:
    bool isCounted_;
    int64_t most_;
    int64_t made_ = 0;
    bool goesOn_;
};

} // namespace tenon

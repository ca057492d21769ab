// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"

#include <optional>

namespace tenon {

/// A graph that runs again and again.
///
/// Inputs: the largest number of trips ([] or [1], integer; absent: no limit), whether there is a first trip ([] or [1]
/// bool; absent: yes), the carried values, then what else the body reads. The body takes in their place: the number of
/// the trip [] int64, a true [] bool, the values as the trip before left them, the rest. It gives: whether to go on
/// (bool), the carried values, then what is gathered.
///
/// Outputs: the carried values after the last trip; what was gathered, one trip behind the other along a new first
/// axis; and where the body decides how many trips there are and something is gathered, their number [] int64.
struct Loop final : LayerOf<Loop> {
    static constexpr std::string_view kKind = "Loop";
    enum Input { kTrips, kCondition, kCarried };

    /// More are a mistake: a body takes a microsecond at the very least.
    static constexpr int64_t kMostTrips = 1'000'000;

    Graph body;
    int64_t carried = 0;
    bool counted = true; // it makes all its trips: its condition is true throughout
    bool grows = false;  // the shapes in it differ from trip to trip, so the number of trips decides shapes

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
    /// How many trips it has made is an output.
    bool countsTrips() const { return !counted && gathered() > 0; }
};

/// Which trips a loop makes, by whatever its body is run.
class TripLimit {
public:
    /// `most`: the trip count that it is given, if any; `begins`: its condition before the first trip. An Error where
    /// the loop would go on for ever, or nearly.
    TripLimit(Loop const& loop, std::optional<int64_t> most, bool begins);

    /// Whether there is another trip; an Error where there were too many.
    bool goesOn() const;
    int64_t made() const { return made_; }
    /// A trip was made, and its condition is this.
    void countOne(bool goesOn);

private:
    bool isCounted_;
    int64_t most_;
    int64_t made_ = 0;
    bool goesOn_;
};

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

namespace tenon {

/// The properties that decide which steps may run concurrently.
struct StepNeeds {
    std::vector<int> steps; // earlier steps that it depends on
    bool alone = false;     // nothing runs concurrently: plugins and steps on the host
};

/// Where and when one step runs. Streams are numbered: 0 is the caller's, the others are auxiliary.
struct StepPlace {
    int stream = 0;
    bool forks = false;     // it begins a stretch with auxiliary streams, which wait for all earlier work
    std::vector<int> waits; // steps in other streams that it begins after; kFork: after the fork
    std::vector<int> joins; // steps in auxiliary streams that the caller's stream waits for after this one
    bool isAwaited = false; // by some wait or join
    int firstBeside = 0;    // the first step that may still be running when it begins; itself if there is none

    static constexpr int kFork = -1;
};

/// Divides steps, given in an order in which they can run one after another, among the caller's stream and up to
/// `auxiliary` others, so that branches of the network run concurrently. A stretch between two steps that run alone
/// begins with a fork and ends with a join, so it can be recorded alone. Empty if there are no branches.
///
/// A step goes into the stream whose last step it depends on; else into a stream whose steps are all done by then;
/// else, if all streams are busy, into the caller's.
std::vector<StepPlace> planStreams(std::span<StepNeeds const> steps, int auxiliary);

/// How many auxiliary streams are used.
int auxiliaryStreams(std::span<StepPlace const> places);

} // namespace tenon

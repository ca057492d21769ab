// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/plan_streams.h"

#include <algorithm>
#include <iterator>

namespace tenon {
namespace {

constexpr int kNothing = StepPlace::kFork - 1; // not even the fork is known to be done

size_t at(int number) { return static_cast<size_t>(number); }

/// For each stream the last step that is known to be done; all earlier ones in that stream are done too.
using Over = std::vector<int>;

void merge(Over& to, Over const& from) {
    for (size_t stream = 0; stream < to.size(); ++stream) to[stream] = std::max(to[stream], from[stream]);
}

/// Places the steps of one stretch without steps that run alone.
class Stretch {
public:
    Stretch(std::span<StepNeeds const> steps, std::vector<StepPlace>& places, size_t begin, int streams)
        : steps_(steps), places_(places), begin_(begin), last_(at(streams), StepPlace::kFork),
          over_(at(streams), Over(at(streams), kNothing)), after_(steps.size()) {
        over_[0][0] = StepPlace::kFork;
    }

    void place(size_t step) {
        StepPlace& place = places_[step];
        place.stream = choose(step);
        Over& over = over_[at(place.stream)];
        std::vector<int> needs = needsOf(step);
        std::ranges::sort(needs, std::greater{}); // the latest first: it implies most others
        for (int const need : needs) {
            if (isOver(need, over)) continue;
            place.waits.push_back(need);
            places_[at(need)].isAwaited = true;
            merge(over, after_[at(need)]);
        }
        if (over[0] == kNothing) {
            place.waits.push_back(StepPlace::kFork);
            places_[begin_].forks = true;
            over[0] = StepPlace::kFork;
        }
        place.firstBeside = firstBeside(step, over);
        over[at(place.stream)] = last_[at(place.stream)] = static_cast<int>(step);
        after_[step] = over;
    }

    /// The caller's stream waits for all others after the last step.
    void join(size_t end) {
        for (size_t stream = 1; stream < last_.size(); ++stream) {
            if (last_[stream] < 0 || last_[stream] <= over_[0][stream]) continue;
            places_[end - 1].joins.push_back(last_[stream]);
            places_[at(last_[stream])].isAwaited = true;
        }
    }

private:
    std::vector<int> needsOf(size_t step) const { // within this stretch; earlier steps are done
        std::vector<int> needs;
        std::ranges::copy_if(steps_[step].steps, std::back_inserter(needs),
                             [&](int need) { return need >= static_cast<int>(begin_); });
        return needs;
    }

    bool isOver(int step, Over const& over) const { return step <= over[at(places_[at(step)].stream)]; }

    int choose(size_t step) const {
        auto const needs = needsOf(step);
        for (size_t stream = 0; stream < last_.size(); ++stream) {
            if (std::ranges::find(needs, last_[stream]) != needs.end()) return static_cast<int>(stream);
        }
        Over known(last_.size(), kNothing);
        for (int const need : needs) merge(known, after_[at(need)]);
        for (size_t stream = 0; stream < last_.size(); ++stream) {
            if (last_[stream] == StepPlace::kFork || last_[stream] <= known[stream]) return static_cast<int>(stream);
        }
        return 0;
    }

    int firstBeside(size_t step, Over const& over) const {
        for (size_t other = begin_; other < step; ++other) {
            if (!isOver(static_cast<int>(other), over)) return static_cast<int>(other);
        }
        return static_cast<int>(step);
    }

    std::span<StepNeeds const> steps_;
    std::vector<StepPlace>& places_;
    size_t begin_;
    std::vector<int> last_;   // in each stream; kFork: nothing yet
    std::vector<Over> over_;  // by stream: the steps that are done when its last step is
    std::vector<Over> after_; // by step: the steps that are done when it is
};

} // namespace

std::vector<StepPlace> planStreams(std::span<StepNeeds const> steps, int auxiliary) {
    auxiliary = static_cast<int>(std::min<size_t>(static_cast<size_t>(std::max(auxiliary, 0)), steps.size()));
    if (auxiliary == 0) return {};
    std::vector<StepPlace> places(steps.size());
    for (size_t begin = 0; begin < steps.size();) {
        if (steps[begin].alone) {
            places[begin].firstBeside = static_cast<int>(begin);
            ++begin;
            continue;
        }
        Stretch stretch(steps, places, begin, auxiliary + 1);
        size_t end = begin;
        for (; end < steps.size() && !steps[end].alone; ++end) stretch.place(end);
        stretch.join(end);
        begin = end;
    }
    return auxiliaryStreams(places) == 0 ? std::vector<StepPlace>{} : places;
}

int auxiliaryStreams(std::span<StepPlace const> places) {
    int most = 0;
    for (StepPlace const& place : places) most = std::max(most, place.stream);
    return most;
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/cycle.h"

#include "base/text.h"

#include <algorithm>

namespace tenon {
namespace {

/// Depth-first search without recursion: a chain of nodes may be as long as a model.
class CycleSearch {
public:
    using DependenciesOf = std::function<std::vector<size_t>(size_t i)>;

    CycleSearch(size_t count, DependenciesOf const& dependenciesOf)
        : dependenciesOf_(dependenciesOf), states_(count, State::New) {}

    std::vector<size_t> run() {
        for (size_t start = 0; start < states_.size(); ++start) {
            if (states_[start] == State::New) enter(start);
            while (!path_.empty()) {
                if (auto cycle = step(); !cycle.empty()) return cycle;
            }
        }
        return {};
    }

private:
    enum class State : char { New, OnPath, Done };
    struct Visit {
        size_t at;
        std::vector<size_t> dependencies;
        size_t next = 0;
    };

    void enter(size_t at) {
        states_[at] = State::OnPath;
        path_.push_back({at, dependenciesOf_(at)});
    }

    std::vector<size_t> step() {
        Visit& last = path_.back();
        if (last.next == last.dependencies.size()) {
            states_[last.at] = State::Done;
            path_.pop_back();
            return {};
        }
        size_t const dependency = last.dependencies[last.next++];
        if (states_[dependency] == State::OnPath) return cycleFrom(dependency);
        if (states_[dependency] == State::New) enter(dependency);
        return {};
    }

    std::vector<size_t> cycleFrom(size_t first) const {
        std::vector<size_t> cycle;
        for (auto visit = path_.rbegin(); cycle.empty() || cycle.back() != first; ++visit) cycle.push_back(visit->at);
        std::ranges::rotate(cycle, std::ranges::min_element(cycle));
        return cycle;
    }

    DependenciesOf const& dependenciesOf_;
    std::vector<State> states_;
    std::vector<Visit> path_;
};

} // namespace

std::vector<size_t> findCycle(size_t count, std::function<std::vector<size_t>(size_t i)> const& dependenciesOf) {
    return CycleSearch(count, dependenciesOf).run();
}

std::string cycleText(std::vector<size_t> const& cycle, std::function<std::string(size_t i)> const& nameOf) {
    constexpr size_t kMostNamed = 20;
    std::vector<std::string> names;
    for (size_t const i : cycle)
        names.push_back(names.size() < kMostNamed ? nameOf(i) : text("... (", cycle.size(), " in all)"));
    names.resize(std::min(names.size(), kMostNamed + 1));
    return joined(names);
}

} // namespace tenon

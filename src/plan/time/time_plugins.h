// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/kernels/candidates.h"
#include "plan/shapes/profile_shapes.h"
#include "plan/time/timer.h"

#include <set>

namespace tenon {

class PluginLayer;

/// Times plugins with several variants in each of them, at the optimum of the first profile and on zeros.
class PluginTimer {
public:
    /// Variants that need more than `workspaceLimit` bytes of workspace are not timed.
    PluginTimer(Plan const& plan, Timer& timer, size_t workspaceLimit);

    /// Replaces estimated costs by times. If a plugin cannot be timed in all variants, its choices are unchanged. A
    /// further call measures only new ones.
    void time(std::vector<Candidates>& all);
    /// A note with the number of plugins that were not timed; "" if all were.
    std::string const& note() const { return note_; }

private:
    /// A plugin, the cache keys of its variants, and the variants to be measured.
    struct Question {
        Candidates* candidates;
        std::vector<std::string> keys = {};
        std::vector<size_t> unknown = {};
    };

    Question ask(Candidates& candidates, std::set<std::string>& asked);
    void measure(Question const& question);
    bool answer(Question const& question) const;
    std::string describe(Assignment const& choice, PluginLayer const& layer,
                         std::optional<std::string> const& id) const;

    Plan const& plan_;
    Timer& timer_;
    size_t workspaceLimit_;
    ProfileShapes shapes_;
    std::map<std::string, std::optional<double>> times_; // nanoseconds; null: it failed
    std::string note_;
};

} // namespace tenon

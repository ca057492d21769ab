// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/slow_runs.h"

#include "base/cpus.h"
#include "base/text.h"

#include <utility>

namespace tenon {

bool SlowRuns::isSlow(Duration took) {
    constexpr int kTimes = 10;
    constexpr Duration kLonger = std::chrono::milliseconds(5);
    bool const isSlow = fastest_ != Duration::max() && took > kTimes * fastest_ && took - fastest_ > kLonger;
    if (took < fastest_) fastest_ = took;
    return isSlow && !wasSaid_;
}

std::optional<std::string> SlowRuns::ended(void const* shapes, Duration took) {
    if (std::exchange(shapes_, shapes) != shapes) {
        forgetFastest();
        return std::nullopt;
    }
    if (!isSlow(took)) return std::nullopt;
    auto said = busyMachine(took, fastest_);
    if (said) wasSaid();
    return said;
}

std::optional<std::string> busyMachine(SlowRuns::Duration took, SlowRuns::Duration fastest) {
    if (!areCpusContended()) return std::nullopt;
    auto const microseconds = [](SlowRuns::Duration time) {
        return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    };
    return text("a run took ", microseconds(took), " us, the fastest one ", microseconds(fastest),
                " us: other work may have kept its threads from running (", describeCpus(),
                "). See docs/threads.md. This is logged once");
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tenon {

/// Detects that other work keeps the CPUs from a context's runs.
class SlowRuns {
public:
    using Duration = std::chrono::nanoseconds;

    /// Of a run. True if it took ten times as long as the fastest one, and 5 ms longer, so that checking whether the
    /// machine is busy is worthwhile; false once that was reported.
    bool isSlow(Duration took);
    void wasSaid() { wasSaid_ = true; }
    /// Starts again, as after new shapes were set.
    void forgetFastest() { fastest_ = Duration::max(); }
    Duration fastest() const { return fastest_; }

    /// The message to log after a run, or nothing. `shapes` identifies the shapes that ran. The first run at other
    /// shapes is not compared, because it prepares them too.
    std::optional<std::string> ended(void const* shapes, Duration took);
    /// An identity may be used again for other shapes.
    void forgetShapes() { shapes_ = nullptr; }

private:
    void const* shapes_ = nullptr; // the shapes of fastest_
    Duration fastest_ = Duration::max();
    bool wasSaid_ = false;
};

/// The message about such a run; nothing if there are no more runnable threads than CPUs, and no quota: then it was
/// slow for another reason.
std::optional<std::string> busyMachine(SlowRuns::Duration took, SlowRuns::Duration fastest);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tenon {

/// Notices that other work keeps the CPUs from a context's runs.
class SlowRuns {
public:
    using Duration = std::chrono::nanoseconds;

    /// Of a run. True where it took ten times as long as the fastest one, and 5 ms longer, so that it is worth asking
    /// whether the machine is busy; false once that was said.
    bool isSlow(Duration took);
    void wasSaid() { wasSaid_ = true; }
    /// Starts again, as where other shapes are set.
    void forgetFastest() { fastest_ = Duration::max(); }
    Duration fastest() const { return fastest_; }

    /// The message to log after a run, or nothing. `shapes` identifies the shapes that ran. The first run at other
    /// shapes is not compared, because it prepares them too.
    std::optional<std::string> ended(void const* shapes, Duration took);
    /// An identity may be used again for other shapes.
    void forgetShapes() { shapes_ = nullptr; }

private:
    void const* shapes_ = nullptr; // what fastest_ is about
    Duration fastest_ = Duration::max();
    bool wasSaid_ = false;
};

/// What to say of such a run; nothing where no more threads want to run than there are CPUs, and there is no quota:
/// then it was slow for another reason.
std::optional<std::string> busyMachine(SlowRuns::Duration took, SlowRuns::Duration fastest);

} // namespace tenon

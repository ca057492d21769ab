// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <chrono>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

namespace trtexec {

/// Shows the progress of a build on a terminal, once it has taken a second, in one line that is redrawn and finally
/// cleared. Thread-safe.
class ProgressBar final : public nvinfer1::IProgressMonitor {
public:
    using Seconds = std::chrono::duration<double>;

    explicit ProgressBar(std::ostream& out, Seconds patience = Seconds(1)) : out_(out), patience_(patience) {}

    void phaseStart(char const* phaseName, char const* parentPhase, int32_t nbSteps) override;
    bool stepComplete(char const* phaseName, int32_t step) override;
    void phaseFinish(char const* phaseName) override;

private:
    struct Phase {
        std::string name;
        int32_t steps;
        int32_t done;
    };

    Phase* find(std::string const& name);
    void draw();
    void wipe();

    std::ostream& out_;
    Seconds patience_;
    std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::vector<Phase> open_; // the outermost first
    bool drawn_ = false;
};

/// Whether the log goes to a terminal, where a bar can be drawn.
bool onTerminal();

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "progress_bar.h"

#include <algorithm>
#include <unistd.h>

namespace trtexec {

ProgressBar::Phase* ProgressBar::find(std::string const& name) {
    auto const found = std::ranges::find(open_, name, &Phase::name);
    return found == open_.end() ? nullptr : &*found;
}

void ProgressBar::phaseStart(char const* phaseName, char const*, int32_t nbSteps) {
    std::lock_guard const lock(mutex_);
    open_.push_back({phaseName, std::max(nbSteps, 1), 0});
    draw();
}

bool ProgressBar::stepComplete(char const* phaseName, int32_t step) {
    std::lock_guard const lock(mutex_);
    if (Phase* phase = find(phaseName)) phase->done = std::clamp(step + 1, 0, phase->steps);
    draw();
    return true;
}

void ProgressBar::phaseFinish(char const* phaseName) {
    std::lock_guard const lock(mutex_);
    std::erase_if(open_, [&](Phase const& phase) { return phase.name == phaseName; });
    if (open_.empty())
        wipe();
    else
        draw();
}

void ProgressBar::draw() {
    if (std::chrono::steady_clock::now() - start_ < patience_) return;
    constexpr size_t kWidth = 30;
    std::string line = "\r\033[K";
    for (Phase const& phase : open_) {
        size_t const filled = kWidth * static_cast<size_t>(phase.done) / static_cast<size_t>(phase.steps);
        line += phase.name + " [" + std::string(filled, '=') + std::string(kWidth - filled, ' ') + "] " +
                std::to_string(phase.done) + "/" + std::to_string(phase.steps) + "  ";
    }
    out_ << line << '\r' << std::flush; // log lines in between are above the bar, not on its line
    drawn_ = true;
}

void ProgressBar::wipe() {
    if (drawn_) out_ << "\r\033[K" << std::flush;
    drawn_ = false;
}

bool onTerminal() { return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO); }

} // namespace trtexec

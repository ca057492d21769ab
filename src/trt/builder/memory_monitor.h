// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "base/log.h"
#include "plan/build.h"

namespace tenon::trt {

/// Logs the memory of the process and the device at the start of each stage of a build, and at the end.
class MemoryMonitor {
public:
    MemoryMonitor(Log log, Backend const& backend) : log_(std::move(log)), backend_(backend) {}
    ~MemoryMonitor() { tell("at the end of the build"); }
    MemoryMonitor(MemoryMonitor const&) = delete;
    MemoryMonitor& operator=(MemoryMonitor const&) = delete;

    void enter(BuildStage stage) const { tell(text("before ", names(stage)[static_cast<size_t>(stage)])); }

private:
    void tell(std::string const& when) const noexcept;

    Log log_;
    Backend const& backend_;
};

} // namespace tenon::trt

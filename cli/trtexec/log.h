// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text.h"

#include <atomic>
#include <mutex>

namespace trtexec {

/// Writes lines in the form that scripts parse: "[MM/DD/YYYY-HH:MM:SS] [I] text". Warnings and errors go to stderr, the
/// rest to stdout. The engine's messages have the prefix "[TRT] ". Thread-safe.
class Log final : public nvinfer1::ILogger {
public:
    void setVerbose(bool verbose) { verbose_ = verbose; }
    bool verbose() const { return verbose_; }

    template <class... Parts> void info(Parts const&... parts) { write(Severity::kINFO, concat(parts...)); }
    template <class... Parts> void warning(Parts const&... parts) { write(Severity::kWARNING, concat(parts...)); }
    template <class... Parts> void error(Parts const&... parts) { write(Severity::kERROR, concat(parts...)); }
    template <class... Parts> void detail(Parts const&... parts) { write(Severity::kVERBOSE, concat(parts...)); }

    /// From the engine.
    void log(Severity severity, char const* message) noexcept override;

    /// An unformatted line to stdout.
    void plain(std::string const& line);

private:
    void write(Severity severity, std::string const& text);

    std::mutex mutex_;
    std::atomic<bool> verbose_ = false;
};

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <exception>
#include <string>

namespace tenon::plugins {

/// The logger that initLibNvInferPlugins() was given, for when the engine has none: as long as no builder, runtime or
/// parser is alive.
void setLogger(nvinfer1::ILogger* logger) noexcept;

/// Logs "plugin: what".
void log(nvinfer1::ILogger::Severity severity, char const* plugin, char const* what) noexcept;

/// Methods of the API must not let exceptions out. Runs `body` and returns its result; if it throws, logs what it threw
/// and returns `failed`.
template <typename Result, typename Body> Result guarded(char const* plugin, Result failed, Body body) noexcept {
    try {
        return body();
    } catch (std::exception const& error) {
        log(nvinfer1::ILogger::Severity::kERROR, plugin, error.what());
    } catch (...) {
        log(nvinfer1::ILogger::Severity::kERROR, plugin, "unknown exception");
    }
    return failed;
}

} // namespace tenon::plugins

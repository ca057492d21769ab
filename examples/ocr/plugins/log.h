// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <exception>
#include <string>

namespace ocr {

inline void logError(char const* plugin, char const* what) noexcept {
    nvinfer1::ILogger* const logger = getLogger();
    if (logger == nullptr) return;
    try {
        logger->log(nvinfer1::ILogger::Severity::kERROR, (std::string(plugin) + ": " + what).c_str());
    } catch (...) { // no memory for the sentence: the caller still sees the failure
    }
}

// Plugin methods are noexcept: an exception that left one would end the process. Runs `body` and returns its result;
// if it throws, logs what it threw and returns `failed`.
template <typename Result, typename Body> Result guarded(char const* plugin, Result failed, Body body) noexcept {
    try {
        return body();
    } catch (std::exception const& error) {
        logError(plugin, error.what());
    } catch (...) {
        logError(plugin, "unknown exception");
    }
    return failed;
}

} // namespace ocr

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// How a plugin on the base tells what went wrong.
#ifndef TENON_PLUGIN_BASE_LOG_H
#define TENON_PLUGIN_BASE_LOG_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>

namespace tenon {
inline namespace TENON_PLUGIN_BASE {

namespace TENON_PLUGIN_HOSTING {

inline std::atomic<nvinfer1::ILogger*>& ownLogger() {
    static std::atomic<nvinfer1::ILogger*> logger(nullptr);
    return logger;
}

/// As std::to_string(), whose table is a symbol of the kind that keeps a library from being unloaded.
inline std::string decimal(long long number) {
    char text[24];
    return std::string(text, size_t(std::snprintf(text, sizeof text, "%lld", number)));
}

/// Logs "plugin: what".
inline void log(nvinfer1::ILogger::Severity severity, char const* plugin, char const* what) noexcept {
    nvinfer1::ILogger* logger = getLogger();
    if (logger == nullptr) logger = ownLogger();
    if (logger == nullptr) return;
    try {
        logger->log(severity, (std::string(plugin) + ": " + what).c_str());
    } catch (...) { // no memory for the sentence: the caller still sees the failure
    }
}

/// Methods of the API must not let exceptions out. Runs `body` and returns its result; if it throws, logs what it
/// threw and returns `failed`.
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

} // namespace TENON_PLUGIN_HOSTING

inline void setPluginLogger(nvinfer1::ILogger* logger) noexcept { hosting::ownLogger() = logger; }

} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_LOG_H

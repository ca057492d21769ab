// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <atomic>

namespace tenon::plugins {
namespace {

std::atomic<nvinfer1::ILogger*> givenLogger{nullptr};

} // namespace

void setLogger(nvinfer1::ILogger* logger) noexcept { givenLogger = logger; }

void log(nvinfer1::ILogger::Severity severity, char const* plugin, char const* what) noexcept {
    nvinfer1::ILogger* logger = getLogger();
    if (logger == nullptr) logger = givenLogger;
    if (logger == nullptr) return;
    try {
        logger->log(severity, (std::string(plugin) + ": " + what).c_str());
    } catch (...) { // no memory for the sentence: the caller still sees the failure
    }
}

} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the cases.
#pragma once

#include <NvInfer.h>

#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

using Values = std::vector<float>;

class Logger final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) lastError = text;
        if (severity <= Severity::kINFO) all += std::string(text) + '\n';
    }
    std::string lastError;
    std::string all;
};

extern Logger logger;

[[noreturn]] inline void fail(std::string const& what) {
    throw std::runtime_error(what + "; the log: " + logger.lastError);
}

inline void expect(bool holds, std::string const& what) {
    if (!holds) fail("expected " + what);
}

inline void expectEqual(std::string const& found, std::string const& expected) {
    if (found != expected) fail("found \"" + found + "\", expected \"" + expected + '"');
}

inline void expectEqual(int64_t found, int64_t expected) {
    expectEqual(std::to_string(found), std::to_string(expected));
}

/// A function that the island's library has for tests.
template <class Function> Function fromIsland(char const* name) {
    static void* const library = dlopen("libtenon_island.so.1", RTLD_NOW);
    auto const found = library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
    if (!found) fail(std::string("the island has no ") + name);
    return found;
}

inline int64_t copies() { return fromIsland<int64_t (*)()>("islandCopies")(); }

struct Case {
    char const* name;
    void (*run)();
};

std::vector<Case> casesOfWeightStreaming();

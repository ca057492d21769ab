// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "status.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

#include "export.h"

namespace hostcuda {
namespace {

std::atomic<cudaError_t> stuckCode{cudaSuccess};
thread_local cudaError_t lastError = cudaSuccess;
thread_local bool isInFunction = false;

// Never destroyed: calls may come from the destructors of other globals.
bool isFirst(std::string const& what) {
    static std::mutex& mutex = *new std::mutex;
    static std::set<std::string>& said = *new std::set<std::string>;
    std::lock_guard const lock(mutex);
    return said.insert(what).second;
}

cudaError_t current() { return stuck() != cudaSuccess ? stuck() : lastError; }

} // namespace

CallersFunction::CallersFunction() { isInFunction = true; }
CallersFunction::~CallersFunction() { isInFunction = false; }

void refuseInFunction() { require(!isInFunction, cudaErrorNotPermitted); }

cudaError_t stuck() { return stuckCode; }

void unstick() {
    stuckCode = cudaSuccess;
    lastError = cudaSuccess;
}

void refuse(cudaError_t code, std::string const& what, std::string const& text) {
    if (isFirst(what)) std::fprintf(stderr, "hostcuda: %s: %s\n", what.c_str(), text.c_str());
    throw Failure{code};
}

void stick(cudaError_t code, std::string const& what, std::string const& text) {
    stuckCode = code;
    refuse(code, what, text);
}

cudaError_t remember(cudaError_t code) {
    // "Not ready" is a result, not an error.
    if (code != cudaSuccess && code != cudaErrorNotReady) lastError = code;
    return code;
}

} // namespace hostcuda

using namespace hostcuda;

CUDART(cudaPeekAtLastError)() { return current(); }

CUDART(cudaGetLastError)() {
    cudaError_t const code = current();
    lastError = cudaSuccess;
    return code;
}

HOSTCUDA_IN_ALL(cudaGetErrorName);
HOSTCUDA_DEFINE(char const*, cudaGetErrorName)(cudaError_t error) {
#define HOSTCUDA_NAME(name, value, words) {name, #name},
    static constexpr std::pair<cudaError_t, char const*> kNames[] = {HOSTCUDA_ERRORS(HOSTCUDA_NAME)};
    for (auto const& [code, name] : kNames) {
        if (code == error) return name;
    }
    return "unrecognized error code";
}

HOSTCUDA_IN_ALL(cudaGetErrorString);
HOSTCUDA_DEFINE(char const*, cudaGetErrorString)(cudaError_t error) {
#define HOSTCUDA_WORDS(name, value, words) {name, words},
    static constexpr std::pair<cudaError_t, char const*> kWords[] = {HOSTCUDA_ERRORS(HOSTCUDA_WORDS)};
    for (auto const& [code, words] : kWords) {
        if (code == error) return words;
    }
    return "unrecognized error code";
}

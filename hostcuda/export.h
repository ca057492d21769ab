// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a function becomes a symbol. One library serves three releases of the runtime, whose binaries import symbols of
// the versions libcudart.so.11.0, libcudart.so.12 and libcudart.so.13: streams and memory of an application and of a
// library that were built with different releases are then the same, as they are with CUDA. An executable linked to
// this library gets version 12, the version of the headers.
#pragma once

#include <type_traits>

#define HOSTCUDA_NO_OVERLOADS // each name below denotes one function
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

// Exports the symbol `target` of this file as `name` in a version.
#define HOSTCUDA_ALIAS(name, target, tag, version)                                                                     \
    __asm__(".globl hostcuda_" tag "_" #name "\n.set hostcuda_" tag "_" #name ", " target "\n"                         \
            ".symver hostcuda_" tag "_" #name "," #name "@libcudart.so." version)
#define HOSTCUDA_IN_11(name, target) HOSTCUDA_ALIAS(name, target, "11", "11.0")
#define HOSTCUDA_IN_12(name) __asm__(".symver hostcuda_" #name "," #name "@@libcudart.so.12")
#define HOSTCUDA_IN_13(name, target) HOSTCUDA_ALIAS(name, target, "13", "13")
#define HOSTCUDA_IN_ALL(name)                                                                                          \
    HOSTCUDA_IN_11(name, "hostcuda_" #name);                                                                           \
    HOSTCUDA_IN_12(name);                                                                                              \
    HOSTCUDA_IN_13(name, "hostcuda_" #name)

// Begins the definition of a function that the headers declare: CUDART(cudaFree)(void* pointer) { ... }
// Under its own identifier it would inherit the default arguments, and calls here would go through the symbol table.
#define CUDART(name)                                                                                                   \
    HOSTCUDA_IN_ALL(name);                                                                                             \
    HOSTCUDA_DEFINE(cudaError_t, name)
#define HOSTCUDA_DEFINE(Result, name)                                                                                  \
    extern "C" __attribute__((visibility("default"))) std::type_identity_t<decltype(::name)> hostcuda_##name;          \
    extern "C" Result hostcuda_##name

// The same for one that they do not declare.
#define CUDART_HIDDEN(Result, name)                                                                                    \
    HOSTCUDA_IN_ALL(name);                                                                                             \
    extern "C" __attribute__((visibility("default"))) Result hostcuda_##name

// A function of a stream, or one that implies stream 0, exists twice: under its own name stream 0 is the legacy default
// stream, under name_ptsz (name_ptds for those that wait) it is the calling thread's.
#define CUDART_ON_STREAM(name, parameters, arguments)                                                                  \
    HOSTCUDA_IN_ALL(name);                                                                                             \
    HOSTCUDA_IN_ALL(name##_ptsz);                                                                                      \
    HOSTCUDA_TWICE(name, name##_ptsz, parameters, arguments)
#define CUDART_ON_ZERO(name, parameters, arguments)                                                                    \
    HOSTCUDA_IN_ALL(name);                                                                                             \
    HOSTCUDA_IN_ALL(name##_ptds);                                                                                      \
    HOSTCUDA_TWICE(name, name##_ptds, parameters, arguments)
#define HOSTCUDA_TWICE(name, perThread, parameters, arguments)                                                         \
    HOSTCUDA_BOTH(HOSTCUDA_DEFINE(cudaError_t, name), name, perThread, parameters, arguments)
// The same for one that the headers do not declare.
#define HOSTCUDA_TWICE_HIDDEN(name, perThread, parameters, arguments)                                                  \
    HOSTCUDA_BOTH(extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_##name, name, perThread,      \
                  parameters, arguments)
#define HOSTCUDA_BOTH(definition, name, perThread, parameters, arguments)                                              \
    static cudaError_t body_##name parameters;                                                                         \
    definition parameters { return body_##name arguments; }                                                            \
    extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_##perThread parameters {                    \
        hostcuda::ZeroIsThisThreads const scope;                                                                       \
        return body_##name arguments;                                                                                  \
    }                                                                                                                  \
    static cudaError_t body_##name parameters

namespace hostcuda {

// While an object lives, stream 0 means the calling thread's own stream.
class ZeroIsThisThreads {
public:
    ZeroIsThisThreads() { active_ = true; }
    ~ZeroIsThisThreads() { active_ = false; }
    ZeroIsThisThreads(ZeroIsThisThreads const&) = delete;
    ZeroIsThisThreads& operator=(ZeroIsThisThreads const&) = delete;
    static bool active() { return active_; }

private:
    static inline thread_local bool active_ = false;
};

} // namespace hostcuda

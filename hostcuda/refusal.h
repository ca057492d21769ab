// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that the host does not support. If the application would continue with missing results (a launch, a copy),
// the error is sticky; a query, or an object that is not created, is an error that the application may recover from.
#pragma once

#include "status.h"

namespace hostcuda {

inline constexpr char const* kNoArrays =
    "there are no CUDA arrays, textures and surfaces on the host. Use plain or pitched memory instead";
inline constexpr char const* kNoSymbols =
    "variables of device code do not exist on the host. Run this on a GPU, or use code that is written for the CPU";
inline constexpr char const* kNoDeviceCode =
    "device code cannot run on the host. Run this on a GPU, or give the plugin code for the CPU";

[[noreturn]] inline void refuseArrays(char const* called) { refuse(cudaErrorNotSupported, called, kNoArrays); }
[[noreturn]] inline void refuseArrayCopy(char const* called) { stick(cudaErrorNotSupported, called, kNoArrays); }
[[noreturn]] inline void refuseSymbol(char const* called) { refuse(cudaErrorInvalidSymbol, called, kNoSymbols); }
[[noreturn]] inline void refuseSymbolCopy(char const* called) { stick(cudaErrorInvalidSymbol, called, kNoSymbols); }

[[noreturn]] inline void refuseNode(char const* called) {
    refuse(cudaErrorNotSupported, called,
           "a graph on the host has copies, fills, host functions, events, child graphs and the work of engines on the "
           "CPU. Leave this out of the graph");
}

} // namespace hostcuda

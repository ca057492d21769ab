// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What cannot be had on the host. A program that went on would compute with what was never written, so these errors
// stick.
#pragma once

#include "status.h"

namespace hostcuda {

[[noreturn]] inline void refuseGraphs(char const* called, cudaError_t code) {
    stick(code, called,
          "there are no stream captures and graphs on the host. Submit the work to the stream each time instead "
          "(trtexec: without --useCudaGraph)");
}

[[noreturn]] inline void refuseArrays(char const* called) {
    stick(cudaErrorNotSupported, called,
          "there are no CUDA arrays, textures and surfaces on the host. Use plain or pitched memory instead");
}

[[noreturn]] inline void refuseSymbol(char const* called) {
    stick(cudaErrorInvalidSymbol, called,
          "variables of device code do not exist on the host. Run this on a GPU, or use code that is written for the "
          "CPU");
}

[[noreturn]] inline void refuseDevice(char const* called) {
    stick(cudaErrorNotSupported, called,
          "this needs a GPU and its driver. Run it on a machine that has them, or without this call");
}

} // namespace hostcuda

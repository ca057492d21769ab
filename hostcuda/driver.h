// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a function of the driver becomes a symbol, and its result.
#pragma once

#include <cuda.h>

#include "export.h"

// Begins the definition of a function that cuda.h declares. The symbols are the driver's own; they get the versions of
// this library.
#define CUDRIVER(name)                                                                                                 \
    HOSTCUDA_IN_ALL(name);                                                                                             \
    HOSTCUDA_DEFINE(CUresult, name)

namespace hostcuda {

// The runtime's code, which has the same number.
inline CUresult resultOf(cudaError_t code) { return static_cast<CUresult>(code); }

} // namespace hostcuda

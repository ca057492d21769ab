// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The built-in variables of a kernel. Only device code reads these; here they let declarations compile.
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern int const warpSize;

#if defined(__cplusplus)
}
#endif

#endif

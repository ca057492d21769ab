// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The range of a profiler. There is no profiler here; both calls succeed.
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__

#include "driver_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

cudaError_t CUDARTAPI cudaProfilerStart(void);
cudaError_t CUDARTAPI cudaProfilerStop(void);

#if defined(__cplusplus)
}
#endif

#endif

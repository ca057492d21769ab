// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {

/// Throws an Error that names the call, the status and its meaning, unless the status is success. Clears the error of a
/// failed launch, so that the application's next call does not return it.
void check(cudaError_t status, char const* call, Found found = {ErrorCode::Device});

/// Checks a kernel launch itself. Errors of the kernel are reported by synchronize().
inline void checkLaunch(char const* kernel) { check(cudaGetLastError(), kernel); }

} // namespace tenon::cuda

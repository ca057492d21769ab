// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {

/// An Error that names the call, the status and what it means, unless the status is success. The error that a failed
/// launch left behind is cleared, so that the program's next call does not return it.
void check(cudaError_t status, char const* call, Found found = {ErrorCode::Device});

/// After a kernel's launch: what the launch itself got wrong. What the kernel does wrong shows at synchronize().
inline void checkLaunch(char const* kernel) { check(cudaGetLastError(), kernel); }

} // namespace tenon::cuda

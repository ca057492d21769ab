// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {

/// An Error that names the call, the status and what it means, unless the status is success. What a failed launch left
/// behind is taken back, so that it does not come up again in the program's next call.
void check(cudaError_t status, char const* call, Found found = {ErrorCode::Device});

/// After a kernel's launch: what the launch itself got wrong. What the kernel does wrong shows at synchronize().
inline void checkLaunch(char const* kernel) { check(cudaGetLastError(), kernel); }

} // namespace tenon::cuda

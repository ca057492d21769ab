// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Deconvolutions whose windows do not overlap: each element of X becomes a patch of Y.
Kernel const& patchDeconvolution();

} // namespace tenon::cuda

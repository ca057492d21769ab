// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"

namespace tenon::cuda {

/// Records the work as a CUDA graph; null if it cannot be captured.
std::unique_ptr<Recording> recordGraph(std::function<void(void* stream)> const& work);

} // namespace tenon::cuda

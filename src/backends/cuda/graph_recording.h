// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"

namespace tenon::cuda {

/// The work as a CUDA graph; null where it does something that cannot be captured.
std::unique_ptr<Recording> recordGraph(std::function<void(void* stream)> const& work);

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Deconvolution whose windows tile Y without gaps or overlaps (stride = window), channels last: one matrix product for
/// each row of the window, whose result lies together in memory.
Kernel const& tileDeconvolution();

} // namespace tenon::cpu

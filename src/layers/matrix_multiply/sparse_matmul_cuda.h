// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Few rows times constant weights with structured sparsity, of which only the numbers that are not zero are read.
Kernel const& sparseMatmul();

} // namespace tenon::cuda

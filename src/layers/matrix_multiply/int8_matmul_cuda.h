// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Rows that are kept in int8 with any zero point times one matrix of constant int8, by cuBLASLt, and a sweep that
/// makes real numbers or int8 of the sums.
Kernel const& cublasLtInt8Matmul();

} // namespace tenon::cuda

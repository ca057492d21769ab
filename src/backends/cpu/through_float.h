// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <functional>

namespace tenon::cpu {

// Support of 16-bit floats for kernels that compute in float32: inputs and outputs are converted.

/// The type in which this CPU multiplies values of a floating point type.
DataType computeTypeOf(DataType type);

/// The variant of a kernel for its compute type, with all tensors that are not packed stored as `type`.
Variant storedAs(DataType type, KernelQuery const& query, Variant variant);

/// The variant to prepare: float32 for every other float type of a variant that computes in it.
Variant inFloat(Variant variant);

/// Prepares the executable by `prepare`, the kernel's own function, for inFloat(args.variant), with conversions around
/// it if needed.
using Prepare = std::function<std::unique_ptr<Executable>(PrepareArgs const&)>;
std::unique_ptr<Executable> throughFloat(PrepareArgs const& args, Prepare const& prepare);

} // namespace tenon::cpu

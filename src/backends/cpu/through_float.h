// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <functional>

namespace tenon::cpu {

// Kernels that compute in float32 take tensors of 16-bit floats too: they are converted on the way in and out.

/// The type in which this CPU multiplies numbers of a floating point type.
DataType computeTypeOf(DataType type);

/// The variant of a kernel for its compute type, with all tensors that are not packed stored as `type`.
Variant storedAs(DataType type, KernelQuery const& query, Variant variant);

/// What the kernel itself is asked for: float32 wherever a variant that computes in it says another float type.
Variant inFloat(Variant variant);

/// Makes the executable by `prepare`, a kernel's own, for inFloat(args.variant), with conversions around it if needed.
using Prepare = std::function<std::unique_ptr<Executable>(PrepareArgs const&)>;
std::unique_ptr<Executable> throughFloat(PrepareArgs const& args, Prepare const& prepare);

} // namespace tenon::cpu

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <functional>

namespace tenon::cpu {

// Kernels that compute in float32 take float16 tensors too: they are converted on the way in and out.

/// The variant of a kernel for float32, with all tensors that are not packed stored as float16.
Variant storedAsHalf(KernelQuery const& query, Variant variant);

/// The type that a kernel which computes in float32 (and in what else it names) works in for tensors of `type`.
inline DataType computeTypeOf(DataType type) { return type == DataType::Float16 ? DataType::Float32 : type; }

/// What the kernel itself is asked for: float32 wherever `variant` says float16.
Variant inFloat(Variant variant);

/// Makes the executable by `prepare`, a kernel's own, for inFloat(args.variant), with conversions around it if needed.
using Prepare = std::function<std::unique_ptr<Executable>(PrepareArgs const&)>;
std::unique_ptr<Executable> throughFloat(PrepareArgs const& args, Prepare const& prepare);

} // namespace tenon::cpu

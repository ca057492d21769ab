// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "base/error.h"

namespace tenon {

/// What was packed may come from a plan that says anything: an Error where it is less than what is read.
inline void expectPacked(PrepareArgs const& args, size_t bytes) {
    if (args.packed && args.packed->bytes.bytes() < bytes)
        fail(ErrorCode::InvalidPlan, "packed weights have ", args.packed->bytes.bytes(), " bytes; expected ", bytes);
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"

namespace tenon::trt {

/// Elements, or vectors of a blocked format, from one index to the next: in kHWC8 a stride of 1 is 8 scalars.
Dims stridesOf(Dims const& dims, Format const& format);

} // namespace tenon::trt

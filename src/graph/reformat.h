// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"

#include <string_view>

namespace tenon {

/// The kind of the layer that converts a tensor from one label to another (layers/reformat): a backend may have no
/// kernels for it.
inline constexpr std::string_view kReformatKind = "Reformat";

/// Copies the elements of a tensor from one label to another, both in host memory; padding becomes zero. Where a label
/// has a scale, the represented values are kept. Simple and slow: for tests, small tensors, and as a fallback.
void reformat(Dims const& dims, Label const& from, void const* x, Label const& to, void* y);

} // namespace tenon

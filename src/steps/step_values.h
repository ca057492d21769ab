// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step.h"

namespace tenon {

/// The elements of a small integer or boolean result of one step (its operands are inputs 0 and 1), as far as they are
/// known at build time, including symbols; nullopt if they are not.
std::optional<Shape> stepValues(PointwiseStep const& step, Operands const& in, Shape const& shape);

} // namespace tenon

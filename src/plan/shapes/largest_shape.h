// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/shape_program.h"

namespace tenon {

/// An upper bound of a tensor's shape for these known shapes, whatever the data; nullopt if an extent has no bound.
std::optional<Dims> largestShape(ShapeProgram const& program, ShapeProgram::Shapes const& shapes, Tensor const& tensor);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the plugins of transformers.
#pragma once

#include "layers.h"

namespace tenon::plugins {

/// The field `type_id`: 0 FLOAT, 1 HALF, 2 INT8, which keeps the type of the tensors. Throws for all others.
/// \param most the largest that the plugin has
void checkTypeId(int32_t typeId, int32_t most);

/// In the type of a checked `type_id`.
Value asTypeId(Value const& x, int32_t typeId);

/// Throws if a list field does not have the length of another.
void expectLength(char const* name, std::vector<float> const& values, char const* other, size_t length);

/// The last axis whose extent is not 1, else the first, of one or more.
int32_t lastWideAxis(nvinfer1::Dims const& dims);

/// Mean 0 and variance 1 over an axis; times `gamma`, plus `beta`.
Value layerNorm(Value const& x, std::vector<float> const& gamma, std::vector<float> const& beta, int32_t axis);

} // namespace tenon::plugins

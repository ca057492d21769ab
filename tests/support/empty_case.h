// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/layer_case.h"

namespace tenon::test {

/// Runs the case again with each input extent set to 0 that the shape rule allows to be 0 (and those that must equal
/// it), against the layer's reference: by every variant of every kernel; and in engines, as a static network, with a
/// profile that begins at 0, and after a plugin with a data-dependent extent. Once for all cases of a layer that differ
/// only in shapes and elements.
void expectWithEmpty(LayerCase const& layerCase, Layer const& layer);

} // namespace tenon::test

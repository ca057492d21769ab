// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/layer_case.h"

namespace tenon::test {

/// Runs the case again with extents of its inputs 0, each that the shape rule lets be 0 (and with it those that must be
/// equal), against the layer's reference: by every variant of every kernel; and in engines, as a static network, with
/// a profile that begins at 0, and behind a plugin that tells the extent when it has run. Once for all cases of a
/// layer that differ in shapes and elements only.
void expectWithEmpty(LayerCase const& layerCase, Layer const& layer);

} // namespace tenon::test

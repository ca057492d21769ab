// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/network/layer_face.h"

namespace tenon::trt {

/// The face of a node that a plugin computes: IPluginV2Layer or IPluginV3Layer, depending on its generation.
std::unique_ptr<LayerFace> makePluginFace(Network& network, Node& node);

} // namespace tenon::trt

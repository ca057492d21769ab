// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/network/network.h"

#include <optional>

namespace tenon::trt {

/// The graph of a complete network, in which plugins that are networks (tenon/plugin.h) are replaced by their layers,
/// also in graphs inside layers, and plugins that declared floating-point tensors have them; nullopt if that changes
/// nothing. An Error names the node and the plugin.
std::optional<Graph> placeNetworks(Network const& network);

} // namespace tenon::trt

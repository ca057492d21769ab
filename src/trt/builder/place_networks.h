// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/network/network.h"

#include <optional>

namespace tenon::trt {

/// The graph of a network that is complete, with their layers in place of the plugins that are networks
/// (tenon/plugin.h), in the graphs inside of layers too, and with real numbers at the plugins that named them; nullopt
/// where that changes nothing. An Error names the node and the plugin.
std::optional<Graph> placeNetworks(Network const& network);

} // namespace tenon::trt

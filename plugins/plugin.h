// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The standard plugins are plugins on the public base, tenon/plugin_base.h. Each lives in a folder of its own, which
// defines
//
//     std::span<PluginDefinition const> xPlugins();     in x/x.cpp, with X in camelCase: efficientNmsPlugins
//
// and the folder's name is the registration.
#pragma once

#include <tenon/plugin_base.h>

#include <span>
#include <vector>

namespace tenon::plugins {

/// All plugins of all folders.
std::vector<PluginDefinition> const& allPlugins();

} // namespace tenon::plugins

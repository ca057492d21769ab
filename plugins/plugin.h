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

#include <algorithm>
#include <span>
#include <vector>

namespace tenon::plugins {

/// The grain for parallelFor() over rows: how many rows, of so many cheap steps each, are worth a thread.
inline int64_t rowsPerThread(int64_t steps) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, steps)); }

/// All plugins of all folders.
std::vector<PluginDefinition> const& allPlugins();

} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The standard plugins are plugins on the public base, tenon/plugin_base.h. Each has a folder of its own, which defines
//
//     std::span<StandardPlugin const> xPlugins();     in x/x.cpp, with X in camelCase: efficientNmsPlugins
//
// and the folder's name is the registration.
#pragma once

#include <tenon/plugin_base.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

namespace tenon::plugins {

/// The grain for parallelFor() over rows: the number of rows, of this many cheap steps each, that are worth a thread.
inline int64_t rowsPerThread(int64_t steps) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, steps)); }

/// A plugin under a published name, and the releases that had it.
struct StandardPlugin : PluginDefinition {
    char const* releases; ///< Of TensorRT: "5.1 to 10.16", "from 8.0", "8.5"; "" if published by others.
};

/// The definition of a class that can be constructed without arguments.
template <typename Plugin>
constexpr StandardPlugin standardPlugin(char const* name, char const* version, PluginGeneration generation,
                                        char const* releases) {
    return StandardPlugin{definePlugin<Plugin>(name, version, generation), releases};
}

/// Of two extents of `builder`'s. Throws std::invalid_argument if the result does not fit.
inline nvinfer1::IDimensionExpr const* combined(nvinfer1::IExprBuilder& builder, nvinfer1::DimensionOperation operation,
                                                nvinfer1::IDimensionExpr const* a, nvinfer1::IDimensionExpr const* b) {
    auto const* const result = builder.operation(operation, *a, *b);
    if (result == nullptr) throw std::invalid_argument("an extent of its outputs does not fit in 64 bits");
    return result;
}

/// All plugins of all folders.
std::vector<StandardPlugin> const& allPlugins();

} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <memory>
#include <string_view>

namespace tenon::trt {

/// Ends an object of a plugin that is ours: those of the second generation by their own destroy().
struct EndPlugin {
    void operator()(nvinfer1::IPluginV2* plugin) const;
    void operator()(nvinfer1::IPluginV3* plugin) const;
};
using OwnedV2 = std::unique_ptr<nvinfer1::IPluginV2, EndPlugin>;
using OwnedV3 = std::unique_ptr<nvinfer1::IPluginV3, EndPlugin>;

/// What a method of the user's made: from now on it is ours to end. An Error for null, and for an object that is ours
/// already, which would end twice.
OwnedV2 own(nvinfer1::IPluginV2* made, PluginName const& plugin, std::string_view method);
OwnedV3 own(nvinfer1::IPluginV3* made, PluginName const& plugin, std::string_view method);

/// A clone of the user's object, in the same namespace where it has one; an Error where that is no new object of its
/// class.
OwnedV2 cloneOf(nvinfer1::IPluginV2 const& object, std::string_view node, PluginName const& name);
OwnedV3 cloneOf(nvinfer1::IPluginV3& object, std::string_view node, PluginName const& name);

/// The plugin over such a clone; an Error where it calls itself otherwise.
std::unique_ptr<Plugin> expectCloned(PluginName const& original, std::unique_ptr<Plugin> clone);

} // namespace tenon::trt

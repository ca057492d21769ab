// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <memory>
#include <string_view>

namespace tenon::trt {

/// Destroys a plugin object that we own: those of the second generation by their destroy().
struct EndPlugin {
    void operator()(nvinfer1::IPluginV2* plugin) const;
    void operator()(nvinfer1::IPluginV3* plugin) const;
};
using OwnedV2 = std::unique_ptr<nvinfer1::IPluginV2, EndPlugin>;
using OwnedV3 = std::unique_ptr<nvinfer1::IPluginV3, EndPlugin>;

/// Takes over the object that a method of the user returned. An Error for null, and for an object that we own already,
/// which would be destroyed twice.
OwnedV2 own(nvinfer1::IPluginV2* made, PluginName const& plugin, std::string_view method);
OwnedV3 own(nvinfer1::IPluginV3* made, PluginName const& plugin, std::string_view method);

/// The class of a plugin of the second generation: the byte above its version.
nvinfer1::PluginVersion generationOf(nvinfer1::IPluginV2 const& plugin);
/// "IPluginV2DynamicExt"; for an unknown class: "class 9".
std::string className(nvinfer1::IPluginV2 const& plugin);

/// Sets the plugin's namespace to its name's; returns whether the plugin had another one, as some lose it in clone().
bool restoreNamespace(nvinfer1::IPluginV2& plugin, std::string_view node, PluginName const& name);

/// A clone of the user's object, with its namespace; an Error if clone() returns no new object of its class.
/// `losesNamespace`, if given, receives whether clone() omitted it.
OwnedV2 cloneOf(nvinfer1::IPluginV2 const& object, std::string_view node, PluginName const& name,
                bool* losesNamespace = nullptr);
OwnedV3 cloneOf(nvinfer1::IPluginV3& object, std::string_view node, PluginName const& name);

/// The plugin over such a clone; an Error if its name differs.
std::unique_ptr<Plugin> expectCloned(PluginName const& original, std::unique_ptr<Plugin> clone);

} // namespace tenon::trt

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that plugins compute.
#ifndef TENON_API_LAYERS_PLUGIN_H
#define TENON_API_LAYERS_PLUGIN_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class IPluginV2;
#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
class IPlugin;

/// A layer of a plugin of the first generation: IPlugin or IPluginExt. Level 7 only.
class IPluginLayer : public ILayer {
public:
    /// Returns the object that INetworkDefinition::addPlugin() or addPluginExt() received. The application owns it.
    virtual IPlugin& getPlugin() noexcept = 0;

protected:
    ~IPluginLayer() override = default;
};
#endif

namespace v_1_0 {
class IPluginV3;
} // namespace v_1_0

/// A layer of a plugin of the second generation: IPluginV2, IPluginV2Ext, IPluginV2IOExt or IPluginV2DynamicExt.
class IPluginV2Layer : public ILayer {
public:
    /// Returns the clone of the object that INetworkDefinition::addPluginV2() received. The network owns it; the object
    /// is of the application's class, so it may be cast.
    virtual IPluginV2& getPlugin() noexcept = 0;

protected:
    ~IPluginV2Layer() override = default;
};

/// A layer of a plugin of the third generation. Since level 10.
class TENON_FROM_10(IPluginV3Layer) : public ILayer {
public:
    /// Returns the clone of the object that INetworkDefinition::addPluginV3() received. The network owns it; the object
    /// is of the application's class, so it may be cast.
    virtual v_1_0::IPluginV3& getPlugin() noexcept = 0;

protected:
    ~TENON_FROM_10(IPluginV3Layer)() override = default;
};

} // namespace nvinfer1

#endif

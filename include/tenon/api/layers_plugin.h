// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Layers that a plugin computes.
#ifndef TENON_API_LAYERS_PLUGIN_H
#define TENON_API_LAYERS_PLUGIN_H

#include "tenon/api/layer.h"

namespace nvinfer1 {

class IPluginV2;
#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
class IPlugin;

/// A plugin of the first generation: IPlugin or IPluginExt.
class IPluginLayer : public ILayer {
public:
    /// What `addPlugin` or `addPluginExt` was given: such a plugin cannot be cloned. The program owns it.
    virtual IPlugin& getPlugin() noexcept = 0;

protected:
    ~IPluginLayer() override = default;
};
#endif

namespace v_1_0 {
class IPluginV3;
} // namespace v_1_0

/// A plugin of the second generation: IPluginV2, V2Ext, V2IOExt or V2DynamicExt.
class IPluginV2Layer : public ILayer {
public:
    /// The network's own clone of what `addPluginV2` was given: an object of the user's class. The network owns it.
    virtual IPluginV2& getPlugin() noexcept = 0;

protected:
    ~IPluginV2Layer() override = default;
};

/// A plugin of the third generation.
class TENON_FROM_10(IPluginV3Layer) : public ILayer {
public:
    /// The network's own clone of what `addPluginV3` was given: an object of the user's class. The network owns it.
    virtual v_1_0::IPluginV3& getPlugin() noexcept = 0;

protected:
    ~TENON_FROM_10(IPluginV3Layer)() override = default;
};

} // namespace nvinfer1

#endif

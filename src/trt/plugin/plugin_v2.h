// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"
#include "trt/edge/program_cuda.h"
#include "trt/plugin/plugin_objects.h"

#include <memory>

namespace tenon::trt {

/// The common part of the second generation: names, serialization, initialize and terminate, destroy.
class PluginV2Base : public Plugin {
public:
    PluginV2Base(OwnedV2 plugin, std::string nodeName);

    PluginName const& name() const override { return name_; }
    int outputCount() const override;
    PluginState save() const override;
    bool runsInContext() const override { return true; }
    bool startsClones() const override;
    void start() override;
    void stop() noexcept override;
    void* userObject() const override { return plugin_.get(); }

protected:
    nvinfer1::IPluginV2& object() const { return *plugin_; }
    std::shared_ptr<nvinfer1::IPluginV2> const& shared() const { return plugin_; }
    void attachToContext(nvinfer1::IPluginV2Ext& plugin, PluginResources const& resources);
    void detachFromContext(nvinfer1::IPluginV2Ext& plugin) noexcept;

    ProgramCuda const cuda_ = ProgramCuda::find();

private:
    std::vector<std::byte> serialized(size_t size, std::byte fill) const;
    void clearUnwritten(std::vector<std::byte>& bytes) const;

    std::shared_ptr<nvinfer1::IPluginV2> plugin_;
    PluginName name_;
};

/// The core's plugin over a user's object of any class of the second generation; an Error for classes that are not
/// supported.
std::unique_ptr<Plugin> adaptV2(OwnedV2 plugin, std::string node);

} // namespace tenon::trt

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_v3.h"

#include <algorithm>

namespace tenon::plugins {

using namespace nvinfer1;

PluginV3::PluginV3(HostedPlugin plugin, std::string pluginNamespace)
    : plugin_(std::move(plugin)), namespace_(std::move(pluginNamespace)) {}

IPluginCapability* PluginV3::getCapabilityInterface(PluginCapabilityType type) noexcept {
    switch (type) {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
}

IPluginV3* PluginV3::clone() noexcept {
    return guarded<IPluginV3*>(plugin_.name(), nullptr, [&] {
        auto copy = std::make_unique<PluginV3>(plugin_.clone(), namespace_);
        copy->inputs_ = inputs_;
        return copy.release();
    });
}

char const* PluginV3::getPluginName() const noexcept { return plugin_.name(); }
char const* PluginV3::getPluginVersion() const noexcept { return plugin_.definition().version; }
char const* PluginV3::getPluginNamespace() const noexcept { return namespace_.c_str(); }

int32_t PluginV3::getNbOutputs() const noexcept { return plugin_.outputs(); }

int32_t PluginV3::getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                                     int32_t nbInputs) const noexcept {
    std::span const inputs(inputTypes, size_t(nbInputs));
    for (int32_t i = 0; i < nbOutputs; ++i) outputTypes[i] = plugin_.outputType(i, inputs);
    return 0;
}

int32_t PluginV3::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
                                  DimsExprs* outputs, int32_t, IExprBuilder& builder) noexcept {
    return guarded(plugin_.name(), -1, [&] {
        return std::ranges::copy(plugin_.outputShapes({inputs, size_t(nbInputs)}, builder), outputs), 0;
    });
}

bool PluginV3::supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                         int32_t) noexcept {
    return guarded(plugin_.name(), false, [&] {
        std::vector<PluginTensorDesc> descs;
        for (DynamicPluginTensorDesc const& tensor : std::span(inOut, size_t(pos) + 1)) descs.push_back(tensor.desc);
        return plugin_.accepts(pos, descs.data(), nbInputs);
    });
}

int32_t PluginV3::configurePlugin(DynamicPluginTensorDesc const*, int32_t nbInputs, DynamicPluginTensorDesc const*,
                                  int32_t) noexcept {
    inputs_ = nbInputs;
    return 0;
}

int32_t PluginV3::onShapeChange(PluginTensorDesc const*, int32_t nbInputs, PluginTensorDesc const*, int32_t) noexcept {
    inputs_ = nbInputs;
    return 0;
}

int32_t PluginV3::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                          void const* const* inputs, void* const* outputs, void*, cudaStream_t) noexcept {
    return guarded(plugin_.name(), -1, [&] {
        plugin_.run({inputDesc, size_t(inputs_)}, outputDesc, inputs, outputs);
        return 0;
    });
}

IPluginV3* PluginV3::attachToContext(IPluginResourceContext*) noexcept { return clone(); }

PluginFieldCollection const* PluginV3::getFieldsToSerialize() noexcept {
    return guarded<PluginFieldCollection const*>(plugin_.name(), nullptr, [&] {
        saved_ = plugin_.describe();
        savedCollection_ = {int32_t(saved_.size()), saved_.data()};
        return &savedCollection_;
    });
}

PluginV3Creator::PluginV3Creator(Definition const& definition, std::string pluginNamespace)
    : definition_(definition), fieldNames_(definition), namespace_(std::move(pluginNamespace)) {}

char const* PluginV3Creator::getPluginName() const noexcept { return definition_.name; }
char const* PluginV3Creator::getPluginVersion() const noexcept { return definition_.version; }
char const* PluginV3Creator::getPluginNamespace() const noexcept { return namespace_.c_str(); }
PluginFieldCollection const* PluginV3Creator::getFieldNames() noexcept { return &fieldNames_.collection(); }

IPluginV3* PluginV3Creator::createPlugin(char const*, PluginFieldCollection const* fields, TensorRTPhase) noexcept {
    return guarded<IPluginV3*>(definition_.name, nullptr, [&] {
        return std::make_unique<PluginV3>(HostedPlugin::fromFields(definition_, fields), namespace_).release();
    });
}

} // namespace tenon::plugins

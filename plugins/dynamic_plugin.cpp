// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamic_plugin.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {

using namespace nvinfer1;

DynamicPlugin::DynamicPlugin(HostedPlugin plugin, std::string pluginNamespace)
    : plugin_(std::move(plugin)), namespace_(std::move(pluginNamespace)) {}

char const* DynamicPlugin::getPluginType() const noexcept { return plugin_.name(); }
char const* DynamicPlugin::getPluginVersion() const noexcept { return plugin_.definition().version; }
char const* DynamicPlugin::getPluginNamespace() const noexcept { return namespace_.c_str(); }

void DynamicPlugin::setPluginNamespace(char const* pluginNamespace) noexcept {
    guarded(plugin_.name(), false, [&] { return namespace_ = pluginNamespace ? pluginNamespace : "", true; });
}

int32_t DynamicPlugin::initialize() noexcept { return 0; }
void DynamicPlugin::terminate() noexcept {}
void DynamicPlugin::destroy() noexcept { delete this; }

IPluginV2DynamicExt* DynamicPlugin::clone() const noexcept {
    return guarded<IPluginV2DynamicExt*>(plugin_.name(), nullptr, [&] {
        auto copy = std::make_unique<DynamicPlugin>(plugin_.clone(), namespace_);
        copy->inputs_ = inputs_;
        return copy.release();
    });
}

size_t DynamicPlugin::getSerializationSize() const noexcept {
    return guarded(plugin_.name(), size_t(0), [&] { return plugin_.save().size(); });
}

void DynamicPlugin::serialize(void* buffer) const noexcept {
    guarded(plugin_.name(), false,
            [&] { return std::ranges::copy(plugin_.save(), static_cast<std::byte*>(buffer)), true; });
}

int32_t DynamicPlugin::getNbOutputs() const noexcept { return plugin_.outputs(); }

DataType DynamicPlugin::getOutputDataType(int32_t index, DataType const* inputTypes, int32_t nbInputs) const noexcept {
    return plugin_.outputType(index, {inputTypes, size_t(nbInputs)});
}

DimsExprs DynamicPlugin::getOutputDimensions(int32_t index, DimsExprs const* inputs, int32_t nbInputs,
                                             IExprBuilder& builder) noexcept {
    DimsExprs refused{};
    refused.nbDims = -1;
    return guarded(plugin_.name(), refused, [&] {
        return plugin_.outputShapes({inputs, size_t(nbInputs)}, builder).at(size_t(index));
    });
}

bool DynamicPlugin::supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs,
                                              int32_t) noexcept {
    return plugin_.accepts(pos, inOut, nbInputs);
}

void DynamicPlugin::configurePlugin(DynamicPluginTensorDesc const*, int32_t nbInputs, DynamicPluginTensorDesc const*,
                                    int32_t) noexcept {
    inputs_ = nbInputs;
}

size_t DynamicPlugin::getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                                       int32_t) const noexcept {
    return 0;
}

int32_t DynamicPlugin::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                               void const* const* inputs, void* const* outputs, void*, cudaStream_t) noexcept {
    return guarded(plugin_.name(), -1, [&] {
        plugin_.run({inputDesc, size_t(inputs_)}, outputDesc, inputs, outputs);
        return 0;
    });
}

DynamicPluginCreator::DynamicPluginCreator(Definition const& definition)
    : definition_(definition), fieldNames_(definition) {}

char const* DynamicPluginCreator::getPluginName() const noexcept { return definition_.name; }
char const* DynamicPluginCreator::getPluginVersion() const noexcept { return definition_.version; }
char const* DynamicPluginCreator::getPluginNamespace() const noexcept { return namespace_.c_str(); }

void DynamicPluginCreator::setPluginNamespace(char const* pluginNamespace) noexcept {
    guarded(definition_.name, false, [&] { return namespace_ = pluginNamespace ? pluginNamespace : "", true; });
}

PluginFieldCollection const* DynamicPluginCreator::getFieldNames() noexcept { return &fieldNames_.collection(); }

IPluginV2* DynamicPluginCreator::createPlugin(char const*, PluginFieldCollection const* fields) noexcept {
    return guarded<IPluginV2*>(definition_.name, nullptr, [&] {
        return std::make_unique<DynamicPlugin>(HostedPlugin::fromFields(definition_, fields), namespace_).release();
    });
}

IPluginV2* DynamicPluginCreator::deserializePlugin(char const*, void const* data, size_t length) noexcept {
    return guarded<IPluginV2*>(definition_.name, nullptr, [&] {
        if (data == nullptr && length > 0) throw std::invalid_argument("its saved data is null");
        std::span const bytes(static_cast<std::byte const*>(data), length);
        return std::make_unique<DynamicPlugin>(HostedPlugin::fromBytes(definition_, bytes), namespace_).release();
    });
}

} // namespace tenon::plugins

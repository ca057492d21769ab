// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A plugin on the base as an IPluginV2DynamicExt.
#ifndef TENON_PLUGIN_BASE_DYNAMIC_PLUGIN_H
#define TENON_PLUGIN_BASE_DYNAMIC_PLUGIN_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/plugin_base/hosted_plugin.h"

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

class DynamicPlugin final : public nvinfer1::IPluginV2DynamicExt {
public:
    DynamicPlugin(HostedPlugin plugin, std::string nameSpace)
        : plugin_(std::move(plugin)), namespace_(std::move(nameSpace)) {}

    HostedPlugin& plugin() { return plugin_; }

    char const* getPluginType() const noexcept override { return plugin_.name(); }
    char const* getPluginVersion() const noexcept override { return plugin_.definition().version; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    void setPluginNamespace(char const* nameSpace) noexcept override {
        guarded(plugin_.name(), false, [&] { return namespace_ = nameSpace ? nameSpace : "", true; });
    }

    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    void destroy() noexcept override { delete this; }
    nvinfer1::IPluginV2DynamicExt* clone() const noexcept override {
        return guarded<DynamicPlugin*>(plugin_.name(), nullptr, [&] {
            std::unique_ptr<DynamicPlugin> copy(new DynamicPlugin(plugin_.clone(), namespace_));
            copy->inputs_ = inputs_;
            return copy.release();
        });
    }
    size_t getSerializationSize() const noexcept override {
        return guarded(plugin_.name(), size_t(0), [&] { return plugin_.save().size(); });
    }
    void serialize(void* buffer) const noexcept override {
        guarded(plugin_.name(), false, [&] {
            Bytes const bytes = plugin_.save();
            std::copy(bytes.begin(), bytes.end(), static_cast<unsigned char*>(buffer));
            return true;
        });
    }

    int32_t getNbOutputs() const noexcept override { return plugin_.outputs(); }
    DataType getOutputDataType(int32_t index, DataType const* inputTypes, int32_t nbInputs) const noexcept override {
        return guarded(plugin_.name(), DataType::kFLOAT, [&] {
            return plugin_.outputType(index, PluginBase::View<DataType>(inputTypes, size_t(nbInputs)));
        });
    }
    DimsExprs getOutputDimensions(int32_t index, DimsExprs const* inputs, int32_t nbInputs,
                                  IExprBuilder& builder) noexcept override {
        DimsExprs refused = DimsExprs();
        refused.nbDims = -1;
        return guarded(plugin_.name(), refused, [&] {
            plugin_.expectOutput(index);
            return plugin_.outputShapes(PluginBase::Shapes(inputs, size_t(nbInputs)), builder)[size_t(index)];
        });
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t) noexcept override {
        return guarded(plugin_.name(), false, [&] { return plugin_.accepts(pos, inOut, nbInputs); });
    }
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t nbInputs,
                         nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {
        inputs_ = nbInputs;
    }
    size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t nbInputs, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return guarded(plugin_.name(), size_t(0), [&] {
            std::vector<Dims> shapes;
            for (int32_t i = 0; i < nbInputs; ++i) shapes.push_back(inputs[i].dims);
            return plugin_.workspace(shapes);
        });
    }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
        return guarded(plugin_.name(), -1, [&] {
            plugin_.run(Call{{inputDesc, size_t(inputs_)}, outputDesc, inputs, outputs, workspace, stream});
            return 0;
        });
    }

private:
    // What older classes ask under the same names; nvcc warns where it is not named.
    using IPluginV2DynamicExt::configurePlugin;
    using IPluginV2DynamicExt::enqueue;
    using IPluginV2DynamicExt::getOutputDimensions;
    using IPluginV2DynamicExt::getWorkspaceSize;

    HostedPlugin plugin_;
    std::string namespace_;
    int32_t inputs_ = 0; // enqueue() is not told
    SaysWhatItIs<DynamicPlugin, nvinfer1::IPluginV2> const said_{*this, plugin_};
};

/// Its methods that make plugins give null, with a sentence in the log, on fields or data that are not this
/// plugin's.
class DynamicPluginCreator final : public nvinfer1::IPluginCreator {
public:
    DynamicPluginCreator(PluginDefinition const& definition, std::string nameSpace)
        : definition_(definition), fieldNames_(definition), namespace_(std::move(nameSpace)) {}

    char const* getPluginName() const noexcept override { return definition_.name; }
    char const* getPluginVersion() const noexcept override { return definition_.version; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    void setPluginNamespace(char const* nameSpace) noexcept override {
        guarded(definition_.name, false, [&] { return namespace_ = nameSpace ? nameSpace : "", true; });
    }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fieldNames_.collection(); }

    nvinfer1::IPluginV2* createPlugin(char const*, nvinfer1::PluginFieldCollection const* fields) noexcept override {
        return guarded<nvinfer1::IPluginV2*>(definition_.name, nullptr, [&] {
            return new DynamicPlugin(HostedPlugin::fromFields(definition_, fields), namespace_);
        });
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const* data, size_t length) noexcept override {
        return guarded<nvinfer1::IPluginV2*>(definition_.name, nullptr, [&] {
            return new DynamicPlugin(HostedPlugin::fromBytes(definition_, data, length), namespace_);
        });
    }

private:
    PluginDefinition definition_;
    FieldNames fieldNames_;
    std::string namespace_;
};

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_DYNAMIC_PLUGIN_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A plugin on the base as an IPluginV3, which began with level 10.
#ifndef TENON_PLUGIN_BASE_PLUGIN_V3_H
#define TENON_PLUGIN_BASE_PLUGIN_V3_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/plugin_base/hosted_plugin.h"

#if TENON_LEVEL >= 10

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginFieldCollection;

class PluginV3 final : public nvinfer1::IPluginV3,
                       public nvinfer1::IPluginV3OneCore,
                       public nvinfer1::IPluginV3OneBuild,
                       public nvinfer1::IPluginV3OneRuntime {
public:
    PluginV3(HostedPlugin plugin, std::string nameSpace)
        : plugin_(std::move(plugin)), namespace_(std::move(nameSpace)) {}

    HostedPlugin& plugin() { return plugin_; }

    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) noexcept override {
        switch (type) {
        case nvinfer1::PluginCapabilityType::kCORE: return static_cast<nvinfer1::IPluginV3OneCore*>(this);
        case nvinfer1::PluginCapabilityType::kBUILD: return static_cast<nvinfer1::IPluginV3OneBuild*>(this);
        case nvinfer1::PluginCapabilityType::kRUNTIME: return static_cast<nvinfer1::IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    nvinfer1::IPluginV3* clone() noexcept override {
        return guarded<PluginV3*>(plugin_.name(), nullptr, [&] {
            std::unique_ptr<PluginV3> copy(new PluginV3(plugin_.clone(), namespace_));
            copy->inputs_ = inputs_;
            return copy.release();
        });
    }

    char const* getPluginName() const noexcept override { return plugin_.name(); }
    char const* getPluginVersion() const noexcept override { return plugin_.definition().version; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }

    int32_t getNbOutputs() const noexcept override { return plugin_.outputs(); }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                               int32_t nbInputs) const noexcept override {
        return guarded(plugin_.name(), -1, [&] {
            PluginBase::View<DataType> const inputs(inputTypes, size_t(nbInputs));
            for (int32_t i = 0; i < nbOutputs; ++i) outputTypes[i] = plugin_.outputType(i, inputs);
            return 0;
        });
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                            int32_t nbShapeInputs, DimsExprs* outputs, int32_t,
                            IExprBuilder& builder) noexcept override {
        return guarded(plugin_.name(), -1, [&] {
            std::vector<DimsExprs> const shapes =
                plugin_.outputShapes(PluginBase::Shapes(inputs, size_t(nbInputs)), builder,
                                     PluginBase::Shapes(shapeInputs, size_t(nbShapeInputs)));
            std::copy(shapes.begin(), shapes.end(), outputs);
            return 0;
        });
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t) noexcept override {
        return guarded(plugin_.name(), false, [&] {
            std::vector<PluginTensorDesc> descs;
            for (int32_t i = 0; i <= pos; ++i) descs.push_back(inOut[i].desc);
            return plugin_.accepts(pos, descs.data(), nbInputs);
        });
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t nbInputs, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        inputs_ = nbInputs;
        return 0;
    }
    size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t nbInputs, DynamicPluginTensorDesc const*,
                            int32_t) const noexcept override {
        return guarded(plugin_.name(), size_t(0), [&] {
            std::vector<Dims> shapes;
            for (int32_t i = 0; i < nbInputs; ++i) shapes.push_back(inputs[i].max);
            return plugin_.workspace(shapes);
        });
    }

    int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const*,
                          int32_t) noexcept override {
        return guarded(plugin_.name(), -1, [&] {
            inputs_ = nbInputs;
            plugin_.checkShapes({in, size_t(nbInputs)});
            return 0;
        });
    }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
        return guarded(plugin_.name(), -1, [&] {
            plugin_.run(Call{{inputDesc, size_t(inputs_)}, outputDesc, inputs, outputs, workspace, stream});
            return 0;
        });
    }
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return guarded<PluginFieldCollection const*>(plugin_.name(), nullptr, [&] {
            saved_ = plugin_.describe();
            savedCollection_ = PluginFieldCollection{int32_t(saved_.size()), saved_.data()};
            return &savedCollection_;
        });
    }

private:
    HostedPlugin plugin_;
    std::string namespace_;
    int32_t inputs_ = 0; // enqueue() is not told
    std::vector<PluginField> saved_;
    PluginFieldCollection savedCollection_{};
    SaysWhatItIs<PluginV3, nvinfer1::IPluginV3> const said_{*this, plugin_};
};

/// createPlugin() gives null, with a sentence in the log, on fields that are not this plugin's.
class PluginV3Creator final : public nvinfer1::IPluginCreatorV3One {
public:
    PluginV3Creator(PluginDefinition const& definition, std::string nameSpace)
        : definition_(definition), fieldNames_(definition), namespace_(std::move(nameSpace)) {}

    char const* getPluginName() const noexcept override { return definition_.name; }
    char const* getPluginVersion() const noexcept override { return definition_.version; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fieldNames_.collection(); }

    nvinfer1::IPluginV3* createPlugin(char const*, PluginFieldCollection const* fields,
                                      nvinfer1::TensorRTPhase) noexcept override {
        return guarded<nvinfer1::IPluginV3*>(definition_.name, nullptr, [&] {
            return new PluginV3(HostedPlugin::fromFields(definition_, fields), namespace_);
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

#endif // TENON_LEVEL >= 10

#endif // TENON_PLUGIN_BASE_PLUGIN_V3_H

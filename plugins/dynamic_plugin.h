// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hosted_plugin.h"

namespace tenon::plugins {

/// A plugin as an IPluginV2DynamicExt.
class DynamicPlugin final : public nvinfer1::IPluginV2DynamicExt {
public:
    DynamicPlugin(HostedPlugin plugin, std::string pluginNamespace);

    char const* getPluginType() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    void setPluginNamespace(char const* pluginNamespace) noexcept override;
    char const* getPluginNamespace() const noexcept override;

    int32_t initialize() noexcept override;
    void terminate() noexcept override;
    void destroy() noexcept override;
    nvinfer1::IPluginV2DynamicExt* clone() const noexcept override;
    size_t getSerializationSize() const noexcept override;
    void serialize(void* buffer) const noexcept override;

    int32_t getNbOutputs() const noexcept override;
    nvinfer1::DataType getOutputDataType(int32_t index, nvinfer1::DataType const* inputTypes,
                                         int32_t nbInputs) const noexcept override;
    nvinfer1::DimsExprs getOutputDimensions(int32_t index, nvinfer1::DimsExprs const* inputs, int32_t nbInputs,
                                            nvinfer1::IExprBuilder& builder) noexcept override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* inOut, int32_t nbInputs,
                                   int32_t nbOutputs) noexcept override;
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
                         nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept override;
    size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const* inputs, int32_t nbInputs,
                            nvinfer1::PluginTensorDesc const* outputs, int32_t nbOutputs) const noexcept override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override;

private:
    HostedPlugin plugin_;
    std::string namespace_;
    int32_t inputs_ = 0; // enqueue() is not told
};

class DynamicPluginCreator final : public nvinfer1::IPluginCreator {
public:
    explicit DynamicPluginCreator(Definition const& definition);

    char const* getPluginName() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    void setPluginNamespace(char const* pluginNamespace) noexcept override;
    char const* getPluginNamespace() const noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override;

    // Both give null, with a sentence in the log, on fields or data that are not this plugin's.
    nvinfer1::IPluginV2* createPlugin(char const* name,
                                      nvinfer1::PluginFieldCollection const* fields) noexcept override;
    nvinfer1::IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) noexcept override;

private:
    Definition const& definition_;
    FieldNames fieldNames_;
    std::string namespace_;
};

} // namespace tenon::plugins

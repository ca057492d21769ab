// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// For applications of the API at every level; it needs only the public header.
#pragma once

#include "NvInfer.h"

#include <new>

// Each level has classes of its own, as one executable may hold those of several.
#define TENON_AT_LEVEL_OF(level) atLevel##level
#define TENON_AT_LEVEL(level) TENON_AT_LEVEL_OF(level)
#define TENON_LEVEL_NAME TENON_AT_LEVEL(TENON_LEVEL)

namespace tenon::test {
inline namespace TENON_LEVEL_NAME {

/// A plugin without fields and state whose one output is like its first input: float32, linear. Derived classes define
/// the type, clone() and the computation.
class PlainPlugin : public nvinfer1::IPluginV2DynamicExt {
public:
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    size_t getSerializationSize() const noexcept override { return 0; }
    void serialize(void*) const noexcept override {}
    void destroy() noexcept override { delete this; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }
    nvinfer1::DataType getOutputDataType(int32_t, nvinfer1::DataType const* types, int32_t) const noexcept override {
        return types[0];
    }
    nvinfer1::DimsExprs getOutputDimensions(int32_t, nvinfer1::DimsExprs const* inputs, int32_t,
                                            nvinfer1::IExprBuilder&) noexcept override {
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t at, nvinfer1::PluginTensorDesc const* io, int32_t,
                                   int32_t) noexcept override {
        return io[at].type == nvinfer1::DataType::kFLOAT && io[at].format == nvinfer1::TensorFormat::kLINEAR;
    }
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t, nvinfer1::DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {}
    size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const*, int32_t, nvinfer1::PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return 0;
    }
};

/// Makes plugins of a class without arguments, named by its kType. Null if memory runs out.
template <class Plugin> class PlainCreator final : public nvinfer1::IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return Plugin::kType; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*, nvinfer1::PluginFieldCollection const*) noexcept override {
        return new (std::nothrow) Plugin;
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override {
        return new (std::nothrow) Plugin;
    }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace TENON_LEVEL_NAME
} // namespace tenon::test

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <NvInferPlugin.h>

namespace tenon::plugins {

/// A plugin as an INvPlugin of level 7: float, shapes without the batch, no clone. It saves the shapes of its inputs,
/// because it is not configured again after deserialization, and its fields.
class NvPlugin final : public nvinfer1::plugin::INvPlugin {
public:
    using Dims32 = nvinfer1::tenonAbi::Dims32;

    NvPlugin(nvinfer1::PluginType type, hosting::HostedPlugin plugin) : type_(type), plugin_(std::move(plugin)) {
        setPluginDevices(this, plugin_.devices());
    }
    ~NvPlugin() { setPluginDevices(this, PluginDevices::kNONE); }
    NvPlugin(NvPlugin const&) = delete;
    NvPlugin& operator=(NvPlugin const&) = delete;
    /// Throws std::invalid_argument for data that serialize() has not written.
    static std::unique_ptr<NvPlugin> read(nvinfer1::PluginType type, PluginDefinition const& definition,
                                          std::span<unsigned char const> bytes);

    hosting::HostedPlugin& plugin() { return plugin_; }

    nvinfer1::PluginType getPluginType() const override { return type_; }
    char const* getName() const override { return plugin_.name(); }
    void destroy() override { delete this; }

    int32_t getNbOutputs() const override { return plugin_.outputs(); }
    Dims32 getOutputDimensions(int32_t index, Dims32 const* inputs, int32_t nbInputDims) override;
    void configure(Dims32 const* inputDims, int32_t nbInputs, Dims32 const* outputDims, int32_t nbOutputs,
                   int32_t maxBatchSize) override;
    int32_t initialize() override { return 0; }
    void terminate() override {}
    size_t getWorkspaceSize(int32_t maxBatchSize) const override;
    int32_t enqueue(int32_t batchSize, void const* const* inputs, void** outputs, void* workspace,
                    cudaStream_t stream) override;
    size_t getSerializationSize() override { return bytes().size(); }
    void serialize(void* buffer) override;

private:
    void take(std::span<Dims32 const> inputs);
    hosting::Bytes bytes() const;

    nvinfer1::PluginType type_;
    hosting::HostedPlugin plugin_;
    std::vector<Dims32> shapes_;                               // of the inputs
    std::vector<nvinfer1::PluginTensorDesc> inputs_, outputs_; // with a batch axis prepended, set by enqueue()
    hosting::SaysWhatItIs<NvPlugin, nvinfer1::IPlugin> const said_{*this, plugin_};
};

} // namespace tenon::plugins

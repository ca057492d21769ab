// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "nv_plugin.h"

#include "constants.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tenon::plugins {

using namespace nvinfer1;
using namespace hosting;

namespace {

// Throws std::invalid_argument for an invalid shape, or one without room for a batch axis.
DimsExprs withBatch(tenonAbi::Dims32 const& dims, IExprBuilder& builder) {
    if (dims.nbDims < 0 || dims.nbDims >= Dims::MAX_DIMS)
        throw std::invalid_argument("the shape of an input has " + decimal(dims.nbDims) +
                                    " dimensions; expected 0 to " + decimal(Dims::MAX_DIMS - 1) +
                                    ", without the batch");
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] < 0)
            throw std::invalid_argument("extent " + decimal(axis) + " of an input is " + decimal(dims.d[axis]) +
                                        "; expected 0 or more");
    }
    DimsExprs shape{dims.nbDims + 1, {builder.constant(1)}};
    for (int32_t i = 0; i < dims.nbDims; ++i) shape.d[i + 1] = builder.constant(dims.d[i]);
    return shape;
}

std::vector<DimsExprs> outputShapes(HostedPlugin& plugin, std::span<tenonAbi::Dims32 const> inputs,
                                    IExprBuilder& builder) {
    std::vector<DimsExprs> shapes;
    for (tenonAbi::Dims32 const& input : inputs) shapes.push_back(withBatch(input, builder));
    return plugin.outputShapes(shapes, builder);
}

PluginTensorDesc floats(DimsExprs const& shape) {
    PluginTensorDesc desc{};
    desc.dims.nbDims = shape.nbDims;
    for (int32_t i = 0; i < shape.nbDims; ++i) desc.dims.d[i] = shape.d[i]->getConstantValue();
    desc.type = DataType::kFLOAT;
    desc.format = TensorFormat::kLINEAR;
    return desc;
}

PluginDefinition const& definitionOf(char const* name) {
    auto const& all = allPlugins();
    auto const found = std::ranges::find_if(all, [&](PluginDefinition const& one) {
        return std::strcmp(one.name, name) == 0 && std::strcmp(one.version, "1") == 0;
    });
    if (found == all.end()) throw std::invalid_argument("version 1 of it is not among the plugins of this library");
    return *found;
}

} // namespace

std::unique_ptr<NvPlugin> NvPlugin::read(PluginType type, PluginDefinition const& definition,
                                         std::span<unsigned char const> bytes) {
    auto const take = [&](void* to, size_t size) {
        if (bytes.size() < size)
            throw std::invalid_argument("its saved data ends early: it was not saved by this plugin");
        std::memcpy(to, bytes.data(), size);
        bytes = bytes.subspan(size);
    };
    uint32_t count = 0;
    take(&count, sizeof count);
    std::vector<Dims32> shapes;
    for (uint32_t i = 0; i < count; ++i) take(&shapes.emplace_back(), sizeof(Dims32));
    auto plugin = std::make_unique<NvPlugin>(type, HostedPlugin::fromBytes(definition, bytes.data(), bytes.size()));
    plugin->take(shapes);
    return plugin;
}

Bytes NvPlugin::bytes() const {
    auto const count = static_cast<uint32_t>(shapes_.size());
    Bytes all(sizeof count + shapes_.size() * sizeof(Dims32));
    std::memcpy(all.data(), &count, sizeof count);
    if (count > 0) std::memcpy(all.data() + sizeof count, shapes_.data(), shapes_.size() * sizeof(Dims32));
    std::ranges::copy(plugin_.save(), std::back_inserter(all));
    return all;
}

void NvPlugin::serialize(void* buffer) { std::ranges::copy(bytes(), static_cast<unsigned char*>(buffer)); }

/// Throws std::invalid_argument if shapes of these inputs do not fit.
void NvPlugin::take(std::span<Dims32 const> inputs) {
    Constants constants;
    auto const outputs = outputShapes(plugin_, inputs, constants);
    inputs_.clear();
    outputs_.clear();
    for (Dims32 const& input : inputs) inputs_.push_back(floats(withBatch(input, constants)));
    for (DimsExprs const& output : outputs) outputs_.push_back(floats(output));
    shapes_.assign(inputs.begin(), inputs.end());
}

NvPlugin::Dims32 NvPlugin::getOutputDimensions(int32_t index, Dims32 const* inputs, int32_t nbInputDims) {
    Dims32 refused{};
    refused.nbDims = -1;
    return guarded(plugin_.name(), refused, [&] {
        Constants constants;
        plugin_.expectOutput(index);
        DimsExprs const shape = outputShapes(plugin_, {inputs, size_t(nbInputDims)}, constants)[size_t(index)];
        Dims32 dims{};
        dims.nbDims = shape.nbDims - 1;
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
            int64_t const extent = shape.d[i + 1]->getConstantValue();
            if (extent > kMost)
                throw std::invalid_argument("extent " + decimal(i) + " of output " + decimal(index) + " is " +
                                            decimal(extent) + "; expected at most " + decimal(kMost));
            dims.d[i] = static_cast<int32_t>(extent);
        }
        return dims;
    });
}

void NvPlugin::configure(Dims32 const* inputDims, int32_t nbInputs, Dims32 const*, int32_t, int32_t) {
    guarded(plugin_.name(), false, [&] { return take({inputDims, size_t(nbInputs)}), true; });
}

size_t NvPlugin::getWorkspaceSize(int32_t maxBatchSize) const {
    return guarded(plugin_.name(), size_t{0}, [&] {
        std::vector<Dims> largest;
        for (PluginTensorDesc const& input : inputs_) largest.push_back(input.dims);
        for (Dims& dims : largest) dims.d[0] = maxBatchSize;
        return plugin_.workspace(largest);
    });
}

int32_t NvPlugin::enqueue(int32_t batchSize, void const* const* inputs, void** outputs, void* workspace,
                          cudaStream_t stream) {
    return guarded(plugin_.name(), -1, [&] {
        for (PluginTensorDesc& desc : inputs_) desc.dims.d[0] = batchSize;
        for (PluginTensorDesc& desc : outputs_) desc.dims.d[0] = batchSize;
        plugin_.run(Call{inputs_, outputs_.data(), inputs, outputs, workspace, stream});
        return 0;
    });
}

} // namespace tenon::plugins

using namespace tenon::plugins;
using namespace tenon::hosting;

nvinfer1::plugin::INvPlugin* tenonMakeNvPlugin(nvinfer1::PluginType type, char const* name,
                                               nvinfer1::PluginFieldCollection const* fields) noexcept {
    return guarded<nvinfer1::plugin::INvPlugin*>(name, nullptr, [&] {
        return std::make_unique<NvPlugin>(type, HostedPlugin::fromFields(definitionOf(name), fields)).release();
    });
}

nvinfer1::plugin::INvPlugin* tenonReadNvPlugin(nvinfer1::PluginType type, char const* name, void const* data,
                                               size_t length) noexcept {
    return guarded<nvinfer1::plugin::INvPlugin*>(name, nullptr, [&] {
        if (data == nullptr && length > 0) throw std::invalid_argument("its saved data is null");
        std::span const bytes(static_cast<unsigned char const*>(data), length);
        return NvPlugin::read(type, definitionOf(name), bytes).release();
    });
}

nvinfer1::IPluginV2* tenonMakeStandardPlugin(char const* name, char const* layerName,
                                             nvinfer1::PluginFieldCollection const* fields) noexcept {
    return guarded<nvinfer1::IPluginV2*>(name, nullptr, [&]() -> nvinfer1::IPluginV2* {
        initLibNvInferPlugins(nullptr, "");
        nvinfer1::IPluginCreator* const creator = getPluginRegistry()->getPluginCreator(name, "1", "");
        if (creator == nullptr) throw std::invalid_argument("version 1 of it is not in the registry");
        return creator->createPlugin(layerName, fields);
    });
}

void* tenonNoStandardPlugin(char const* function, char const* instead) noexcept {
    log(nvinfer1::ILogger::Severity::kERROR, function, instead);
    return nullptr;
}

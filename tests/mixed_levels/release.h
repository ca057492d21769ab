// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The code common to applications of all releases of the API here, and their differences. All of it has internal
/// linkage: one process holds code of several releases.
#ifndef TENON_TESTS_MIXED_LEVELS_RELEASE_H
#define TENON_TESTS_MIXED_LEVELS_RELEASE_H

#include <NvInfer.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#if NV_TENSORRT_MAJOR >= 8
#define NOEXCEPT noexcept
#define END(object) delete object
#else
#define NOEXCEPT
#define END(object) object->destroy()
#endif

namespace {

using namespace nvinfer1;

inline void require(bool holds, std::string const& what) {
    if (holds) return;
    std::fprintf(stderr, "FAILED in code of TensorRT %d: %s\n", NV_TENSORRT_MAJOR, what.c_str());
    std::exit(1);
}

class Logger : public ILogger {
public:
    void log(Severity severity, char const* text) NOEXCEPT override {
        if (severity <= Severity::kWARNING) std::fprintf(stderr, "%s\n", text);
    }
};

/// Names and memory of an engine's inputs and outputs.
using Tensors = std::vector<std::pair<char const*, void*>>;

// Finding creators, saving, loading and running engines.
#if NV_TENSORRT_MAJOR >= 11
inline IPluginCreator* creatorIn(IPluginRegistry& registry, char const* version, char const* nameSpace,
                                 char const* name) {
    return static_cast<IPluginCreator*>(registry.getCreator(name, version, nameSpace));
}
#else
inline IPluginCreator* creatorIn(IPluginRegistry& registry, char const* version, char const* nameSpace,
                                 char const* name) {
    return registry.getPluginCreator(name, version, nameSpace);
}
#endif

#if NV_TENSORRT_MAJOR >= 10

inline INetworkDefinition* networkOf(IBuilder& builder) { return builder.createNetworkV2(0); }

inline IHostMemory* saved(IBuilder& builder, INetworkDefinition& network, IBuilderConfig& config) {
    return builder.buildSerializedNetwork(network, config);
}

inline bool run(ICudaEngine&, IExecutionContext& context, Tensors const& tensors) {
    for (auto const& tensor : tensors)
        if (!context.setTensorAddress(tensor.first, tensor.second)) return false;
    return context.enqueueV3(nullptr);
}

#else

inline INetworkDefinition* networkOf(IBuilder& builder) {
    return builder.createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH));
}

inline IHostMemory* saved(IBuilder& builder, INetworkDefinition& network, IBuilderConfig& config) {
    ICudaEngine* const engine = builder.buildEngineWithConfig(network, config);
    require(engine != nullptr, "an engine");
    IHostMemory* const file = engine->serialize();
    END(engine);
    return file;
}

inline bool run(ICudaEngine& engine, IExecutionContext& context, Tensors const& tensors) {
    std::vector<void*> bindings(tensors.size());
    for (auto const& tensor : tensors) bindings.at(engine.getBindingIndex(tensor.first)) = tensor.second;
    return context.executeV2(bindings.data());
}

#endif

/// Loads an engine and runs it once.
inline void loadAndRun(Logger& logger, void const* file, size_t size, Tensors const& tensors) {
    IRuntime* const runtime = createInferRuntime(logger);
#if NV_TENSORRT_MAJOR <= 7
    ICudaEngine* const engine = runtime->deserializeCudaEngine(file, size, nullptr);
#else
    ICudaEngine* const engine = runtime->deserializeCudaEngine(file, size);
#endif
    require(engine != nullptr, "a loaded engine");
    IExecutionContext* const context = engine->createExecutionContext();
    require(run(*engine, *context, tensors), "an execution");
    END(context);
    END(engine);
    END(runtime);
}

inline ITensor* addPlugin(INetworkDefinition& network, std::vector<ITensor*> const& inputs, IPluginCreator& creator,
                          std::vector<PluginField> const& fields, int32_t output = 0) {
    PluginFieldCollection const collection{static_cast<int32_t>(fields.size()), fields.data()};
    IPluginV2* const plugin = creator.createPlugin("plugin", &collection);
    require(plugin != nullptr, "a plugin");
    IPluginV2Layer* const layer = network.addPluginV2(inputs.data(), static_cast<int32_t>(inputs.size()), *plugin);
    plugin->destroy();
    require(layer != nullptr && layer->getType() == LayerType::kPLUGIN_V2, "a layer of a plugin");
    return layer->getOutput(output);
}

#if NV_TENSORRT_MAJOR >= 10
/// Of the third generation, which earlier releases do not have.
inline ITensor* addPluginV3(INetworkDefinition& network, std::vector<ITensor*> const& inputs, char const* name,
                            char const* version, std::vector<PluginField> const& fields) {
    auto* const found = getPluginRegistry()->getCreator(name, version, "");
    require(found != nullptr, std::string("a creator of ") + name);
    PluginFieldCollection const collection{static_cast<int32_t>(fields.size()), fields.data()};
    IPluginV3* const plugin =
        static_cast<IPluginCreatorV3One*>(found)->createPlugin("plugin", &collection, TensorRTPhase::kBUILD);
    require(plugin != nullptr, "a plugin");
    IPluginV3Layer* const layer =
        network.addPluginV3(inputs.data(), static_cast<int32_t>(inputs.size()), nullptr, 0, *plugin);
    delete plugin;
    require(layer != nullptr, "a layer");
    return layer->getOutput(0);
}
#endif

} // namespace

#endif // TENON_TESTS_MIXED_LEVELS_RELEASE_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Plugins of the first generation, which ended with level 7. They cannot be cloned: the engine works on the very
/// object that it was given, one execution at a time.
#ifndef TENON_API_LEGACY_PLUGIN_H
#define TENON_API_LEGACY_PLUGIN_H

#include "NvInferRuntimePlugin.h"

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

namespace nvinfer1 {

/// A layer that a user wrote, float and kLINEAR, for fixed shapes without the batch dimension. There is one width of
/// shapes only, because no other level has this class.
class IPlugin {
public:
    virtual ~IPlugin() = default;

    /// How many outputs the layer has; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// The shape of output `index`; `inputs` are `nbInputDims` shapes.
    virtual tenonAbi::Dims32 getOutputDimensions(int32_t index, tenonAbi::Dims32 const* inputs,
                                                 int32_t nbInputDims) = 0;

    /// Tells what was decided, before initialize().
    virtual void configure(tenonAbi::Dims32 const* inputDims, int32_t nbInputs, tenonAbi::Dims32 const* outputDims,
                           int32_t nbOutputs, int32_t maxBatchSize) = 0;

    /// Prepares to compute. \return 0, or an error code
    virtual int32_t initialize() = 0;

    /// Gives back what initialize() took.
    virtual void terminate() = 0;

    /// How many bytes of scratch memory enqueue() needs for a batch of `maxBatchSize`.
    virtual size_t getWorkspaceSize(int32_t maxBatchSize) const = 0;

    /// Computes one batch, or puts that work on `stream` and returns. \return 0, or an error code
    virtual int32_t enqueue(int32_t batchSize, void const* const* inputs, void** outputs, void* workspace,
                            cudaStream_t stream) = 0;

    /// How many bytes serialize() writes.
    virtual size_t getSerializationSize() = 0;

    /// Writes exactly so many bytes to `buffer`, for a plugin factory to make an equal plugin from.
    virtual void serialize(void* buffer) = 0;
};

/// IPlugin with a type and a format.
class IPluginExt : public IPlugin {
public:
    /// The version of the API that the plugin was compiled with. Not to be overridden by users.
    TENON_LEVELED virtual int32_t getTensorRTVersion() const { return static_cast<int32_t>(NV_TENSORRT_VERSION); }

    /// Whether inputs and outputs may be of `type` in `format`; all are of the same.
    virtual bool supportsFormat(DataType type, PluginFormat format) const = 0;

    /// Tells what was decided, before initialize(); takes the place of configure().
    virtual void configureWithFormat(tenonAbi::Dims32 const* inputDims, int32_t nbInputs,
                                     tenonAbi::Dims32 const* outputDims, int32_t nbOutputs, DataType type,
                                     PluginFormat format, int32_t maxBatchSize) = 0;

protected:
    void configure(tenonAbi::Dims32 const*, int32_t, tenonAbi::Dims32 const*, int32_t, int32_t) final {}
};

/// Makes the plugins of an engine that is read: `IRuntime::deserializeCudaEngine()`.
class IPluginFactory {
public:
    virtual ~IPluginFactory() = default;

    /// The plugin of layer `layerName`, from what IPlugin::serialize() wrote. The program keeps owning it, and keeps it
    /// as long as the engine. \return null where that fails
    virtual IPlugin* createPlugin(char const* layerName, void const* serialData, size_t serialLength) = 0;
};

} // namespace nvinfer1

#endif

#endif // TENON_API_LEGACY_PLUGIN_H

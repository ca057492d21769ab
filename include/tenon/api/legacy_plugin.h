// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Plugins of the first generation. Level 7 only. They cannot be cloned: the engine runs the object that it received,
/// in one context at a time.
#ifndef TENON_API_LEGACY_PLUGIN_H
#define TENON_API_LEGACY_PLUGIN_H

#include "NvInferRuntimePlugin.h"

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

namespace nvinfer1 {

/// A plugin for fixed shapes without batch, kFLOAT in kLINEAR format.
///
/// \note Owner: the application. Keep it valid as long as the network and all engines with it.
class IPlugin {
public:
    virtual ~IPlugin() = default;

    /// Returns the number of outputs; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// Returns the shape of an output, without batch.
    /// \param inputs nbInputDims shapes
    virtual tenonAbi::Dims32 getOutputDimensions(int32_t index, tenonAbi::Dims32 const* inputs,
                                                 int32_t nbInputDims) = 0;

    /// Receives the choices of the build before initialize().
    /// \param maxBatchSize the largest batch of enqueue()
    virtual void configure(tenonAbi::Dims32 const* inputDims, int32_t nbInputs, tenonAbi::Dims32 const* outputDims,
                           int32_t nbOutputs, int32_t maxBatchSize) = 0;

    /// Prepares the plugin.
    /// \return 0; another number is an error code and fails the build or the load
    virtual int32_t initialize() = 0;

    /// Frees what initialize() allocated.
    virtual void terminate() = 0;

    /// Returns the scratch memory that enqueue() needs for a batch of maxBatchSize, in bytes.
    virtual size_t getWorkspaceSize(int32_t maxBatchSize) const = 0;

    /// Computes one batch, or enqueues the work in `stream` and returns.
    /// \return 0; another number is an error code and fails the run
    virtual int32_t enqueue(int32_t batchSize, void const* const* inputs, void** outputs, void* workspace,
                            cudaStream_t stream) = 0;

    /// Returns the number of bytes that serialize() writes.
    virtual size_t getSerializationSize() = 0;

    /// Writes getSerializationSize() bytes, from which IPluginFactory::createPlugin() creates an equal plugin.
    virtual void serialize(void* buffer) = 0;
};

/// A plugin of the first generation with a type and a format.
class IPluginExt : public IPlugin {
public:
    /// Returns the API version that the plugin was compiled with. Users do not override it.
    TENON_LEVELED virtual int32_t getTensorRTVersion() const { return static_cast<int32_t>(NV_TENSORRT_VERSION); }

    /// Returns whether the plugin supports a type and format; all inputs and outputs have the same.
    virtual bool supportsFormat(DataType type, PluginFormat format) const = 0;

    /// Receives the choices of the build before initialize(), in place of configure().
    virtual void configureWithFormat(tenonAbi::Dims32 const* inputDims, int32_t nbInputs,
                                     tenonAbi::Dims32 const* outputDims, int32_t nbOutputs, DataType type,
                                     PluginFormat format, int32_t maxBatchSize) = 0;

protected:
    void configure(tenonAbi::Dims32 const*, int32_t, tenonAbi::Dims32 const*, int32_t, int32_t) final {}
};

/// Creates the plugins of the first generation of an engine; IRuntime::deserializeCudaEngine() receives it.
class IPluginFactory {
public:
    virtual ~IPluginFactory() = default;

    /// Creates the plugin of a layer from the bytes of IPlugin::serialize().
    /// \return the plugin, which the application owns and keeps valid as long as the engine; null on error
    virtual IPlugin* createPlugin(char const* layerName, void const* serialData, size_t serialLength) = 0;
};

} // namespace nvinfer1

#endif

#endif // TENON_API_LEGACY_PLUGIN_H

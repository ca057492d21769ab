// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Plugins of the second generation for fixed shapes (IPluginV2, IPluginV2Ext, IPluginV2IOExt), and their creators.
#ifndef NV_INFER_RUNTIME_PLUGIN_H
#define NV_INFER_RUNTIME_PLUGIN_H

#include "NvInferPluginBase.h"
#include "tenon/api/tensor_desc.h"

namespace nvinfer1 {

#if TENON_LEVEL >= 8
/// The bit of a version of classes that are implemented in Python. Since level 8.
static constexpr int32_t kPLUGIN_VERSION_PYTHON_BIT = 0x40;
#endif

/// The class of a plugin of the second generation: the top byte of IPluginV2::getTensorRTVersion().
enum class PluginVersion : uint8_t {
    kV2 = 0,            ///< IPluginV2
    kV2_EXT = 1,        ///< IPluginV2Ext
    kV2_IOEXT = 2,      ///< IPluginV2IOExt
    kV2_DYNAMICEXT = 3, ///< IPluginV2DynamicExt
#if TENON_LEVEL >= 8
    kV2_DYNAMICEXT_PYTHON = kPLUGIN_VERSION_PYTHON_BIT | 3, ///< IPluginV2DynamicExt, implemented in Python
#endif
};

#if TENON_LEVEL >= 8
/// The class of a creator. Since level 8.
enum class PluginCreatorVersion : int32_t {
    kV1 = 0,                                 ///< IPluginCreator
    kV1_PYTHON = kPLUGIN_VERSION_PYTHON_BIT, ///< IPluginCreator, implemented in Python
};
#endif

namespace tenonAbi {

/// Returns the result of getTensorRTVersion() for a plugin of `kind` that is compiled at this level.
TENON_LEVELED constexpr int32_t pluginVersion(PluginVersion kind) {
    return (static_cast<int32_t>(kind) << 24) | (static_cast<int32_t>(NV_TENSORRT_VERSION) & 0xFFFFFF);
}

/// The outputs of a plugin that computes a batch: the same addresses at every level, with one `const` less up to 7.
#if TENON_LEVEL <= 7
using BatchOutputs = void**;
#else
using BatchOutputs = void* const*;
#endif

} // namespace tenonAbi

/// A plugin for shapes without batch that are fixed when the network is built. The batch is an argument of enqueue().
///
/// Order of calls: shapes, formats and workspace on a clone in the build; configureWithFormat(), initialize(),
/// enqueue() any number of times, terminate(), destroy(). In a network with explicit batch the first axis of the first
/// input is the batch; if other extents change, the plugin is configured again.
///
/// \note Owner: the engine deletes its clones with destroy(); the application keeps the original.
/// \note Thread: one object is used by one thread at a time. The first execution context runs the object of the engine,
/// others run clones.
class IPluginV2 {
public:
    virtual ~IPluginV2() = default;

    /// Returns the API version of the plugin and its class, see PluginVersion. Users do not override it.
    TENON_LEVELED virtual int32_t getTensorRTVersion() const { return tenonAbi::pluginVersion(PluginVersion::kV2); }

    /// Returns the name of the creator, with which an engine file finds it. Never null; valid as long as the object.
    virtual char const* getPluginType() const = 0;
    /// Returns the version of the creator, "1" for most; never null.
    virtual char const* getPluginVersion() const = 0;

    /// Returns the number of outputs; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// Returns the shape of an output, without batch.
    /// \param index 0 to getNbOutputs() - 1
    /// \param inputs nbInputDims shapes, one for each input
    TENON_LEVELED virtual tenonAbi::Dims64 TENON_AS64(getOutputDimensions)(int32_t index,
                                                                           tenonAbi::Dims64 const* inputs,
                                                                           int32_t nbInputDims) TENON_SLOT64({
        tenonAbi::Converted<tenonAbi::Dims32> const in(inputs, nbInputDims);
        return tenonAbi::dims64(getOutputDimensions(index, in, nbInputDims));
    });

    /// Returns whether the plugin supports a type and format; all inputs and outputs have the same.
    virtual bool supportsFormat(DataType type, PluginFormat format) const = 0;

    /// Receives the choices of the build before initialize().
    /// \param inputDims, outputDims nbInputs and nbOutputs shapes, without batch
    /// \param type, format those of all inputs and outputs
    /// \param maxBatchSize the largest batch of enqueue()
    TENON_LEVELED virtual void TENON_AS64(configureWithFormat)(tenonAbi::Dims64 const* inputDims, int32_t nbInputs,
                                                               tenonAbi::Dims64 const* outputDims, int32_t nbOutputs,
                                                               DataType type, PluginFormat format, int32_t maxBatchSize)
        TENON_SLOT64({
            tenonAbi::Converted<tenonAbi::Dims32> const in(inputDims, nbInputs);
            tenonAbi::Converted<tenonAbi::Dims32> const out(outputDims, nbOutputs);
            configureWithFormat(in, nbInputs, out, nbOutputs, type, format, maxBatchSize);
        });

    /// Prepares the plugin. Called before the first enqueue(), and again after terminate().
    /// \return 0; another number is an error code of the plugin and fails the build or the load
    virtual int32_t initialize() = 0;

    /// Frees what initialize() allocated.
    virtual void terminate() = 0;

    /// Returns the scratch memory that enqueue() needs for a batch of maxBatchSize, in bytes.
    virtual size_t getWorkspaceSize(int32_t maxBatchSize) const = 0;

    /// Computes one batch, or enqueues the work in `stream` and returns.
    /// \param inputs, outputs one address for each tensor, in memory of the engine's device
    /// \param workspace getWorkspaceSize() bytes of undefined content
    /// \param stream null on a CPU engine without a stream
    /// \return 0; another number is an error code of the plugin and fails the run
    virtual int32_t enqueue(int32_t batchSize, void const* const* inputs, tenonAbi::BatchOutputs outputs,
                            void* workspace, cudaStream_t stream) = 0;

    /// Returns the number of bytes that serialize() writes.
    virtual size_t getSerializationSize() const = 0;

    /// Writes getSerializationSize() bytes from which the creator can create an equal plugin.
    virtual void serialize(void* buffer) const = 0;

    /// Deletes the object.
    virtual void destroy() = 0;

    /// Creates a copy in the same state, including the namespace.
    /// \return the copy, which the caller deletes with destroy(); null on error
    virtual IPluginV2* clone() const = 0;

    /// Sets the namespace that getPluginNamespace() returns.
    /// \param pluginNamespace copied by the plugin
    virtual void setPluginNamespace(char const* pluginNamespace) = 0;
    /// Returns the namespace of setPluginNamespace(); "" initially. Engine files store it, so clones must return the
    /// same.
    virtual char const* getPluginNamespace() const = 0;

    // The same for programs of the other width, which forwards to the above.
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual tenonAbi::Dims32 TENON_AS32(getOutputDimensions)(int32_t index,
                                                                           tenonAbi::Dims32 const* inputs,
                                                                           int32_t nbInputDims) TENON_SLOT32({
        tenonAbi::Converted<tenonAbi::Dims64> const in(inputs, nbInputDims);
        return tenonAbi::dims32(getOutputDimensions(index, in, nbInputDims));
    });
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual void TENON_AS32(configureWithFormat)(tenonAbi::Dims32 const* inputDims, int32_t nbInputs,
                                                               tenonAbi::Dims32 const* outputDims, int32_t nbOutputs,
                                                               DataType type, PluginFormat format, int32_t maxBatchSize)
        TENON_SLOT32({
            tenonAbi::Converted<tenonAbi::Dims64> const in(inputDims, nbInputs);
            tenonAbi::Converted<tenonAbi::Dims64> const out(outputDims, nbOutputs);
            configureWithFormat(in, nbInputs, out, nbOutputs, type, format, maxBatchSize);
        });
};

/// A plugin of the second generation with a type for each tensor and with tensors that are shared by the batch.
class IPluginV2Ext : public IPluginV2 {
public:
    /// Returns the type of an output for given types of the inputs.
    /// \param index 0 to getNbOutputs() - 1
    /// \param inputTypes nbInputs types
    virtual DataType getOutputDataType(int32_t index, DataType const* inputTypes, int32_t nbInputs) const = 0;

    /// Returns whether an output is the same for all samples of the batch. Up to level 10.
    /// \param inputIsBroadcasted for each input, whether it is the same for all samples
#if TENON_LEVEL <= 10
    virtual bool isOutputBroadcastAcrossBatch(int32_t outputIndex, bool const* inputIsBroadcasted,
                                              int32_t nbInputs) const = 0;
#else
    TENON_LEVELED virtual bool isOutputBroadcastAcrossBatch_(int32_t /*outputIndex*/,
                                                             bool const* /*inputIsBroadcasted*/,
                                                             int32_t /*nbInputs*/) const {
        return false;
    }
#endif

    /// Returns whether the plugin accepts one copy of an input that is the same for all samples. Up to level 10.
#if TENON_LEVEL <= 10
    virtual bool canBroadcastInputAcrossBatch(int32_t inputIndex) const = 0;
#else
    TENON_LEVELED virtual bool canBroadcastInputAcrossBatch_(int32_t /*inputIndex*/) const { return false; }
#endif

    /// Receives the choices of the build before initialize(), in place of configureWithFormat().
    /// \param inputDims, outputDims shapes, without batch
    /// \param inputTypes, outputTypes a type for each tensor
    /// \param inputIsBroadcast, outputIsBroadcast for each tensor, whether it is the same for all samples
    /// \param floatFormat the format of tensors other than kINT32 and kBOOL, which are linear
    /// \param maxBatchSize the largest batch of enqueue()
    TENON_LEVELED virtual void TENON_AS64(configurePlugin)(tenonAbi::Dims64 const* inputDims, int32_t nbInputs,
                                                           tenonAbi::Dims64 const* outputDims, int32_t nbOutputs,
                                                           DataType const* inputTypes, DataType const* outputTypes,
                                                           bool const* inputIsBroadcast, bool const* outputIsBroadcast,
                                                           PluginFormat floatFormat, int32_t maxBatchSize)
        TENON_SLOT64({
            tenonAbi::Converted<tenonAbi::Dims32> const in(inputDims, nbInputs);
            tenonAbi::Converted<tenonAbi::Dims32> const out(outputDims, nbOutputs);
            configurePlugin(in, nbInputs, out, nbOutputs, inputTypes, outputTypes, inputIsBroadcast, outputIsBroadcast,
                            floatFormat, maxBatchSize);
        });

    /// Provides the libraries of the context that runs the plugin. Called on the object of the engine or a clone of it;
    /// at level 7 it is initialized before.
    /// \param cudnn, cublas may be null; on a CPU they are
    /// \param allocator may be null; not owned
    virtual void attachToContext(cudnnContext* /*cudnn*/, cublasContext* /*cublas*/, IGpuAllocator* /*allocator*/) {}

    /// Withdraws what attachToContext() provided.
    virtual void detachFromContext() {}

    IPluginV2Ext* clone() const override = 0;

    // configurePlugin() for programs of the other width, which forwards to the above.
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual void TENON_AS32(configurePlugin)(tenonAbi::Dims32 const* inputDims, int32_t nbInputs,
                                                           tenonAbi::Dims32 const* outputDims, int32_t nbOutputs,
                                                           DataType const* inputTypes, DataType const* outputTypes,
                                                           bool const* inputIsBroadcast, bool const* outputIsBroadcast,
                                                           PluginFormat floatFormat, int32_t maxBatchSize)
        TENON_SLOT32({
            tenonAbi::Converted<tenonAbi::Dims64> const in(inputDims, nbInputs);
            tenonAbi::Converted<tenonAbi::Dims64> const out(outputDims, nbOutputs);
            configurePlugin(in, nbInputs, out, nbOutputs, inputTypes, outputTypes, inputIsBroadcast, outputIsBroadcast,
                            floatFormat, maxBatchSize);
        });

protected:
    TENON_LEVELED int32_t getTensorRTVersion() const override {
        return tenonAbi::pluginVersion(PluginVersion::kV2_EXT);
    }

    void configureWithFormat(Dims const* /*inputDims*/, int32_t /*nbInputs*/, Dims const* /*outputDims*/,
                             int32_t /*nbOutputs*/, DataType /*type*/, PluginFormat /*format*/,
                             int32_t /*maxBatchSize*/) override {}
};

/// A plugin of the second generation with a type and a format for each tensor.
class IPluginV2IOExt : public IPluginV2Ext {
public:
    /// Receives the choices of the build before initialize().
    /// \param in, out nbInput and nbOutput descriptions, without batch
    TENON_LEVELED virtual void TENON_AS64(configurePlugin)(tenonAbi::PluginTensorDesc64 const* in, int32_t nbInput,
                                                           tenonAbi::PluginTensorDesc64 const* out, int32_t nbOutput)
        TENON_SLOT64({
            tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const inputs(in, nbInput);
            tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const outputs(out, nbOutput);
            configurePlugin(inputs, nbInput, outputs, nbOutput);
        });

    /// Returns whether tensor `pos` may have the type and format of inOut[pos], given the tensors before it. Tensors
    /// after it are not to be read.
    /// \param inOut nbInputs inputs, then nbOutputs outputs
    TENON_LEVELED virtual bool TENON_AS64(supportsFormatCombination)(int32_t pos,
                                                                     tenonAbi::PluginTensorDesc64 const* inOut,
                                                                     int32_t nbInputs, int32_t nbOutputs) const
        TENON_SLOT64({
            tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const all(inOut, nbInputs + nbOutputs);
            return supportsFormatCombination(pos, all, nbInputs, nbOutputs);
        });

    // The same for programs of the other width, which forwards to the above.
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual void TENON_AS32(configurePlugin)(tenonAbi::PluginTensorDesc32 const* in, int32_t nbInput,
                                                           tenonAbi::PluginTensorDesc32 const* out, int32_t nbOutput)
        TENON_SLOT32({
            tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const inputs(in, nbInput);
            tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const outputs(out, nbOutput);
            configurePlugin(inputs, nbInput, outputs, nbOutput);
        });
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual bool TENON_AS32(supportsFormatCombination)(int32_t pos,
                                                                     tenonAbi::PluginTensorDesc32 const* inOut,
                                                                     int32_t nbInputs, int32_t nbOutputs) const
        TENON_SLOT32({
            tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const all(inOut, nbInputs + nbOutputs);
            return supportsFormatCombination(pos, all, nbInputs, nbOutputs);
        });

protected:
    using IPluginV2Ext::TENON_OTHER(configurePlugin);

    TENON_LEVELED int32_t getTensorRTVersion() const override {
        return tenonAbi::pluginVersion(PluginVersion::kV2_IOEXT);
    }

    // What the base class asks is asked above in another way. Protected rather than private, because programs of level
    // 7 name these in using declarations.
    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*, DataType const*, bool const*,
                         bool const*, PluginFormat, int32_t) final {}
    bool supportsFormat(DataType, PluginFormat) const final { return false; }
    void configureWithFormat(Dims const*, int32_t, Dims const*, int32_t, DataType, PluginFormat, int32_t) override {}
};

/// Creates plugins of the second generation. REGISTER_TENSORRT_PLUGIN registers an object of it under its name, version
/// and namespace.
///
/// \note Owner: the application or plugin library. Keep it valid until it is deregistered or the process ends.
class IPluginCreator : public v_1_0::IPluginCreatorInterface {
public:
    /// Returns the API version that the creator was compiled with. Up to level 8.
    TENON_LEVELED virtual int32_t TENON_UNTIL_8(getTensorRTVersion)() const {
        return static_cast<int32_t>(NV_TENSORRT_VERSION);
    }

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"PLUGIN CREATOR_V1", 1, 0};
    }

    /// Returns the name under which the creator is registered, which is also the operator name in ONNX models. Never
    /// null; valid as long as the object.
    virtual char const* getPluginName() const = 0;
    /// Returns the version under which the creator is registered; never null. Networks and engines look creators up by
    /// name, version and namespace.
    virtual char const* getPluginVersion() const = 0;

    /// Returns the fields that createPlugin() accepts: names, types and lengths; data may be null. The creator owns
    /// them.
    virtual PluginFieldCollection const* getFieldNames() = 0;

    /// Creates a plugin for the layer `name` from fields.
    /// \param fc valid during the call only
    /// \return the plugin, which the caller deletes with destroy(); null if the fields are not valid
    virtual IPluginV2* createPlugin(char const* name, PluginFieldCollection const* fc) = 0;

    /// Creates a plugin for the layer `name` from the bytes of IPluginV2::serialize().
    /// \return the plugin, which the caller deletes with destroy(); null if the bytes are not valid
    virtual IPluginV2* deserializePlugin(char const* name, void const* serialData, size_t serialLength) = 0;

    /// Sets the namespace in which the creator is registered, which its plugins return too. The registry calls it.
    virtual void setPluginNamespace(char const* pluginNamespace) = 0;
    /// Returns the namespace of setPluginNamespace(). Before that call, in a library that loadLibrary() opens, the
    /// namespace in which the creator is to be registered; "" or null for none.
    virtual char const* getPluginNamespace() const = 0;
};

#if TENON_LEVEL >= 10
namespace v_1_0 {
using nvinfer1::IPluginCreator;
} // namespace v_1_0
#endif

} // namespace nvinfer1

#endif // NV_INFER_RUNTIME_PLUGIN_H

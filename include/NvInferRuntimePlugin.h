// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Plugins of the second generation for networks with fixed shapes, and the creators that make them.
#ifndef NV_INFER_RUNTIME_PLUGIN_H
#define NV_INFER_RUNTIME_PLUGIN_H

#include "NvInferPluginBase.h"
#include "tenon/api/tensor_desc.h"

namespace nvinfer1 {

#if TENON_LEVEL >= 8
/// The bit of a version that says: implemented in Python.
static constexpr int32_t kPLUGIN_VERSION_PYTHON_BIT = 0x40;
#endif

/// Which class of the second generation a plugin is: the top byte of IPluginV2::getTensorRTVersion().
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
/// Which class a creator is.
enum class PluginCreatorVersion : int32_t {
    kV1 = 0,                                 ///< IPluginCreator
    kV1_PYTHON = kPLUGIN_VERSION_PYTHON_BIT, ///< IPluginCreator, implemented in Python
};
#endif

namespace tenonAbi {

/// What getTensorRTVersion() answers for a plugin of `kind` compiled at this level.
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

/// A layer that a user wrote, for shapes without the batch dimension that are fixed when the network is built.
///
/// Life of an object: created by its creator or by clone(); asked for shapes, formats and workspace while a network is
/// built; initialize(); enqueue() any number of times; terminate(); destroy(). The network keeps a clone. The first
/// execution context runs the engine's object, others run clones. One object is used by one thread at a time.
class IPluginV2 {
public:
    virtual ~IPluginV2() = default;

    /// The version of the API that the plugin was compiled with and the class that it is, see PluginVersion. Not to be
    /// overridden by users.
    TENON_LEVELED virtual int32_t getTensorRTVersion() const { return tenonAbi::pluginVersion(PluginVersion::kV2); }

    /// The name that its creator is registered under, by which the creator is found again when an engine is loaded.
    /// Never null; valid as long as the object.
    virtual char const* getPluginType() const = 0;
    /// The version beside the name, "1" for most; never null. Another version is another plugin.
    virtual char const* getPluginVersion() const = 0;

    /// How many outputs the layer has; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// The shape of an output.
    /// \param index which output, from 0
    /// \param inputs `nbInputDims` shapes, one for each input
    TENON_LEVELED virtual tenonAbi::Dims64 TENON_AS64(getOutputDimensions)(int32_t index,
                                                                           tenonAbi::Dims64 const* inputs,
                                                                           int32_t nbInputDims) TENON_SLOT64({
        tenonAbi::Converted<tenonAbi::Dims32> const in(inputs, nbInputDims);
        return tenonAbi::dims64(getOutputDimensions(index, in, nbInputDims));
    });

    /// Whether inputs and outputs may be of `type` in `format`; all are of the same.
    virtual bool supportsFormat(DataType type, PluginFormat format) const = 0;

    /// Tells what was decided, before initialize().
    /// \param inputDims, outputDims `nbInputs` and `nbOutputs` shapes
    /// \param maxBatchSize the largest batch that enqueue() will be given
    TENON_LEVELED virtual void TENON_AS64(configureWithFormat)(tenonAbi::Dims64 const* inputDims, int32_t nbInputs,
                                                               tenonAbi::Dims64 const* outputDims, int32_t nbOutputs,
                                                               DataType type, PluginFormat format, int32_t maxBatchSize)
        TENON_SLOT64({
            tenonAbi::Converted<tenonAbi::Dims32> const in(inputDims, nbInputs);
            tenonAbi::Converted<tenonAbi::Dims32> const out(outputDims, nbOutputs);
            configureWithFormat(in, nbInputs, out, nbOutputs, type, format, maxBatchSize);
        });

    /// Prepares to compute: called before the first enqueue(), and again after terminate().
    /// \return 0, or an error code of the plugin's own, which ends what needed the plugin
    virtual int32_t initialize() = 0;

    /// Gives back what initialize() took.
    virtual void terminate() = 0;

    /// How many bytes of scratch memory enqueue() needs for a batch of `maxBatchSize`.
    virtual size_t getWorkspaceSize(int32_t maxBatchSize) const = 0;

    /// Computes one batch, or puts that work on `stream` and returns.
    /// \param inputs, outputs one address for each tensor, memory of the engine's device
    /// \param workspace as many bytes as getWorkspaceSize() asked for; their content is arbitrary
    /// \return 0, or an error code of the plugin's own, which fails the execution
    virtual int32_t enqueue(int32_t batchSize, void const* const* inputs, tenonAbi::BatchOutputs outputs,
                            void* workspace, cudaStream_t stream) = 0;

    /// How many bytes serialize() writes.
    virtual size_t getSerializationSize() const = 0;

    /// Writes exactly getSerializationSize() bytes to `buffer`, from which the creator can make an equal plugin.
    virtual void serialize(void* buffer) const = 0;

    /// Deletes the object.
    virtual void destroy() = 0;

    /// A copy in the same state, namespace included, to be ended with destroy(). \return null where that fails
    virtual IPluginV2* clone() const = 0;

    /// Gives the namespace that getPluginNamespace() answers with; the plugin copies it.
    virtual void setPluginNamespace(char const* pluginNamespace) = 0;
    /// What setPluginNamespace() was given; "" before that. It is saved with the name, so a clone must answer the same.
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

/// IPluginV2 with a type for each tensor and with broadcast over the batch.
class IPluginV2Ext : public IPluginV2 {
public:
    /// The type of output `index` for the given types of the inputs.
    virtual DataType getOutputDataType(int32_t index, DataType const* inputTypes, int32_t nbInputs) const = 0;

    /// Whether an output is the same for the whole batch; `inputIsBroadcasted` says so of each input.
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

    /// Whether the plugin takes one copy of an input that is the same for the whole batch.
#if TENON_LEVEL <= 10
    virtual bool canBroadcastInputAcrossBatch(int32_t inputIndex) const = 0;
#else
    TENON_LEVELED virtual bool canBroadcastInputAcrossBatch_(int32_t /*inputIndex*/) const { return false; }
#endif

    /// Tells what was decided, before initialize(); takes the place of configureWithFormat().
    /// \param inputIsBroadcast, outputIsBroadcast one flag for each tensor
    /// \param floatFormat the format of the tensors that are not kINT32 or kBOOL, which are linear
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

    /// Lends the plugin the libraries of the context that it is now part of; any of them may be null, and on a CPU
    /// `cudnn` and `cublas` are. Called on the engine's object or a clone of it (level 7: initialized as well).
    virtual void attachToContext(cudnnContext* /*cudnn*/, cublasContext* /*cublas*/, IGpuAllocator* /*allocator*/) {}

    /// Takes back what attachToContext() lent.
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

/// IPluginV2Ext with a type and a format for each tensor.
class IPluginV2IOExt : public IPluginV2Ext {
public:
    /// Tells what was decided, before initialize(): `nbInput` inputs and `nbOutput` outputs, without the batch.
    TENON_LEVELED virtual void TENON_AS64(configurePlugin)(tenonAbi::PluginTensorDesc64 const* in, int32_t nbInput,
                                                           tenonAbi::PluginTensorDesc64 const* out, int32_t nbOutput)
        TENON_SLOT64({
            tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const inputs(in, nbInput);
            tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const outputs(out, nbOutput);
            configurePlugin(inputs, nbInput, outputs, nbOutput);
        });

    /// Whether tensor `pos` may be as `inOut[pos]` says, given the tensors before it; those behind it are not to be
    /// looked at.
    /// \param inOut `nbInputs` inputs, then `nbOutputs` outputs
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

/// Makes plugins of the second generation. An object of it is registered, usually by REGISTER_TENSORRT_PLUGIN, under
/// the name, version and namespace that it answers with, and must live until the process ends or it is deregistered.
class IPluginCreator : public v_1_0::IPluginCreatorInterface {
public:
    /// The version of the API that the creator was compiled with. Users had no need of it after level 8.
    TENON_LEVELED virtual int32_t TENON_UNTIL_8(getTensorRTVersion)() const {
        return static_cast<int32_t>(NV_TENSORRT_VERSION);
    }

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"PLUGIN CREATOR_V1", 1, 0};
    }

    /// The name that it is registered under, which is the operator's name in ONNX models. Never null; valid as long as
    /// the object.
    virtual char const* getPluginName() const = 0;
    /// The version that it is registered under; never null. Networks and engines ask for name, version and namespace
    /// together.
    virtual char const* getPluginVersion() const = 0;

    /// The fields that createPlugin() takes: names, types, lengths; data may be null. The creator owns the answer.
    virtual PluginFieldCollection const* getFieldNames() = 0;

    /// A plugin made from fields, for a layer called `name`, to be ended with destroy().
    /// \param fc valid during the call only
    /// \return null where the fields do not make sense
    virtual IPluginV2* createPlugin(char const* name, PluginFieldCollection const* fc) = 0;

    /// A plugin made from what IPluginV2::serialize() wrote, to be ended with destroy().
    /// \return null where the bytes do not make sense
    virtual IPluginV2* deserializePlugin(char const* name, void const* serialData, size_t serialLength) = 0;

    /// Called by the registry with the namespace that the creator is registered in; to be passed on to its plugins.
    virtual void setPluginNamespace(char const* pluginNamespace) = 0;
    /// What setPluginNamespace() was given. Before that, where its library is opened by loadLibrary(): the namespace
    /// that it is to be registered in; "" or null for none.
    virtual char const* getPluginNamespace() const = 0;
};

#if TENON_LEVEL >= 10
namespace v_1_0 {
using nvinfer1::IPluginCreator;
} // namespace v_1_0
#endif

} // namespace nvinfer1

#endif // NV_INFER_RUNTIME_PLUGIN_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Running engines, and the plugins of networks with dynamic shapes: of the second generation (IPluginV2DynamicExt) and
/// of the third (IPluginV3), and how a plugin library registers them.
#ifndef NV_INFER_RUNTIME_H
#define NV_INFER_RUNTIME_H

#include "NvInferRuntimeCommon.h"
#include "tenon/api/callbacks.h"
#include "tenon/api/forward.h"
#include "tenon/api/legacy_plugin.h"
#if TENON_LEVEL >= 8
#include "NvInferLegacyDims.h"
#endif

#include <limits>

namespace nvinfer1 {

/// How IExprBuilder::operation() makes one extent of two.
enum class DimensionOperation : int32_t {
    kSUM = 0,       ///< first + second
    kPROD = 1,      ///< first * second
    kMAX = 2,       ///< The larger one.
    kMIN = 3,       ///< The smaller one.
    kSUB = 4,       ///< first - second
    kEQUAL = 5,     ///< 1 where they are equal, else 0.
    kLESS = 6,      ///< 1 where first < second, else 0.
    kFLOOR_DIV = 7, ///< first / second, rounded down.
    kCEIL_DIV = 8,  ///< first / second, rounded up.
};

namespace impl {
template <> struct EnumMaxImpl<DimensionOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(DimensionOperation::kCEIL_DIV);
};
} // namespace impl

/// An extent that may depend on the extents of the inputs. Made by an IExprBuilder, which owns it: valid during the
/// call that handed out the builder.
class IDimensionExpr : public tenonAbi::INoCopy {
public:
    /// Whether the value is known while the network is built.
    virtual bool isConstant() const noexcept = 0;

    /// The value, where it is constant; else the smallest number of its type.
    TENON_LEVELED tenonAbi::Extent getConstantValue() const noexcept {
        return isConstant() ? static_cast<tenonAbi::Extent>(getConstantValue_())
                            : std::numeric_limits<tenonAbi::Extent>::min();
    }

    /// Whether it is the size of an output that is known only after the plugin ran, see declareSizeTensor().
    virtual bool TENON_FROM_10(isSizeTensor)() const noexcept = 0;

protected:
    ~IDimensionExpr() override = default;

    virtual int64_t getConstantValue_() const noexcept = 0;
};

/// Makes extents. The engine hands one out where a plugin is asked for its output shapes.
class IExprBuilder : public tenonAbi::INoCopy {
public:
    /// An extent of fixed value.
    TENON_LEVELED IDimensionExpr const* constant(tenonAbi::Extent value) noexcept { return constant_(value); }

    /// An extent made of two. \return null for an operation that does not exist
    virtual IDimensionExpr const* operation(DimensionOperation op, IDimensionExpr const& first,
                                            IDimensionExpr const& second) noexcept = 0;

    /// The size of something that is known only after the plugin ran: the plugin writes it into its output
    /// `outputIndex`, a scalar of type kINT32 or kINT64.
    /// \param opt the value to be fast for
    /// \param upper the value it never exceeds; for that much, memory is provided
    virtual IDimensionExpr const* TENON_FROM_10(declareSizeTensor)(int32_t outputIndex, IDimensionExpr const& opt,
                                                                   IDimensionExpr const& upper) noexcept = 0;

protected:
    ~IExprBuilder() override = default;

    virtual IDimensionExpr const* constant_(int64_t value) noexcept = 0;
};

/// A shape of extents that may depend on others.
class DimsExprs {
public:
    int32_t nbDims;                                      ///< How many elements of `d` count.
    IDimensionExpr const* d[tenonAbi::Dims64::MAX_DIMS]; ///< The extents, outermost first.
};

/// A layer that a user wrote, for shapes that may change from one execution to the next.
///
/// Life of an object: created by its creator or by clone(); asked for shapes, types and formats while a network is
/// built; configurePlugin(), then initialize(); enqueue() any number of times, with another configurePlugin() before it
/// where shapes changed; terminate(); destroy(). One object is used by one thread at a time.
class IPluginV2DynamicExt : public IPluginV2Ext {
public:
    IPluginV2DynamicExt* clone() const override = 0;

    /// The shape of output `outputIndex` as expressions in the extents of the inputs.
    /// \param inputs `nbInputs` shapes
    /// \return extents made with `exprBuilder` or taken from `inputs`
    virtual DimsExprs getOutputDimensions(int32_t outputIndex, DimsExprs const* inputs, int32_t nbInputs,
                                          IExprBuilder& exprBuilder) = 0;

    /// supportsFormatCombination() is asked for no more than so many combinations of all tensors.
    static constexpr int32_t kFORMAT_COMBINATION_LIMIT = 100;

    /// Whether tensor `pos` may be as `inOut[pos]` says, given the tensors before it; those behind it are not to be
    /// looked at.
    /// \param inOut `nbInputs` inputs, then `nbOutputs` outputs
    TENON_LEVELED virtual bool TENON_AS64(supportsFormatCombination)(int32_t pos,
                                                                     tenonAbi::PluginTensorDesc64 const* inOut,
                                                                     int32_t nbInputs, int32_t nbOutputs) TENON_SLOT64({
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const all(inOut, nbInputs + nbOutputs);
        return supportsFormatCombination(pos, all, nbInputs, nbOutputs);
    });

    /// Tells what was decided: while building, with the range of each shape; while running, with the shapes of the
    /// executions that follow, before the first of them.
    TENON_LEVELED virtual void TENON_AS64(configurePlugin)(tenonAbi::DynamicPluginTensorDesc64 const* in,
                                                           int32_t nbInputs,
                                                           tenonAbi::DynamicPluginTensorDesc64 const* out,
                                                           int32_t nbOutputs) TENON_SLOT64({
        inputs_ = nbInputs;
        tenonAbi::Converted<tenonAbi::DynamicPluginTensorDesc32> const from(in, nbInputs);
        tenonAbi::Converted<tenonAbi::DynamicPluginTensorDesc32> const to(out, nbOutputs);
        configurePlugin(from, nbInputs, to, nbOutputs);
    });

    /// How many bytes of scratch memory enqueue() needs for these shapes and all smaller ones.
    TENON_LEVELED virtual size_t TENON_AS64(getWorkspaceSize)(tenonAbi::PluginTensorDesc64 const* inputs,
                                                              int32_t nbInputs,
                                                              tenonAbi::PluginTensorDesc64 const* outputs,
                                                              int32_t nbOutputs) const TENON_SLOT64({
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const from(inputs, nbInputs);
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const to(outputs, nbOutputs);
        return getWorkspaceSize(from, nbInputs, to, nbOutputs);
    });

    /// Computes, or puts that work on `stream` and returns.
    /// \param inputDesc, outputDesc a description of each tensor, all extents known
    /// \param inputs, outputs one address for each tensor, memory of the engine's device
    /// \param workspace as many bytes as getWorkspaceSize() asked for; their content is arbitrary
    /// \return 0, or an error code of the plugin's own, which fails the execution
    TENON_LEVELED virtual int32_t TENON_AS64(enqueue)(tenonAbi::PluginTensorDesc64 const* inputDesc,
                                                      tenonAbi::PluginTensorDesc64 const* outputDesc,
                                                      void const* const* inputs, void* const* outputs, void* workspace,
                                                      cudaStream_t stream) TENON_SLOT64({
        if (inputs_ < 0) return kNotConfigured;
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const from(inputDesc, inputs_);
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const to(outputDesc, getNbOutputs());
        return enqueue(from, to, inputs, outputs, workspace, stream);
    });

    // The same for programs of the other width, which forwards to the above.
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual bool TENON_AS32(supportsFormatCombination)(int32_t pos,
                                                                     tenonAbi::PluginTensorDesc32 const* inOut,
                                                                     int32_t nbInputs, int32_t nbOutputs) TENON_SLOT32({
        tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const all(inOut, nbInputs + nbOutputs);
        return supportsFormatCombination(pos, all, nbInputs, nbOutputs);
    });
    /// The same with 32-bit extents; levels up to 8 override this one. The ranges have no `opt`.
    TENON_LEVELED virtual void TENON_AS32(configurePlugin)(tenonAbi::DynamicPluginTensorDesc32 const* in,
                                                           int32_t nbInputs,
                                                           tenonAbi::DynamicPluginTensorDesc32 const* out,
                                                           int32_t nbOutputs) TENON_SLOT32({
        inputs_ = nbInputs;
        tenonAbi::Converted<tenonAbi::DynamicPluginTensorDesc64> const from(in, nbInputs);
        tenonAbi::Converted<tenonAbi::DynamicPluginTensorDesc64> const to(out, nbOutputs);
        configurePlugin(from, nbInputs, to, nbOutputs);
    });
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual size_t TENON_AS32(getWorkspaceSize)(tenonAbi::PluginTensorDesc32 const* inputs,
                                                              int32_t nbInputs,
                                                              tenonAbi::PluginTensorDesc32 const* outputs,
                                                              int32_t nbOutputs) const TENON_SLOT32({
        tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const from(inputs, nbInputs);
        tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const to(outputs, nbOutputs);
        return getWorkspaceSize(from, nbInputs, to, nbOutputs);
    });
    /// The same with 32-bit extents; levels up to 8 override this one. Extents too large for 32 bits come as the
    /// largest number.
    TENON_LEVELED virtual int32_t TENON_AS32(enqueue)(tenonAbi::PluginTensorDesc32 const* inputDesc,
                                                      tenonAbi::PluginTensorDesc32 const* outputDesc,
                                                      void const* const* inputs, void* const* outputs, void* workspace,
                                                      cudaStream_t stream) TENON_SLOT32({
        if (inputs_ < 0) return kNotConfigured;
        tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const from(inputDesc, inputs_);
        tenonAbi::Converted<tenonAbi::PluginTensorDesc64> const to(outputDesc, getNbOutputs());
        return enqueue(from, to, inputs, outputs, workspace, stream);
    });

protected:
    using IPluginV2Ext::TENON_OTHER(configurePlugin);

    TENON_LEVELED int32_t getTensorRTVersion() const override {
        return tenonAbi::pluginVersion(PluginVersion::kV2_DYNAMICEXT);
    }

    // What the base classes ask is asked above in another way. Protected rather than private, because programs of
    // level 7 name these in using declarations.
    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*, DataType const*, bool const*,
                         bool const*, PluginFormat, int32_t) final {}
    bool supportsFormat(DataType, PluginFormat) const final { return false; }
    Dims getOutputDimensions(int32_t, Dims const*, int32_t) final {
        Dims none = Dims();
        none.nbDims = -1;
        return none;
    }
    bool TENON_UNTIL_10(isOutputBroadcastAcrossBatch)(int32_t, bool const*, int32_t) const final { return false; }
    bool TENON_UNTIL_10(canBroadcastInputAcrossBatch)(int32_t) const final { return true; }
    size_t getWorkspaceSize(int32_t) const final { return 0; }
    int32_t enqueue(int32_t, void const* const*, tenonAbi::BatchOutputs, void*, cudaStream_t) final { return 1; }

private:
    // enqueue() does not say how many inputs it describes, and who converts has to know: configurePlugin() said it.
    static constexpr int32_t kNotConfigured = 1;
    int32_t inputs_ = -1;
};

#if TENON_LEVEL >= 10

/// What an execution context lends to a plugin that is attached to it.
class IPluginResourceContext {
public:
    virtual ~IPluginResourceContext() = default;

    /// The allocator of the context; never null.
    virtual IGpuAllocator* getGpuAllocator() const = 0;

    /// Where the plugin reports errors; may be null.
    virtual IErrorRecorder* getErrorRecorder() const = 0;

protected:
    IPluginResourceContext() = default;
    IPluginResourceContext(IPluginResourceContext const&) = default;
    IPluginResourceContext(IPluginResourceContext&&) = default;
    IPluginResourceContext& operator=(IPluginResourceContext const&) & = default;
    IPluginResourceContext& operator=(IPluginResourceContext&&) & = default;
};

namespace v_1_0 {

/// Who a plugin is.
class IPluginV3OneCore : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_CORE", 1, 0}; }

    /// The name that its creator is registered under, by which the creator is found again when an engine is loaded.
    /// Never null; valid as long as the object.
    virtual char const* getPluginName() const = 0;
    /// The version beside the name, "1" for most; never null. Another version is another plugin.
    virtual char const* getPluginVersion() const = 0;
    /// The namespace of the creator; "" where it was registered in none. Never null. What a creator makes must have the
    /// creator's name, version and namespace, or the build fails.
    virtual char const* getPluginNamespace() const = 0;
};

/// What has to be known of a plugin to build an engine with it. All methods that return int32_t without saying more
/// return 0, or an error code of the plugin's own, which fails the build.
class IPluginV3OneBuild : public IPluginCapability {
public:
    /// The usual answer of getFormatCombinationLimit().
    static constexpr int32_t kDEFAULT_FORMAT_COMBINATION_LIMIT = 100;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 1, 0}; }

    /// Tells what was decided, with the range of each shape.
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                    DynamicPluginTensorDesc const* out, int32_t nbOutputs) = 0;

    /// Sets `outputTypes[0 .. nbOutputs)` for the given types of the inputs.
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                                       int32_t nbInputs) const = 0;

    /// Sets `outputs[0 .. nbOutputs)` to expressions in the extents of the inputs.
    /// \param shapeInputs the *values* of the inputs that are shape tensors
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                                    int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                                    IExprBuilder& exprBuilder) = 0;

    /// Whether tensor `pos` may be as `inOut[pos].desc` says, given the tensors before it; those behind it are not to
    /// be looked at.
    /// \param inOut `nbInputs` inputs, then `nbOutputs` outputs
    virtual bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                           int32_t nbOutputs) = 0;

    /// How many outputs the layer has; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// How many bytes of scratch memory enqueue() needs for any shape in these ranges.
    virtual size_t getWorkspaceSize(DynamicPluginTensorDesc const* /*inputs*/, int32_t /*nbInputs*/,
                                    DynamicPluginTensorDesc const* /*outputs*/, int32_t /*nbOutputs*/) const {
        return 0;
    }

    /// Sets `tactics[0 .. nbTactics)` to the plugin's ways to compute what was configured: positive and unique.
    virtual int32_t getValidTactics(int32_t* /*tactics*/, int32_t /*nbTactics*/) { return 0; }

    /// How many ways there are; with 0 there is one, which is called tactic 0.
    virtual int32_t getNbTactics() { return 0; }

    /// What, besides shapes, types and formats, the speed of a tactic depends on; null: do not remember timings.
    virtual char const* getTimingCacheID() { return nullptr; }

    /// How many combinations of formats are tried at most.
    virtual int32_t getFormatCombinationLimit() { return kDEFAULT_FORMAT_COMBINATION_LIMIT; }

    /// A text that the engine inspector shows; null for none.
    virtual char const* getMetadataString() { return nullptr; }
};

/// What has to be known of a plugin to run it.
class IPluginV3OneRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_RUNTIME", 1, 0}; }

    /// Chooses one of the tactics that the build capability named. \return 0, or an error code
    virtual int32_t setTactic(int32_t /*tactic*/) { return 0; }

    /// Tells the shapes of the executions that follow. \return 0, or an error code
    virtual int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* out,
                                  int32_t nbOutputs) = 0;

    /// Computes, or puts that work on `stream` and returns.
    /// \param inputDesc, outputDesc a description of each tensor, all extents known but those of size tensors
    /// \param inputs, outputs one address for each tensor, memory of the engine's device
    /// \param workspace as many bytes as getWorkspaceSize() asked for; their content is arbitrary
    /// \return 0, or an error code of the plugin's own, which fails the execution
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) = 0;

    /// A clone for one execution context, which owns it. \return null where that fails
    /// \param context what the context lends; valid as long as the clone
    virtual IPluginV3* attachToContext(IPluginResourceContext* context) = 0;

    /// What a creator needs to make an equal plugin at run time. The plugin keeps owning it; it is copied at once.
    virtual PluginFieldCollection const* getFieldsToSerialize() = 0;
};

/// Makes plugins of the third generation. An object of it is registered, usually by REGISTER_TENSORRT_PLUGIN, under the
/// name, version and namespace that it answers with, and must live until the process ends or it is deregistered.
class IPluginCreatorV3One : public IPluginCreatorInterface {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN CREATOR_V3ONE", 1, 0}; }

    /// A plugin made with `new`, for a layer called `name`.
    /// \param fc the fields of the node, or those of getFieldsToSerialize(); valid during the call only
    /// \return null where the fields do not make sense
    virtual IPluginV3* createPlugin(char const* name, PluginFieldCollection const* fc, TensorRTPhase phase) = 0;

    /// The fields that createPlugin() takes: names, types, lengths; data may be null. The creator owns the answer.
    virtual PluginFieldCollection const* getFieldNames() = 0;

    /// The name that it is registered under, which is the operator's name in ONNX models. Never null; valid as long as
    /// the object.
    virtual char const* getPluginName() const = 0;
    /// The version that it is registered under; never null. Networks and engines ask for name, version and namespace
    /// together.
    virtual char const* getPluginVersion() const = 0;
    /// The namespace that it is registered under where registerCreator() is given ""; "" for none. Never null.
    virtual char const* getPluginNamespace() const = 0;
};

} // namespace v_1_0

using IPluginV3OneCore = v_1_0::IPluginV3OneCore;
using IPluginV3OneBuild = v_1_0::IPluginV3OneBuild;
using IPluginV3OneRuntime = v_1_0::IPluginV3OneRuntime;
using IPluginCreatorV3One = v_1_0::IPluginCreatorV3One;

namespace v_2_0 {

/// A build capability whose outputs may lie in the memory of inputs.
class IPluginV3OneBuild : public v_1_0::IPluginV3OneBuild {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 2, 0}; }

    /// The input that output `outputIndex` shares its memory with, same shape, type and format; -1 for none. One output
    /// for each input at most. Needs the preview feature kALIASED_PLUGIN_IO_10_03; without it nobody asks. The plugin
    /// writes in place; the input is copied first where others read it afterwards, or where it is the program's (but
    /// not where the program gives the same address for both).
    virtual int32_t getAliasedInput(int32_t /*outputIndex*/) { return -1; }
};

} // namespace v_2_0

using IPluginV3OneBuildV2 = v_2_0::IPluginV3OneBuild;

#endif // TENON_LEVEL >= 10

/// Registers a creator while its library is loaded and keeps it.
template <typename T> class PluginRegistrar {
public:
    PluginRegistrar();

private:
    T instance{};
};

} // namespace nvinfer1

/// The plugin registry of the process. Its symbol is Tenon's own, so that a plugin library never registers in another
/// library of this API that happens to be loaded, and one that was built for another is recognised when it is loaded.
TENON_C_FUNCTION nvinfer1::IPluginRegistry* getPluginRegistry() noexcept __asm__("tenonGetPluginRegistry");

/// The logger that the builder, runtime or parser made last was given; null where there is none.
TENON_C_FUNCTION nvinfer1::ILogger* getLogger() noexcept __asm__("tenonGetLogger");

template <typename T> inline nvinfer1::PluginRegistrar<T>::PluginRegistrar() {
    getPluginRegistry()->registerCreator(instance, "");
}

/// Registers the creator class `name`, in namespace "", when the library that says so is loaded.
#define REGISTER_TENSORRT_PLUGIN(name)                                                                                 \
    static nvinfer1::PluginRegistrar<name> pluginRegistrar##name {}

#include "tenon/api/runtime.h"

#endif // NV_INFER_RUNTIME_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Everything to run engines, and plugins for dynamic shapes: IPluginV2DynamicExt of the second generation, IPluginV3
/// of the third, and their registration.
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

/// How IExprBuilder::operation() combines two extents.
enum class DimensionOperation : int32_t {
    kSUM = 0,       ///< first + second
    kPROD = 1,      ///< first * second
    kMAX = 2,       ///< The larger one.
    kMIN = 3,       ///< The smaller one.
    kSUB = 4,       ///< first - second
    kEQUAL = 5,     ///< 1 if they are equal, else 0.
    kLESS = 6,      ///< 1 if first < second, else 0.
    kFLOOR_DIV = 7, ///< first / second, rounded down.
    kCEIL_DIV = 8,  ///< first / second, rounded up.
};

namespace impl {
template <> struct EnumMaxImpl<DimensionOperation> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(DimensionOperation::kCEIL_DIV);
};
} // namespace impl

/// An extent that may depend on extents of the inputs.
///
/// \note Owner: the IExprBuilder that made it. Valid during the call that received the builder.
class IDimensionExpr : public tenonAbi::INoCopy {
public:
    /// Returns whether the value is known while the network is built.
    virtual bool isConstant() const noexcept = 0;

    /// Returns the value of a constant extent; for others the lowest number of the type.
    TENON_LEVELED tenonAbi::Extent getConstantValue() const noexcept {
        return isConstant() ? static_cast<tenonAbi::Extent>(getConstantValue_())
                            : std::numeric_limits<tenonAbi::Extent>::min();
    }

    /// Returns whether it is the size of an output that is known only after the plugin has run; see
    /// IExprBuilder::declareSizeTensor(). Since level 10.
    virtual bool TENON_FROM_10(isSizeTensor)() const noexcept = 0;

protected:
    ~IDimensionExpr() override = default;

    virtual int64_t getConstantValue_() const noexcept = 0;
};

/// Creates extents. The engine passes one to the methods of plugins that return output shapes.
class IExprBuilder : public tenonAbi::INoCopy {
public:
    /// Returns an extent of a fixed value.
    TENON_LEVELED IDimensionExpr const* constant(tenonAbi::Extent value) noexcept { return constant_(value); }

    /// Returns an extent that combines two.
    /// \return null for a number that is not an operation
    virtual IDimensionExpr const* operation(DimensionOperation op, IDimensionExpr const& first,
                                            IDimensionExpr const& second) noexcept = 0;

    /// Declares an extent that is known only after the plugin has run: the plugin writes it to output `outputIndex`, a
    /// scalar of type kINT32 or kINT64. Since level 10.
    /// \param opt the value that the build optimizes for
    /// \param upper the largest value; memory is allocated for it
    virtual IDimensionExpr const* TENON_FROM_10(declareSizeTensor)(int32_t outputIndex, IDimensionExpr const& opt,
                                                                   IDimensionExpr const& upper) noexcept = 0;

protected:
    ~IExprBuilder() override = default;

    virtual IDimensionExpr const* constant_(int64_t value) noexcept = 0;
};

/// A shape whose extents may depend on other extents.
class DimsExprs {
public:
    int32_t nbDims;                                      ///< The number of elements of `d` in use.
    IDimensionExpr const* d[tenonAbi::Dims64::MAX_DIMS]; ///< The extents, outermost first.
};

/// A plugin of the second generation for shapes that change between runs.
///
/// Order of calls: shapes, types and formats on a clone in the build; configurePlugin(), initialize(), enqueue() any
/// number of times, with another configurePlugin() before it if shapes have changed, terminate(), destroy().
///
/// \note Thread: one object is used by one thread at a time.
class IPluginV2DynamicExt : public IPluginV2Ext {
public:
    IPluginV2DynamicExt* clone() const override = 0;

    /// Returns the shape of an output as expressions in the extents of the inputs.
    /// \param inputs nbInputs shapes
    /// \return extents of `exprBuilder` or of `inputs`; nbDims -1 is an error
    virtual DimsExprs getOutputDimensions(int32_t outputIndex, DimsExprs const* inputs, int32_t nbInputs,
                                          IExprBuilder& exprBuilder) = 0;

    /// The largest number of combinations for which supportsFormatCombination() is called.
    static constexpr int32_t kFORMAT_COMBINATION_LIMIT = 100;

    /// Returns whether tensor `pos` may have the type and format of inOut[pos], given the tensors before it. Tensors
    /// after it are not to be read.
    /// \param inOut nbInputs inputs, then nbOutputs outputs
    TENON_LEVELED virtual bool TENON_AS64(supportsFormatCombination)(int32_t pos,
                                                                     tenonAbi::PluginTensorDesc64 const* inOut,
                                                                     int32_t nbInputs, int32_t nbOutputs) TENON_SLOT64({
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const all(inOut, nbInputs + nbOutputs);
        return supportsFormatCombination(pos, all, nbInputs, nbOutputs);
    });

    /// Receives the choices of the build: in the build with the range of each shape, at run time with the shapes of the
    /// following runs, before the first of them.
    TENON_LEVELED virtual void TENON_AS64(configurePlugin)(tenonAbi::DynamicPluginTensorDesc64 const* in,
                                                           int32_t nbInputs,
                                                           tenonAbi::DynamicPluginTensorDesc64 const* out,
                                                           int32_t nbOutputs) TENON_SLOT64({
        inputs_ = nbInputs;
        tenonAbi::Converted<tenonAbi::DynamicPluginTensorDesc32> const from(in, nbInputs);
        tenonAbi::Converted<tenonAbi::DynamicPluginTensorDesc32> const to(out, nbOutputs);
        configurePlugin(from, nbInputs, to, nbOutputs);
    });

    /// Returns the scratch memory that enqueue() needs for these shapes and all smaller ones, in bytes.
    TENON_LEVELED virtual size_t TENON_AS64(getWorkspaceSize)(tenonAbi::PluginTensorDesc64 const* inputs,
                                                              int32_t nbInputs,
                                                              tenonAbi::PluginTensorDesc64 const* outputs,
                                                              int32_t nbOutputs) const TENON_SLOT64({
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const from(inputs, nbInputs);
        tenonAbi::Converted<tenonAbi::PluginTensorDesc32> const to(outputs, nbOutputs);
        return getWorkspaceSize(from, nbInputs, to, nbOutputs);
    });

    /// Computes the outputs, or enqueues the work in `stream` and returns.
    /// \param inputDesc, outputDesc a description of each tensor, with all extents known
    /// \param inputs, outputs an address of each tensor, in memory of the engine's device
    /// \param workspace getWorkspaceSize() bytes of undefined content
    /// \return 0; another number is an error code of the plugin and fails the run
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

/// What an execution context provides to a plugin of the third generation. Since level 10.
class IPluginResourceContext {
public:
    virtual ~IPluginResourceContext() = default;

    /// Returns the allocator of the context; never null. Valid as long as the plugin is attached.
    virtual IGpuAllocator* getGpuAllocator() const = 0;

    /// Returns the error recorder of the context; may be null.
    virtual IErrorRecorder* getErrorRecorder() const = 0;

protected:
    IPluginResourceContext() = default;
    IPluginResourceContext(IPluginResourceContext const&) = default;
    IPluginResourceContext(IPluginResourceContext&&) = default;
    IPluginResourceContext& operator=(IPluginResourceContext const&) & = default;
    IPluginResourceContext& operator=(IPluginResourceContext&&) & = default;
};

namespace v_1_0 {

/// The identity of a plugin of the third generation. Since level 10.
class IPluginV3OneCore : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_CORE", 1, 0}; }

    /// Returns the name of the creator, with which an engine file finds it. Never null; valid as long as the object.
    virtual char const* getPluginName() const = 0;
    /// Returns the version of the creator, "1" for most; never null.
    virtual char const* getPluginVersion() const = 0;
    /// Returns the name under which the creator is registered, which is also the operator name in ONNX models. Never
    /// null; valid as long as the object.
    virtual char const* getPluginNamespace() const = 0;
};

/// What a build asks a plugin of the third generation. Methods that return int32_t return 0; another number is an error
/// code of the plugin and fails the build. Since level 10.
class IPluginV3OneBuild : public IPluginCapability {
public:
    /// The default of getFormatCombinationLimit().
    static constexpr int32_t kDEFAULT_FORMAT_COMBINATION_LIMIT = 100;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 1, 0}; }

    /// Receives the choices of the build, with the range of each shape.
    /// \return 0 or an error code
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                    DynamicPluginTensorDesc const* out, int32_t nbOutputs) = 0;

    /// Sets the types of the outputs for given types of the inputs.
    /// \param outputTypes receives nbOutputs types
    /// \return 0 or an error code
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                                       int32_t nbInputs) const = 0;

    /// Sets the shapes of the outputs as expressions in the extents of the inputs.
    /// \param shapeInputs the values of the inputs that are shape tensors, nbShapeInputs of them
    /// \param outputs receives nbOutputs shapes
    /// \return 0 or an error code
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                                    int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                                    IExprBuilder& exprBuilder) = 0;

    /// Returns whether tensor `pos` may have the type and format of inOut[pos].desc, given the tensors before it.
    /// Tensors after it are not to be read.
    /// \param inOut nbInputs inputs, then nbOutputs outputs
    virtual bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                           int32_t nbOutputs) = 0;

    /// Returns the number of outputs; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// Returns the scratch memory that enqueue() needs for all shapes in the ranges, in bytes; 0 unless overridden.
    virtual size_t getWorkspaceSize(DynamicPluginTensorDesc const* /*inputs*/, int32_t /*nbInputs*/,
                                    DynamicPluginTensorDesc const* /*outputs*/, int32_t /*nbOutputs*/) const {
        return 0;
    }

    /// Sets the tactics of the plugin for what was configured.
    /// \param tactics receives nbTactics numbers, positive and unique
    /// \return 0 or an error code
    virtual int32_t getValidTactics(int32_t* /*tactics*/, int32_t /*nbTactics*/) { return 0; }

    /// Returns the number of tactics; 0, which means one tactic with number 0, unless overridden.
    virtual int32_t getNbTactics() { return 0; }

    /// Returns a text for what the time of a tactic depends on besides shapes, types and formats. Null, the default:
    /// times are not cached.
    virtual char const* getTimingCacheID() { return nullptr; }

    /// Returns the largest number of combinations for which supportsFormatCombination() is called.
    virtual int32_t getFormatCombinationLimit() { return kDEFAULT_FORMAT_COMBINATION_LIMIT; }

    /// Returns a text that IEngineInspector shows; null, the default, for none.
    virtual char const* getMetadataString() { return nullptr; }
};

/// What a run asks a plugin of the third generation. Since level 10.
class IPluginV3OneRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_RUNTIME", 1, 0}; }

    /// Selects one of the tactics of the build capability.
    /// \return 0; another number is an error code of the plugin
    virtual int32_t setTactic(int32_t /*tactic*/) { return 0; }

    /// Receives the shapes of the following runs.
    /// \return 0; another number is an error code of the plugin
    virtual int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* out,
                                  int32_t nbOutputs) = 0;

    /// Computes the outputs, or enqueues the work in `stream` and returns.
    /// \param inputDesc, outputDesc a description of each tensor, with all extents known except those of size tensors
    /// \param inputs, outputs an address of each tensor, in memory of the engine's device
    /// \param workspace getWorkspaceSize() bytes of undefined content
    /// \return 0; another number is an error code of the plugin and fails the run
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) = 0;

    /// Creates a clone for one execution context.
    /// \param context valid as long as the clone
    /// \return the clone, which the context owns; null on error
    virtual IPluginV3* attachToContext(IPluginResourceContext* context) = 0;

    /// Returns the fields from which the creator creates an equal plugin at run time. The plugin owns them; the engine
    /// copies them at once.
    virtual PluginFieldCollection const* getFieldsToSerialize() = 0;
};

/// Creates plugins of the third generation. REGISTER_TENSORRT_PLUGIN registers an object of it under its name, version
/// and namespace. Since level 10.
///
/// \note Owner: the application or plugin library. Keep it valid until it is deregistered or the process ends.
class IPluginCreatorV3One : public IPluginCreatorInterface {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN CREATOR_V3ONE", 1, 0}; }

    /// Creates a plugin for the layer `name`, with `new`.
    /// \param fc the fields of the node, or those of getFieldsToSerialize(); valid during the call only
    /// \param phase whether it is for a network or for an engine
    /// \return the plugin, which the caller owns; null if the fields are not valid
    virtual IPluginV3* createPlugin(char const* name, PluginFieldCollection const* fc, TensorRTPhase phase) = 0;

    /// Returns the fields that createPlugin() accepts: names, types and lengths; data may be null. The creator owns
    /// them.
    virtual PluginFieldCollection const* getFieldNames() = 0;

    /// The name that it is registered under, which is the operator's name in ONNX models. Never null; valid as long as
    /// the object.
    virtual char const* getPluginName() const = 0;
    /// Returns the version under which the creator is registered; never null.
    virtual char const* getPluginVersion() const = 0;
    /// Returns the namespace under which the creator is registered if registerCreator() receives ""; "" for none, never
    /// null.
    virtual char const* getPluginNamespace() const = 0;
};

} // namespace v_1_0

using IPluginV3OneCore = v_1_0::IPluginV3OneCore;
using IPluginV3OneBuild = v_1_0::IPluginV3OneBuild;
using IPluginV3OneRuntime = v_1_0::IPluginV3OneRuntime;
using IPluginCreatorV3One = v_1_0::IPluginCreatorV3One;

namespace v_2_0 {

/// A build capability whose outputs may share the memory of inputs. Since level 10.
class IPluginV3OneBuild : public v_1_0::IPluginV3OneBuild {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 2, 0}; }

    /// Returns the input whose memory an output shares, of the same shape, type and format; -1, the default, for none.
    /// At most one output shares an input. Called only with PreviewFeature::kALIASED_PLUGIN_IO_10_03.
    ///
    /// The plugin writes in place. The engine copies the input before, if other layers read it afterwards or if it is a
    /// network input, unless the application sets one address for both.
    virtual int32_t getAliasedInput(int32_t /*outputIndex*/) { return -1; }
};

} // namespace v_2_0

using IPluginV3OneBuildV2 = v_2_0::IPluginV3OneBuild;

#endif // TENON_LEVEL >= 10

/// Registers a creator of class T when its library is loaded, and owns it.
template <typename T> class PluginRegistrar {
public:
    PluginRegistrar();

private:
    T instance{};
};

} // namespace nvinfer1

/// Returns the plugin registry of the process; never null. The symbol is Tenon's own, so that a plugin library cannot
/// register in another library of this API, and one that was built for another library fails to load with a clear name.
TENON_C_FUNCTION nvinfer1::IPluginRegistry* getPluginRegistry() noexcept __asm__("tenonGetPluginRegistry");

/// Returns the logger of the builder, runtime or parser that was created last and still exists; null if there is none.
TENON_C_FUNCTION nvinfer1::ILogger* getLogger() noexcept __asm__("tenonGetLogger");

template <typename T> inline nvinfer1::PluginRegistrar<T>::PluginRegistrar() {
    getPluginRegistry()->registerCreator(instance, "");
}

/// Registers the creator class `name` in namespace "" when the library that contains this line is loaded.
#define REGISTER_TENSORRT_PLUGIN(name)                                                                                 \
    static nvinfer1::PluginRegistrar<name> pluginRegistrar##name {}

#include "tenon/api/runtime.h"

#endif // NV_INFER_RUNTIME_H

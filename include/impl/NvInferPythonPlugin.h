// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The third generation of plugins as the Python API needs it: all combinations of formats at once instead of one
/// question each, strides instead of a workspace, and kernels compiled ahead of time. From level 10 on.
#ifndef TRT_PYTHON_IMPL_PLUGIN_H
#define TRT_PYTHON_IMPL_PLUGIN_H

#include "NvInferRuntime.h"

#if TENON_LEVEL >= 10

namespace nvinfer1 {

/// What kind of value an extra argument of a kernel is.
enum class PluginArgType : int32_t {
    kINT = 0, ///< An integer.
};

/// The size of such a value.
enum class PluginArgDataType : int32_t {
    kINT8 = 0,
    kINT16 = 1,
    kINT32 = 2,
};

/// Which kind of plugin a creator is asked for, where it can make both.
enum class QuickPluginCreationRequest : int32_t {
    kUNKNOWN = 0,    ///< Nothing was said.
    kPREFER_JIT = 1, ///< Rather one that runs Python code.
    kPREFER_AOT = 2, ///< Rather one whose kernels are compiled ahead of time.
    kSTRICT_JIT = 3, ///< Only one that runs Python code.
    kSTRICT_AOT = 4, ///< Only one whose kernels are compiled ahead of time.
};

namespace impl {
template <> struct EnumMaxImpl<PluginArgType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginArgType::kINT);
};
template <> struct EnumMaxImpl<PluginArgDataType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(PluginArgDataType::kINT32);
};
template <> struct EnumMaxImpl<QuickPluginCreationRequest> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(QuickPluginCreationRequest::kSTRICT_AOT);
};
} // namespace impl

/// A number that may depend on the shapes of the inputs. Implemented by whoever makes one, who keeps owning it.
class ISymExpr {
public:
    virtual ~ISymExpr() = default;

    /// kINT: there are no others. Asked when the engine is built.
    virtual PluginArgType getType() const = 0;
    /// The size that the kernel reads the argument in; not asked of what says how it is started.
    virtual PluginArgDataType getDataType() const = 0;

    /// The expression itself: an IDimensionExpr.
    virtual void* getExpr() = 0;
};

/// The extra arguments of a kernel. Made and owned by the engine.
class ISymExprs : public INoCopy {
public:
    /// Returns an argument; null if it is not set or out of range.
    virtual ISymExpr* getSymExpr(int32_t index) const noexcept = 0;

    /// Sets an argument, which the caller keeps owning.
    /// \return false if the index is out of range
    virtual bool setSymExpr(int32_t index, ISymExpr* symExpr) noexcept = 0;

    /// Returns the number of arguments; 0 unless set.
    virtual int32_t getNbSymExprs() const noexcept = 0;

    /// Sets the number of arguments.
    /// \return false for a negative number
    virtual bool setNbSymExprs(int32_t count) noexcept = 0;

protected:
    ~ISymExprs() override = default;
};

/// How many threads a kernel is started with. Made and owned by the engine; the expressions stay the caller's.
class IKernelLaunchParams : public INoCopy {
public:
    // Blocks in the grid.
    /// Blocks in the grid along the first axis; null unless set, which counts as 1.
    virtual ISymExpr* getGridX() noexcept = 0;
    /// Sets what getGridX() answers with; it stays the plugin's, and is read when getLaunchParams() has returned.
    /// \return false for null
    virtual bool setGridX(ISymExpr* gridX) noexcept = 0;
    /// Blocks in the grid along the second axis; null unless set, which counts as 1.
    virtual ISymExpr* getGridY() noexcept = 0;
    /// Sets what getGridY() answers with. \return false for null
    virtual bool setGridY(ISymExpr* gridY) noexcept = 0;
    /// Blocks in the grid along the third axis; null unless set, which counts as 1.
    virtual ISymExpr* getGridZ() noexcept = 0;
    /// Sets what getGridZ() answers with. \return false for null
    virtual bool setGridZ(ISymExpr* gridZ) noexcept = 0;

    // Threads in a block.
    /// Threads in a block along the first axis; null unless set, which counts as 1.
    virtual ISymExpr* getBlockX() noexcept = 0;
    /// Sets what getBlockX() answers with. \return false for null
    virtual bool setBlockX(ISymExpr* blockX) noexcept = 0;
    /// Threads in a block along the second axis; null unless set, which counts as 1.
    virtual ISymExpr* getBlockY() noexcept = 0;
    /// Sets what getBlockY() answers with. \return false for null
    virtual bool setBlockY(ISymExpr* blockY) noexcept = 0;
    /// Threads in a block along the third axis; null unless set, which counts as 1.
    virtual ISymExpr* getBlockZ() noexcept = 0;
    /// Sets what getBlockZ() answers with. \return false for null
    virtual bool setBlockZ(ISymExpr* blockZ) noexcept = 0;

    // Bytes of memory that a block shares.
    /// Bytes of memory that a block shares, beyond what the kernel's code declares; null unless set, which counts as 0.
    virtual ISymExpr* getSharedMem() noexcept = 0;
    /// Sets what getSharedMem() answers with. \return false for null
    virtual bool setSharedMem(ISymExpr* sharedMem) noexcept = 0;

protected:
    ~IKernelLaunchParams() override = default;
};

namespace v_1_0 {

/// Who a plugin is.
class IPluginV3QuickCore : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3QUICK_CORE", 1, 0}; }

    /// The name that its creator is registered under, by which the creator is found again when an engine is loaded.
    /// Never null; valid as long as the object.
    virtual char const* getPluginName() const = 0;
    /// The version beside the name; never null.
    virtual char const* getPluginVersion() const = 0;
    /// The namespace of the creator; never null. What a creator makes must have the creator's name, version and
    /// namespace, or the build fails.
    virtual char const* getPluginNamespace() const = 0;
};

/// What has to be known of a plugin to build an engine with it. Methods that return int32_t without saying more return
/// 0, or an error code of the plugin's own, which fails the build.
class IPluginV3QuickBuild : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3QUICK_BUILD", 1, 0}; }

    /// Sets `outputTypes[0 .. nbOutputs)` for the given types and ranks of the inputs.
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                                       int32_t const* inputRanks, int32_t nbInputs) const = 0;

    /// Sets `outputs[0 .. nbOutputs)` to expressions in the extents of the inputs.
    /// \param shapeInputs the *values* of the inputs that are shape tensors
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                                    int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                                    IExprBuilder& exprBuilder) = 0;

    /// Tells what was decided, with the range of each shape.
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                    DynamicPluginTensorDesc const* out, int32_t nbOutputs) = 0;

    /// How many combinations getSupportedFormatCombinations() will write.
    virtual int32_t getNbSupportedFormatCombinations(DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                                     int32_t nbOutputs) = 0;

    /// Writes the combinations one behind the other: for each, `nbInputs + nbOutputs` types and formats.
    virtual int32_t getSupportedFormatCombinations(DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                                   int32_t nbOutputs, PluginTensorDesc* supportedCombinations,
                                                   int32_t nbFormatCombinations) = 0;

    /// Returns the number of outputs; at least 1.
    virtual int32_t getNbOutputs() const = 0;

    /// The input that output `outputIndex` shares its memory with; -1 for none.
    virtual int32_t getAliasedInput(int32_t /*outputIndex*/) { return -1; }

    /// Sets `tactics[0 .. nbTactics)` to the plugin's ways to compute what was configured: positive and unique.
    virtual int32_t getValidTactics(int32_t* /*tactics*/, int32_t /*nbTactics*/) { return 0; }

    /// Returns the number of tactics; 0, the default, means one tactic with number 0.
    virtual int32_t getNbTactics() { return 0; }

    /// Returns a text for what the time of a tactic depends on besides shapes, types and formats. Null, the default:
    /// times are not cached.
    virtual char const* getTimingCacheID() { return nullptr; }

    /// Returns a text that IEngineInspector shows; null, the default, for none.
    virtual char const* getMetadataString() { return nullptr; }
};

/// A build capability that gives a compiled kernel, so that the engine runs without Python.
class IPluginV3QuickAOTBuild : public IPluginV3QuickBuild {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3QUICKAOT_BUILD", 1, 0}; }

    /// Sets how the kernel is started and which arguments it gets behind the tensors.
    virtual int32_t getLaunchParams(DimsExprs const* inputs, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                    int32_t nbOutputs, IKernelLaunchParams* launchParams, ISymExprs* extraArgs,
                                    IExprBuilder& exprBuilder) = 0;

    /// Sets the name and the code, PTX or cubin, of the kernel for these types and formats. The plugin owns both.
    virtual int32_t getKernel(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* out,
                              int32_t nbOutputs, char const** kernelName, char** compiledKernel,
                              int32_t* compiledKernelSize) = 0;

    /// Chooses the tactic that the two methods above speak of. \return 0, or an error code
    virtual int32_t setTactic(int32_t /*tactic*/) { return 0; }
};

/// What has to be known of a plugin to run it.
class IPluginV3QuickRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN_V3QUICK_RUNTIME", 1, 0}; }

    /// Chooses one of the tactics that the build capability named. \return 0, or an error code
    virtual int32_t setTactic(int32_t /*tactic*/) { return 0; }

    /// Computes, or puts that work on `stream` and returns.
    /// \param inputStrides, outputStrides for each tensor, how many elements lie between two neighbours on each axis
    /// \return 0, or an error code of the plugin's own, which fails the execution
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, Dims const* inputStrides,
                            Dims const* outputStrides, int32_t nbInputs, int32_t nbOutputs, cudaStream_t stream) = 0;

    /// What a creator needs to make an equal plugin at run time. The plugin keeps owning it; it is copied at once.
    virtual PluginFieldCollection const* getFieldsToSerialize() = 0;
};

/// Makes such plugins.
class IPluginCreatorV3Quick : public IPluginCreatorInterface {
public:
    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"PLUGIN CREATOR_V3QUICK", 1, 0}; }

    /// A plugin made with `new`, for a layer called `name`. Classes written for API 10.6 to 10.8 override the form
    /// without the last parameter, at the end, instead.
    /// \param nspace the namespace of the operator in Python
    /// \param fc the fields of the node, or those of getFieldsToSerialize(); valid during the call only
    /// \return null where the fields do not make sense
#if TENON_LEVEL >= 11
    virtual IPluginV3* createPlugin(char const* name, char const* nspace, PluginFieldCollection const* fc,
                                    TensorRTPhase phase, QuickPluginCreationRequest quickPluginCreationRequest) = 0;
#else
    TENON_LEVELED virtual IPluginV3* createPlugin(char const* name, char const* nspace, PluginFieldCollection const* fc,
                                                  TensorRTPhase phase,
                                                  QuickPluginCreationRequest /*quickPluginCreationRequest*/) {
        return createPlugin(name, nspace, fc, phase);
    }
#endif

    /// The fields that createPlugin() takes: names, types, lengths; data may be null. The creator owns the answer.
    virtual PluginFieldCollection const* getFieldNames() = 0;

    /// The name that it is registered under; never null, valid as long as the object.
    virtual char const* getPluginName() const = 0;
    /// The version that it is registered under; never null.
    virtual char const* getPluginVersion() const = 0;
    /// The namespace that it is registered under where registerCreator() is given ""; never null.
    virtual char const* getPluginNamespace() const = 0;

    /// createPlugin() as API 10.6 to 10.8 had it. The engine calls the other, which calls this one unless overridden.
    TENON_LEVELED virtual IPluginV3* TENON_UNTIL_10(createPlugin)(char const* /*name*/, char const* /*nspace*/,
                                                                  PluginFieldCollection const* /*fc*/,
                                                                  TensorRTPhase /*phase*/) {
        return nullptr;
    }
};

} // namespace v_1_0

using IPluginV3QuickCore = v_1_0::IPluginV3QuickCore;
using IPluginV3QuickBuild = v_1_0::IPluginV3QuickBuild;
using IPluginV3QuickAOTBuild = v_1_0::IPluginV3QuickAOTBuild;
using IPluginV3QuickRuntime = v_1_0::IPluginV3QuickRuntime;
using IPluginCreatorV3Quick = v_1_0::IPluginCreatorV3Quick;

} // namespace nvinfer1

#endif

#endif // TRT_PYTHON_IMPL_PLUGIN_H

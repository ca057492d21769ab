// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Engines: networks that are ready to run.
#ifndef TENON_API_ENGINE_H
#define TENON_API_ENGINE_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/context.h"
#include "tenon/api/host_memory.h"
#include "tenon/api/inspector.h"
#include "tenon/api/profile.h"
#include "tenon/api/renumbered.h"

namespace nvinfer1 {

/// The runtime that an engine is built for; IBuilderConfig::setEngineCapability(). Only kSTANDARD is supported.
enum class EngineCapability : int32_t {
#if TENON_LEVEL < 10
    kDEFAULT = 0,  ///< Earlier name of kSTANDARD.
    kSAFE_GPU = 1, ///< Earlier name of kSAFETY.
    kSAFE_DLA = 2, ///< Earlier name of kDLA_STANDALONE.
#endif
#if TENON_LEVEL >= 8
    kSTANDARD = 0,       ///< The runtime of this library.
    kSAFETY = 1,         ///< A safety runtime. Not supported: the build fails.
    kDLA_STANDALONE = 2, ///< A DLA without the runtime. Not supported: the build fails.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<EngineCapability> {
#if TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(EngineCapability::kDLA_STANDALONE);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(EngineCapability::kSAFE_DLA);
#endif
};
} // namespace impl

/// The role of a named tensor in an engine. Since level 8.
enum class TENON_FROM_8(TensorIOMode) : int32_t {
    kNONE = 0,   ///< Neither input nor output.
    kINPUT = 1,  ///< Input.
    kOUTPUT = 2, ///< Output.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(TensorIOMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(TensorIOMode)::kOUTPUT);
};
} // namespace impl

/// The hardware on which an engine must run; IBuilderConfig::setHardwareCompatibilityLevel(). Without effect: every
/// engine runs on other hardware too. Since level 8.
enum class TENON_FROM_8(HardwareCompatibilityLevel) : int32_t {
    kNONE = 0,        ///< The device of the build.
    kAMPERE_PLUS = 1, ///< GPUs of compute capability 8.0 or higher.
#if TENON_LEVEL >= 10
    kSAME_COMPUTE_CAPABILITY = 2, ///< GPUs of the compute capability of the build.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(HardwareCompatibilityLevel)> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(HardwareCompatibilityLevel::kSAME_COMPUTE_CAPABILITY);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(HardwareCompatibilityLevel)::kAMPERE_PLUS);
#endif
};
} // namespace impl

/// The time at which a context allocates its scratch memory. Since level 10.
enum class TENON_FROM_10(ExecutionContextAllocationStrategy) : int32_t {
    kSTATIC = 0,            ///< When a run first needs more than the context has.
    kON_PROFILE_CHANGE = 1, ///< As kSTATIC: both allocate what the shapes need.
    kUSER_MANAGED = 2,      ///< Never: the application sets it, IExecutionContext::setDeviceMemoryV2().
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(ExecutionContextAllocationStrategy)> {
    static constexpr int32_t kVALUE =
        tenonAbi::countOf(TENON_FROM_10(ExecutionContextAllocationStrategy)::kUSER_MANAGED);
};
} // namespace impl

/// Options of ICudaEngine::serializeWithConfig(). Since level 8.
enum class TENON_FROM_8(SerializationFlag) : int32_t {
    kEXCLUDE_WEIGHTS = 0,      ///< Omits refittable weights, as BuilderFlag::kSTRIP_PLAN.
    kEXCLUDE_LEAN_RUNTIME = 1, ///< Without effect: no engine contains a runtime.
#if TENON_LEVEL >= 10
    kINCLUDE_REFIT = 2, ///< Without effect: the result is refittable if the engine is.
#endif
};
using TENON_FROM_8(SerializationFlags) = uint32_t; ///< One bit for each SerializationFlag.

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(SerializationFlag)> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(SerializationFlag::kINCLUDE_REFIT);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(SerializationFlag)::kEXCLUDE_LEAN_RUNTIME);
#endif
};
} // namespace impl

/// A number that ICudaEngine::getEngineStat() returns. Since level 10.
enum class TENON_FROM_10(EngineStat) : int32_t {
    kTOTAL_WEIGHTS_SIZE = 0,    ///< Bytes of all weights.
    kSTRIPPED_WEIGHTS_SIZE = 1, ///< Always -1.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(EngineStat)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(EngineStat)::kSTRIPPED_WEIGHTS_SIZE);
};
} // namespace impl

/// Options of ICudaEngine::serializeWithConfig(). ICudaEngine::createSerializationConfig() makes it. Since level 8.
///
/// \note Owner: the application deletes it.
class TENON_FROM_8(ISerializationConfig) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_8(ISerializationConfig)() override = default;

    /// Sets all flags: bits that are not in the mask are cleared. Only kEXCLUDE_WEIGHTS has an effect.
    /// \return false, and an error in the log, for a bit that is not a flag
    virtual bool setFlags(TENON_FROM_8(SerializationFlags) serializationFlags) noexcept = 0;
    /// Returns the flags; 0 unless set.
    virtual TENON_FROM_8(SerializationFlags) getFlags() const noexcept = 0;
    /// Clears one flag.
    /// \return false, and an error in the log, for a number that is not a flag
    virtual bool clearFlag(TENON_FROM_8(SerializationFlag) serializationFlag) noexcept = 0;
    /// Sets one flag.
    /// \return false, and an error in the log, for a number that is not a flag
    virtual bool setFlag(TENON_FROM_8(SerializationFlag) serializationFlag) noexcept = 0;
    /// Returns whether the flag is set.
    virtual bool getFlag(TENON_FROM_8(SerializationFlag) serializationFlag) const noexcept = 0;
};

/// How ICudaEngine::createExecutionContext() makes contexts. ICudaEngine::createRuntimeConfig() makes it. Since level
/// 10.
///
/// \note Owner: the application deletes it; contexts do not refer to it.
class TENON_FROM_10(IRuntimeConfig) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_10(IRuntimeConfig)() override = default;

    /// Sets when contexts allocate their scratch memory, or that the application provides it.
    virtual void setExecutionContextAllocationStrategy(TENON_FROM_10(ExecutionContextAllocationStrategy)
                                                           strategy) noexcept = 0;
    /// Returns the allocation strategy; kSTATIC unless set.
    virtual TENON_FROM_10(ExecutionContextAllocationStrategy)
        getExecutionContextAllocationStrategy() const noexcept = 0;
};

/// An engine: kernels, formats and packed weights of a network. IRuntime::deserializeCudaEngine() or
/// IBuilder::buildEngineWithConfig() makes it.
///
/// Methods that take the name of a tensor report an unknown name as an error, which lists the names that exist.
///
/// \note Owner: the application deletes it, after its inspectors and before the runtime. Contexts stay valid if it is
/// deleted before them.
/// \note Thread: any, several at once, except that setErrorRecorder() and the weight streaming budget are set while
/// nothing else uses the engine.
class ICudaEngine : public tenonAbi::INoCopy {
public:
    ~ICudaEngine() override = default;

    /// Returns the number of layers that the engine runs: after fusion, and with the copies between types and formats.
    virtual int32_t getNbLayers() const noexcept = 0;
    /// Serializes the engine for IRuntime::deserializeCudaEngine(), on this machine or another.
    /// \return the bytes, which the caller deletes; null on error
    virtual IHostMemory* serialize() const noexcept = 0;
    /// Returns whether an IRefitter can set weights: whether it was built with BuilderFlag::kREFIT, kREFIT_IDENTICAL,
    /// kREFIT_INDIVIDUAL or kSTRIP_PLAN.
    virtual bool isRefittable() const noexcept = 0;
    /// Returns the name of INetworkDefinition::setName(); never null. Valid as long as the engine.
    virtual char const* getName() const noexcept = 0;
    /// Returns the number of profiles; at least 1. An engine that was built without profiles has one without ranges.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;
    /// Returns kSTANDARD.
    virtual EngineCapability getEngineCapability() const noexcept = 0;
    /// Sets the error recorder of the engine and of contexts that it makes afterwards; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; initially that of the runtime or builder that made the engine.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
#if TENON_LEVEL <= 10
    /// Returns whether the network has an implicit batch. Always false from level 10 on: there the batch is the first
    /// axis of each tensor.
    TENON_LEVELED bool hasImplicitBatchDimension() const noexcept {
        return TENON_LEVEL < 10 && hasImplicitBatchDimension_();
    }
#endif
    /// Returns the verbosity of IBuilderConfig::setProfilingVerbosity() in the build. Since level 8.
    virtual ProfilingVerbosity TENON_FROM_8(getProfilingVerbosity)() const noexcept = 0;
    /// Creates an object that describes the layers as text or JSON. Since level 8.
    /// \return the inspector, which the caller deletes; null on error
    virtual TENON_FROM_8(IEngineInspector) * TENON_FROM_8(createEngineInspector)() const noexcept = 0;

    /// Returns the number of inputs and outputs. Since level 8.
    virtual int32_t TENON_FROM_8(getNbIOTensors)() const noexcept = 0;
    /// Returns the name of an input or output. Since level 8.
    /// \param index 0 to getNbIOTensors() - 1: inputs, then outputs, each in the order of the network
    /// \return the name, valid as long as the engine; null if `index` is out of range
    virtual char const* TENON_FROM_8(getIOTensorName)(int32_t index) const noexcept = 0;
    /// Returns the element type in which the application passes the tensor. Since level 8.
    /// \return kFLOAT, and an error in the log, for an unknown name
    virtual DataType TENON_FROM_8(getTensorDataType)(char const* tensorName) const noexcept = 0;
    /// Returns the memory in which the application passes the tensor: kHOST for shape tensors. Since level 8.
    /// \return kDEVICE, and an error in the log, for an unknown name
    virtual TensorLocation TENON_FROM_8(getTensorLocation)(char const* tensorName) const noexcept = 0;
    /// Returns whether the tensor is an input whose values determine shapes, or an output that is computed with the
    /// shapes. Since level 8.
    virtual bool TENON_FROM_8(isShapeInferenceIO)(char const* tensorName) const noexcept = 0;
    /// Returns whether the tensor is an input or an output; kNONE, without an error, for an unknown name. Since level
    /// 8.
    virtual TENON_FROM_8(TensorIOMode) TENON_FROM_8(getTensorIOMode)(char const* tensorName) const noexcept = 0;
    /// Returns the bytes of one element if the format has a vectorized axis; else -1. Since level 8.
    virtual int32_t TENON_FROM_8(getTensorBytesPerComponent)(char const* tensorName) const noexcept = 0;
    /// Returns the block size of the vectorized axis, such as 32 for kCHW32; -1 if the format has none. Since level 8.
    virtual int32_t TENON_FROM_8(getTensorComponentsPerElement)(char const* tensorName) const noexcept = 0;
    /// Returns the memory layout that the build chose among ITensor::setAllowedFormats(); kLINEAR if no formats were
    /// set. Since level 8.
    /// \return kLINEAR, and an error in the log, for an unknown name
    virtual TensorFormat TENON_FROM_8(getTensorFormat)(char const* tensorName) const noexcept = 0;
    /// Returns a description of type and layout. Since level 8.
    /// \return a text, valid as long as the engine; "", and an error in the log, for an unknown name
    virtual char const* TENON_FROM_8(getTensorFormatDesc)(char const* tensorName) const noexcept = 0;
    /// Returns the index of the vectorized axis; -1 if the format has none. Since level 10, see below for level 8.
    virtual int32_t TENON_FROM_10(getTensorVectorizedDim)(char const* tensorName) const noexcept = 0;
    // Overloads for a profile. Formats are those of all profiles, so profileIndex is ignored.
    /// Returns getTensorBytesPerComponent(tensorName); profileIndex is ignored. Since level 8.
    virtual int32_t TENON_FROM_8(getTensorBytesPerComponent)(char const* tensorName,
                                                             int32_t profileIndex) const noexcept = 0;
    /// Returns getTensorComponentsPerElement(tensorName); profileIndex is ignored. Since level 8.
    virtual int32_t TENON_FROM_8(getTensorComponentsPerElement)(char const* tensorName,
                                                                int32_t profileIndex) const noexcept = 0;
    /// Returns getTensorFormat(tensorName); profileIndex is ignored. Since level 8.
    virtual TensorFormat TENON_FROM_8(getTensorFormat)(char const* tensorName, int32_t profileIndex) const noexcept = 0;
    /// Returns getTensorFormatDesc(tensorName); profileIndex is ignored. Since level 8.
    virtual char const* TENON_FROM_8(getTensorFormatDesc)(char const* tensorName,
                                                          int32_t profileIndex) const noexcept = 0;
    /// Returns getTensorVectorizedDim(tensorName); profileIndex is ignored. Since level 10.
    virtual int32_t TENON_FROM_10(getTensorVectorizedDim)(char const* tensorName,
                                                          int32_t profileIndex) const noexcept = 0;

    /// Returns kNONE: an engine adapts to the device on which it is loaded, whatever it was built on. Since level 8.
    virtual TENON_FROM_8(HardwareCompatibilityLevel) TENON_FROM_8(getHardwareCompatibilityLevel)() const noexcept = 0;
    /// Returns the number of streams that a run uses besides its own, at most that of
    /// IBuilderConfig::setMaxAuxStreams(); 0 on a CPU. Since level 8.
    virtual int32_t TENON_FROM_8(getNbAuxStreams)() const noexcept = 0;
    /// Creates a serialization configuration without flags. Since level 8.
    /// \return the configuration, which the caller deletes; null on error
    virtual TENON_FROM_8(ISerializationConfig) * TENON_FROM_8(createSerializationConfig)() noexcept = 0;
    /// Serializes the engine as the flags say. Since level 8.
    /// \return the bytes, which the caller deletes; null on error, such as kEXCLUDE_WEIGHTS for an engine that is not
    /// refittable
    virtual IHostMemory* TENON_FROM_8(serializeWithConfig)(TENON_FROM_8(ISerializationConfig) &
                                                           config) const noexcept = 0;

    /// Creates a context. Its plugins are those of the engine or clones, attached to the context.
    /// \param strategy since level 10: when scratch memory is allocated, or that the application provides it
    /// \return the context, which the caller deletes; null on error, as for a stripped engine whose weights are missing
    virtual IExecutionContext*
        createExecutionContext(TENON_FROM_10(ExecutionContextAllocationStrategy)
                                   strategy = TENON_FROM_10(ExecutionContextAllocationStrategy)::kSTATIC) noexcept = 0;
    /// Creates a context without scratch memory, as kUSER_MANAGED: set it with IExecutionContext::setDeviceMemory(). Up
    /// to level 10.
    /// \return the context, which the caller deletes; null on error
    virtual IExecutionContext* TENON_UNTIL_10(createExecutionContextWithoutDeviceMemory)() noexcept = 0;
    /// Creates a context as a configuration says. Since level 10.
    /// \param runtimeConfig null: kSTATIC
    /// \return the context, which the caller deletes; null on error
    virtual IExecutionContext* createExecutionContext(TENON_FROM_10(IRuntimeConfig) * runtimeConfig) noexcept = 0;
    /// Creates a configuration for contexts, with kSTATIC. Since level 10.
    /// \return the configuration, which the caller deletes; null on error
    virtual TENON_FROM_10(IRuntimeConfig) * TENON_FROM_10(createRuntimeConfig)() noexcept = 0;

    /// Returns the scratch memory of one context in bytes, the largest of all profiles. Up to level 10.
    virtual std::size_t TENON_UNTIL_10(getDeviceMemorySize)() const noexcept = 0;
    /// Returns the scratch memory of one context for the largest shapes of a profile, in bytes. Level 10 only.
    /// \return 0, and an error in the log, if the index is out of range
    virtual std::size_t TENON_ONLY_10(getDeviceMemorySizeForProfile)(int32_t profileIndex) const noexcept = 0;
    /// Returns the scratch memory of one context in bytes, the largest of all profiles: the size for
    /// IExecutionContext::setDeviceMemoryV2() that is enough in any case. Since level 10.
    virtual int64_t TENON_FROM_10(getDeviceMemorySizeV2)() const noexcept = 0;
    /// Returns the scratch memory of one context for the largest shapes of a profile, in bytes. Since level 10.
    /// \return 0, and an error in the log, if the index is out of range
    virtual int64_t TENON_FROM_10(getDeviceMemorySizeForProfileV2)(int32_t profileIndex) const noexcept = 0;

    /// Returns a bound of the values of an input that is a shape tensor, truncated to 32 bits. Level 10 only.
    /// \return an array valid as long as the engine; null if the profile has no bounds for the input
    virtual int32_t const* TENON_ONLY_10(getProfileTensorValues)(char const* tensorName, int32_t profileIndex,
                                                                 OptProfileSelector select) const noexcept = 0;
    /// Returns a bound of the values of an input that is a shape tensor. Since level 10.
    /// \return an array valid as long as the engine; null if the profile has no bounds for the input
    virtual int64_t const* TENON_FROM_10(getProfileTensorValuesV2)(char const* tensorName, int32_t profileIndex,
                                                                   OptProfileSelector select) const noexcept = 0;

    /// Sets the budget as API 10.0 defines it: it includes the memory of one context for streamed weights. Level 10
    /// only.
    /// \param gpuMemoryBudget bytes; 0: no limit; -1: as much as the device has room for; at least
    /// getMinimumWeightStreamingBudget() otherwise
    /// \return false, and an error in the log, if the budget is too small or the engine was built without
    /// BuilderFlag::kWEIGHT_STREAMING
    virtual bool TENON_ONLY_10(setWeightStreamingBudget)(int64_t gpuMemoryBudget) noexcept = 0;
    /// Returns the budget of setWeightStreamingBudget() in bytes, also if -1 chose it; 0 if nothing is streamed. Level
    /// 10 only.
    virtual int64_t TENON_ONLY_10(getWeightStreamingBudget)() const noexcept = 0;
    /// Returns the smallest budget that setWeightStreamingBudget() accepts, in bytes; 0 if nothing can be streamed.
    /// Level 10 only.
    virtual int64_t TENON_ONLY_10(getMinimumWeightStreamingBudget)() const noexcept = 0;
    /// Returns the bytes of the weights that can be streamed: those of layers with 64 KiB or more; 0 without
    /// BuilderFlag::kWEIGHT_STREAMING, and for a stripped engine before its refit. Since level 10.
    virtual int64_t TENON_FROM_10(getStreamableWeightsSize)() const noexcept = 0;
    /// Sets how many bytes of weights stay on the device; runs copy the others from host memory. No effect on a CPU.
    /// Since level 10.
    /// \param gpuMemoryBudget 0 or more; getStreamableWeightsSize() or more keeps all weights on the device
    /// \pre no context runs. CUDA graphs that were captured before must be captured again
    /// \return false, and an error in the log, for a negative budget or without BuilderFlag::kWEIGHT_STREAMING
    virtual bool TENON_FROM_10(setWeightStreamingBudgetV2)(int64_t gpuMemoryBudget) noexcept = 0;
    /// Returns the budget in bytes; getStreamableWeightsSize() if nothing is streamed. Since level 10.
    virtual int64_t TENON_FROM_10(getWeightStreamingBudgetV2)() const noexcept = 0;
    /// Returns a budget in bytes for which the device currently has room, with one context at its largest shapes. Since
    /// level 10.
    virtual int64_t TENON_FROM_10(getWeightStreamingAutomaticBudget)() const noexcept = 0;
    /// Returns the bytes that each context allocates on the device for streamed weights. They are not part of
    /// getDeviceMemorySizeV2(). Since level 10.
    virtual int64_t TENON_FROM_10(getWeightStreamingScratchMemorySize)() const noexcept = 0;

    /// Returns whether the engine computes a tensor of this name that INetworkDefinition::markDebug() marked. Since
    /// level 10.
    virtual bool TENON_FROM_10(isDebugTensor)(char const* name) const noexcept = 0;
    /// Returns a statistic of the engine: the bytes of all weights for kTOTAL_WEIGHTS_SIZE, -1 for others. Since level
    /// 10.
    virtual int64_t TENON_FROM_10(getEngineStat)(TENON_FROM_10(EngineStat) stat) const noexcept = 0;
    /// Returns the input whose memory an output shares: the cache of an IKVCacheUpdateLayer. Since level 10.
    /// \return null for other outputs and for inputs
    virtual char const* TENON_FROM_10(getAliasedInputTensor)(char const* tensorName) const noexcept = 0;

#if TENON_LEVEL >= 8
    /// Returns the shape of an input or output; -1 for a dimension that profiles determine. Up to level 8 without an
    /// implicit batch. Since level 8.
    /// \return nbDims -1, and an error in the log, for an unknown name
    TENON_LEVELED Dims getTensorShape(char const* tensorName) const noexcept {
#if TENON_LEVEL < 10
        if (hasImplicitBatchDimension()) {
            return tenonAbi::dimsBehindBatch(getTensorShape_(tensorName));
        }
#endif
        return tenonAbi::dims(getTensorShape_(tensorName));
    }
    /// Returns a bound of the shape of an input in a profile; the shape in the network if the profile has no range for
    /// it. Since level 8.
    /// \return nbDims -1, and an error in the log, for an output, an unknown name or an index out of range
    TENON_LEVELED Dims getProfileShape(char const* tensorName, int32_t profileIndex,
                                       OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getProfileShape_(tensorName, profileIndex, select));
    }
#if TENON_LEVEL < 10
    /// Returns the index of the vectorized axis in getTensorShape(); -1 if the format has none. Level 8.
    TENON_LEVELED int32_t getTensorVectorizedDim(char const* tensorName) const noexcept {
        int32_t const axis = getTensorVectorizedDim_(tensorName);
        return axis > 0 && hasImplicitBatchDimension() ? axis - 1 : axis;
    }
    /// Returns getTensorVectorizedDim(tensorName); the profile index is ignored. Level 8.
    TENON_LEVELED int32_t getTensorVectorizedDim(char const* tensorName, int32_t) const noexcept {
        return getTensorVectorizedDim(tensorName);
    }
#endif
    /// Returns the sources from which the engine has kernels: on a GPU kCUDNN and kCUBLAS_LT, if the level has them. A
    /// rebuild can exclude others with IBuilderConfig::setTacticSources(). Since level 8.
    TENON_LEVELED TacticSources getTacticSources() const noexcept {
        return tenonAbi::levelledBits<TacticSource>(getTacticSources_());
    }
#endif

#if TENON_LEVEL < 10
    /// \name Bindings
    /// Inputs and outputs by number: all of the first profile, then all of the next one. Numbers out of range are
    /// treated as unknown names. Dimensions of an engine with implicit batch do not include it. Up to level 8.
    /// \{
    /// Returns the number of inputs and outputs times the number of profiles.
    int32_t getNbBindings() const noexcept { return TENON_FROM_8(getNbIOTensors)() * getNbOptimizationProfiles(); }
    /// Returns the number of a binding; -1, without an error, for an unknown name.
    int32_t getBindingIndex(char const* name) const noexcept { return getBindingIndex_(name); }
    /// Returns the name of a binding: "x" in the first profile, "x [profile 1]" in the second.
    /// \return the name, valid as long as the engine; null if the number is out of range
    char const* getBindingName(int32_t bindingIndex) const noexcept { return getBindingName_(bindingIndex); }
    /// Returns whether the binding is an input; false if the number is out of range.
    bool bindingIsInput(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorIOMode)(tensorOf_(bindingIndex)) == TENON_FROM_8(TensorIOMode)::kINPUT;
    }
    /// Returns the shape in the profile of the binding; -1 for a dimension that the profile leaves open.
    /// \return nbDims -1 if the number is out of range
    TENON_LEVELED Dims getBindingDimensions(int32_t bindingIndex) const noexcept {
        return tenonAbi::dims(getBindingDimensions_(bindingIndex));
    }
    /// Returns the element type of the binding; see getTensorDataType().
    DataType getBindingDataType(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorDataType)(tensorOf_(bindingIndex));
    }
    /// Returns the memory in which the application passes the binding; see getTensorLocation().
    TensorLocation getLocation(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorLocation)(tensorOf_(bindingIndex));
    }
    /// Returns a bound of the shape of an input in a profile; see getProfileShape().
    TENON_LEVELED Dims getProfileDimensions(int32_t bindingIndex, int32_t profileIndex,
                                            OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getProfileDimensions_(bindingIndex, profileIndex, select));
    }
    /// Returns a bound of the values of an input that is a shape tensor; null if the profile has none.
    int32_t const* getProfileShapeValues(int32_t profileIndex, int32_t inputIndex,
                                         OptProfileSelector select) const noexcept {
        return TENON_ONLY_10(getProfileTensorValues)(tensorOf_(inputIndex), profileIndex, select);
    }
    /// Returns whether the values of the binding determine shapes, so that the application passes it in host memory.
    bool isShapeBinding(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(isShapeInferenceIO)(tensorOf_(bindingIndex));
    }
    /// Returns whether the application passes the binding in memory of the device.
    bool isExecutionBinding(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorLocation)(tensorOf_(bindingIndex)) == TensorLocation::kDEVICE;
    }
    /// Returns the bytes of one element; see getTensorBytesPerComponent().
    int32_t getBindingBytesPerComponent(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorBytesPerComponent)(tensorOf_(bindingIndex));
    }
    /// Returns the block size of the vectorized axis; see getTensorComponentsPerElement().
    int32_t getBindingComponentsPerElement(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorComponentsPerElement)(tensorOf_(bindingIndex));
    }
    /// Returns the memory layout of the binding; see getTensorFormat().
    TensorFormat getBindingFormat(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorFormat)(tensorOf_(bindingIndex));
    }
    /// Returns a description of type and layout; see getTensorFormatDesc().
    char const* getBindingFormatDesc(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorFormatDesc)(tensorOf_(bindingIndex));
    }
    /// Returns the index of the vectorized axis, not counting an implicit batch; -1 if the format has none.
    int32_t getBindingVectorizedDim(int32_t bindingIndex) const noexcept {
        int32_t const axis = getTensorVectorizedDim_(tensorOf_(bindingIndex));
        return axis > 0 && hasImplicitBatchDimension() ? axis - 1 : axis;
    }
    /// \}
    /// Returns the largest batch of an engine with implicit batch, as IBuilder::setMaxBatchSize() set it; 1 for others.
    /// Up to level 8.
    int32_t getMaxBatchSize() const noexcept { return getMaxBatchSize_(); }
    /// Deletes the engine, as `delete` does. Up to level 8.
    void destroy() noexcept { delete this; }
#endif
#if TENON_LEVEL <= 7
    /// Returns getDeviceMemorySize(). Level 7 only.
    std::size_t getWorkspaceSize() const noexcept { return getDeviceMemorySize(); }
#endif

protected:
    virtual tenonAbi::Dims64 getTensorShape_(char const* tensorName) const noexcept = 0;
    virtual tenonAbi::Dims64 getProfileShape_(char const* tensorName, int32_t profileIndex,
                                              OptProfileSelector select) const noexcept = 0;
    virtual uint64_t getTacticSources_() const noexcept = 0;
    virtual int32_t getBindingIndex_(char const* name) const noexcept = 0;
    virtual char const* getBindingName_(int32_t bindingIndex) const noexcept = 0;
    virtual tenonAbi::Dims64 getBindingDimensions_(int32_t bindingIndex) const noexcept = 0;
    virtual tenonAbi::Dims64 getProfileDimensions_(int32_t bindingIndex, int32_t profileIndex,
                                                   OptProfileSelector select) const noexcept = 0;
    virtual int32_t getMaxBatchSize_() const noexcept = 0;
    virtual bool hasImplicitBatchDimension_() const noexcept = 0;

#if TENON_LEVEL < 10
private:
    /// The input or output behind a binding; no name at all where it is out of range.
    char const* tensorOf_(int32_t bindingIndex) const noexcept {
        bool const exists = bindingIndex >= 0 && bindingIndex < getNbBindings();
        return exists ? TENON_FROM_8(getIOTensorName)(bindingIndex % TENON_FROM_8(getNbIOTensors)()) : "";
    }
#endif
};

TENON_LEVELED inline Dims IExecutionContext::shown_(tenonAbi::Dims64 const& dims) const noexcept {
#if TENON_LEVEL < 10
    if (getEngine().hasImplicitBatchDimension()) {
        return tenonAbi::dimsBehindBatch(dims);
    }
#endif
    return tenonAbi::dims(dims);
}

} // namespace nvinfer1

#endif

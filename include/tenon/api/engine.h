// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// An engine: a network that is ready to run.
#ifndef TENON_API_ENGINE_H
#define TENON_API_ENGINE_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/context.h"
#include "tenon/api/host_memory.h"
#include "tenon/api/inspector.h"
#include "tenon/api/profile.h"
#include "tenon/api/renumbered.h"

namespace nvinfer1 {

/// What an engine may be used for.
enum class EngineCapability : int32_t {
#if TENON_LEVEL < 10
    kDEFAULT = 0,  ///< The earlier name of kSTANDARD.
    kSAFE_GPU = 1, ///< The earlier name of kSAFETY.
    kSAFE_DLA = 2, ///< The earlier name of kDLA_STANDALONE.
#endif
#if TENON_LEVEL >= 8
    kSTANDARD = 0,       ///< Everything.
    kSAFETY = 1,         ///< The safety runtime. Not supported.
    kDLA_STANDALONE = 2, ///< A DLA without the runtime. Not supported.
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

/// Whether a named tensor is an input or an output.
enum class TENON_FROM_8(TensorIOMode) : int32_t {
    kNONE = 0, ///< Neither.
    kINPUT = 1,
    kOUTPUT = 2,
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(TensorIOMode)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(TensorIOMode)::kOUTPUT);
};
} // namespace impl

/// On which hardware an engine shall run, at least; see IBuilderConfig::setHardwareCompatibilityLevel().
enum class TENON_FROM_8(HardwareCompatibilityLevel) : int32_t {
    kNONE = 0,        ///< The device that it was built on.
    kAMPERE_PLUS = 1, ///< GPUs of compute capability 8.0 and later.
#if TENON_LEVEL >= 10
    kSAME_COMPUTE_CAPABILITY = 2, ///< GPUs of the compute capability that it was built on.
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

/// When the scratch memory of a context is taken.
enum class TENON_FROM_10(ExecutionContextAllocationStrategy) : int32_t {
    kSTATIC = 0,            ///< When it first runs with shapes that need more than it has.
    kON_PROFILE_CHANGE = 1, ///< The same: both take what the shapes need.
    kUSER_MANAGED = 2,      ///< Never: the program gives it with `IExecutionContext::setDeviceMemoryV2()`.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(ExecutionContextAllocationStrategy)> {
    static constexpr int32_t kVALUE =
        tenonAbi::countOf(TENON_FROM_10(ExecutionContextAllocationStrategy)::kUSER_MANAGED);
};
} // namespace impl

/// What is left out of, or put into, a saved engine.
enum class TENON_FROM_8(SerializationFlag) : int32_t {
    kEXCLUDE_WEIGHTS = 0,      ///< Leaves out the weights that may be exchanged, as kSTRIP_PLAN.
    kEXCLUDE_LEAN_RUNTIME = 1, ///< No engine holds a runtime.
#if TENON_LEVEL >= 10
    kINCLUDE_REFIT = 2, ///< What is written can be refitted; it can in any case if the engine can.
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

/// A number that `ICudaEngine::getEngineStat()` tells.
enum class TENON_FROM_10(EngineStat) : int32_t {
    kTOTAL_WEIGHTS_SIZE = 0,    ///< Bytes of all weights.
    kSTRIPPED_WEIGHTS_SIZE = 1, ///< Bytes of weights that were left out; -1 where the engine is not stripped.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(EngineStat)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(EngineStat)::kSTRIPPED_WEIGHTS_SIZE);
};
} // namespace impl

/// How `ICudaEngine::serializeWithConfig()` saves.
class TENON_FROM_8(ISerializationConfig) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_8(ISerializationConfig)() override = default;

    /// Sets all flags at once; only kEXCLUDE_WEIGHTS has an effect.
    /// \return false for a bit that is no flag
    virtual bool setFlags(TENON_FROM_8(SerializationFlags) serializationFlags) noexcept = 0;
    /// What is set; none at first.
    virtual TENON_FROM_8(SerializationFlags) getFlags() const noexcept = 0;
    /// Takes back setFlag(). \return as setFlags()
    virtual bool clearFlag(TENON_FROM_8(SerializationFlag) serializationFlag) noexcept = 0;
    /// Adds one flag. \return as setFlags()
    virtual bool setFlag(TENON_FROM_8(SerializationFlag) serializationFlag) noexcept = 0;
    /// Whether the flag is set.
    virtual bool getFlag(TENON_FROM_8(SerializationFlag) serializationFlag) const noexcept = 0;
};

/// How `ICudaEngine::createExecutionContext()` makes a context.
class TENON_FROM_10(IRuntimeConfig) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_10(IRuntimeConfig)() override = default;

    /// When contexts take their scratch memory, or that the program gives it; kSTATIC unless set.
    virtual void setExecutionContextAllocationStrategy(TENON_FROM_10(ExecutionContextAllocationStrategy)
                                                           strategy) noexcept = 0;
    /// What setExecutionContextAllocationStrategy() set; kSTATIC unless set.
    virtual TENON_FROM_10(ExecutionContextAllocationStrategy)
        getExecutionContextAllocationStrategy() const noexcept = 0;
};

/// A network that is ready to run: kernels, formats and weights are decided. Made by an `IRuntime`; the receiver
/// deletes it after its contexts and inspectors, and before the runtime. May be used from any thread.
class ICudaEngine : public tenonAbi::INoCopy {
public:
    ~ICudaEngine() override = default;

    /// Layers as they run, after fusion, with the conversions of types and formats between them.
    virtual int32_t getNbLayers() const noexcept = 0;
    /// The engine as bytes, for IRuntime::deserializeCudaEngine() here or on another machine. The receiver deletes the
    /// result; null on error.
    virtual IHostMemory* serialize() const noexcept = 0;
    /// Whether an IRefitter can exchange weights of it.
    virtual bool isRefittable() const noexcept = 0;
    /// The name of the network, see INetworkDefinition::setName(); never null, valid as long as the engine.
    virtual char const* getName() const noexcept = 0;
    /// At least 1: an engine from a network without open dimensions has one that says nothing.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;
    /// kSTANDARD.
    virtual EngineCapability getEngineCapability() const noexcept = 0;
    /// Errors of this engine are kept there, beside the log. Contexts made from now on have it too. Null: none. Not
    /// owned; counted by incRefCount().
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// That of the runtime or builder which made the engine; else what setErrorRecorder() set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
#if TENON_LEVEL <= 10
    /// Whether the network left out the batch. From level 10 on never: the batch is the first axis of each tensor.
    TENON_LEVELED bool hasImplicitBatchDimension() const noexcept {
        return TENON_LEVEL < 10 && hasImplicitBatchDimension_();
    }
#endif
    /// What IBuilderConfig::setProfilingVerbosity() said when it was built; it decides how much an inspector tells.
    virtual ProfilingVerbosity TENON_FROM_8(getProfilingVerbosity)() const noexcept = 0;
    /// An object that describes the layers as text. The receiver deletes it; null on error.
    virtual TENON_FROM_8(IEngineInspector) * TENON_FROM_8(createEngineInspector)() const noexcept = 0;

    /// Inputs first, then outputs, each in the order in which the network got them.
    virtual int32_t TENON_FROM_8(getNbIOTensors)() const noexcept = 0;
    /// Null where `index` is out of range.
    virtual char const* TENON_FROM_8(getIOTensorName)(int32_t index) const noexcept = 0;
    /// kFLOAT, and an error, for a name that is no input or output.
    virtual DataType TENON_FROM_8(getTensorDataType)(char const* tensorName) const noexcept = 0;
    /// kHOST for shape tensors that are read from, or written to, the host.
    virtual TensorLocation TENON_FROM_8(getTensorLocation)(char const* tensorName) const noexcept = 0;
    /// Whether it is an input whose values decide shapes, or an output that the shape computation makes.
    virtual bool TENON_FROM_8(isShapeInferenceIO)(char const* tensorName) const noexcept = 0;
    /// kNONE for a name that is no input or output, which is no error.
    virtual TENON_FROM_8(TensorIOMode) TENON_FROM_8(getTensorIOMode)(char const* tensorName) const noexcept = 0;
    /// Bytes of one element; -1 where the format has no vectorized axis.
    virtual int32_t TENON_FROM_8(getTensorBytesPerComponent)(char const* tensorName) const noexcept = 0;
    /// Elements that lie together along the vectorized axis; -1 where the format has none.
    virtual int32_t TENON_FROM_8(getTensorComponentsPerElement)(char const* tensorName) const noexcept = 0;
    /// kLINEAR unless ITensor::setAllowedFormats() allowed others; and kLINEAR, with an error, for a name that is no
    /// input or output.
    virtual TensorFormat TENON_FROM_8(getTensorFormat)(char const* tensorName) const noexcept = 0;
    /// The format in words; "", and an error, for a name that is no input or output. Valid as long as the engine.
    virtual char const* TENON_FROM_8(getTensorFormatDesc)(char const* tensorName) const noexcept = 0;
    /// The vectorized axis; -1 where the format has none.
    virtual int32_t TENON_FROM_10(getTensorVectorizedDim)(char const* tensorName) const noexcept = 0;
    // The same for a certain profile.
    /// The same for a certain profile: formats are those of all profiles, so the number is not looked at.
    virtual int32_t TENON_FROM_8(getTensorBytesPerComponent)(char const* tensorName,
                                                             int32_t profileIndex) const noexcept = 0;
    /// The same for a certain profile, which is not looked at.
    virtual int32_t TENON_FROM_8(getTensorComponentsPerElement)(char const* tensorName,
                                                                int32_t profileIndex) const noexcept = 0;
    /// The same for a certain profile, which is not looked at.
    virtual TensorFormat TENON_FROM_8(getTensorFormat)(char const* tensorName, int32_t profileIndex) const noexcept = 0;
    /// The same for a certain profile, which is not looked at.
    virtual char const* TENON_FROM_8(getTensorFormatDesc)(char const* tensorName,
                                                          int32_t profileIndex) const noexcept = 0;
    /// The same for a certain profile, which is not looked at.
    virtual int32_t TENON_FROM_10(getTensorVectorizedDim)(char const* tensorName,
                                                          int32_t profileIndex) const noexcept = 0;

    /// kNONE: an engine makes itself ready for the device that it is opened on, whatever it was built on.
    virtual TENON_FROM_8(HardwareCompatibilityLevel) TENON_FROM_8(getHardwareCompatibilityLevel)() const noexcept = 0;
    /// How many streams a run uses beside its own, at most what IBuilderConfig::setMaxAuxStreams() allowed; 0 on a CPU.
    virtual int32_t TENON_FROM_8(getNbAuxStreams)() const noexcept = 0;
    /// Flags for serializeWithConfig(), none of them set. The receiver deletes it; null on error.
    virtual TENON_FROM_8(ISerializationConfig) * TENON_FROM_8(createSerializationConfig)() noexcept = 0;
    /// serialize() as the flags say. The receiver deletes the result; null on error, as with kEXCLUDE_WEIGHTS
    /// where the engine cannot be refitted.
    virtual IHostMemory* TENON_FROM_8(serializeWithConfig)(TENON_FROM_8(ISerializationConfig) &
                                                           config) const noexcept = 0;

    /// A context whose scratch memory is taken as the strategy says. Its plugins are the engine's or clones, attached
    /// to it. The receiver deletes it; null on error.
    virtual IExecutionContext*
        createExecutionContext(TENON_FROM_10(ExecutionContextAllocationStrategy)
                                   strategy = TENON_FROM_10(ExecutionContextAllocationStrategy)::kSTATIC) noexcept = 0;
    /// A context without scratch memory: give it some with setDeviceMemory. The receiver deletes it; null on error.
    virtual IExecutionContext* TENON_UNTIL_10(createExecutionContextWithoutDeviceMemory)() noexcept = 0;
    /// The same as a configuration says; null for kSTATIC. The receiver deletes it; null on error.
    virtual IExecutionContext* createExecutionContext(TENON_FROM_10(IRuntimeConfig) * runtimeConfig) noexcept = 0;
    /// A configuration of how contexts are made, with kSTATIC. The receiver deletes it; null on error.
    virtual TENON_FROM_10(IRuntimeConfig) * TENON_FROM_10(createRuntimeConfig)() noexcept = 0;

    /// Bytes of scratch memory that a context takes at most, whatever the profile.
    virtual std::size_t TENON_UNTIL_10(getDeviceMemorySize)() const noexcept = 0;
    /// Bytes of scratch memory that a context takes for the largest shapes of one profile; 0, and an error, where out
    /// of range.
    virtual std::size_t TENON_ONLY_10(getDeviceMemorySizeForProfile)(int32_t profileIndex) const noexcept = 0;
    /// getDeviceMemorySize() as a signed number: what setDeviceMemoryV2() is given for any profile.
    virtual int64_t TENON_FROM_10(getDeviceMemorySizeV2)() const noexcept = 0;
    /// getDeviceMemorySizeForProfile() as a signed number.
    virtual int64_t TENON_FROM_10(getDeviceMemorySizeForProfileV2)(int32_t profileIndex) const noexcept = 0;

    /// Bounds of the values of an input that is a shape tensor, cut to 32 bits; null where it has none. Valid as long
    /// as the engine.
    virtual int32_t const* TENON_ONLY_10(getProfileTensorValues)(char const* tensorName, int32_t profileIndex,
                                                                 OptProfileSelector select) const noexcept = 0;
    /// The same with 64 bits.
    virtual int64_t const* TENON_FROM_10(getProfileTensorValuesV2)(char const* tensorName, int32_t profileIndex,
                                                                   OptProfileSelector select) const noexcept = 0;

    /// As V2, of 10.0: bytes with those of one context for streamed weights; 0: no limit, -1: as much as there is room.
    virtual bool TENON_ONLY_10(setWeightStreamingBudget)(int64_t gpuMemoryBudget) noexcept = 0;
    /// The budget in bytes, also where -1 chose it; 0 while nothing is streamed.
    virtual int64_t TENON_ONLY_10(getWeightStreamingBudget)() const noexcept = 0;
    /// The least that setWeightStreamingBudget() takes: room to stream any weights; 0 where nothing can be streamed.
    virtual int64_t TENON_ONLY_10(getMinimumWeightStreamingBudget)() const noexcept = 0;
    /// Bytes of weights of steps with 64 KiB or more; 0 without kWEIGHT_STREAMING, or before a stripped engine's refit.
    virtual int64_t TENON_FROM_10(getStreamableWeightsSize)() const noexcept = 0;
    /// Most bytes of weights on the device; runs stream the others. While nothing runs; capture again. Not for the CPU.
    virtual bool TENON_FROM_10(setWeightStreamingBudgetV2)(int64_t gpuMemoryBudget) noexcept = 0;
    /// The budget; getStreamableWeightsSize() while nothing is streamed.
    virtual int64_t TENON_FROM_10(getWeightStreamingBudgetV2)() const noexcept = 0;
    /// A budget for which the device has room now, with one context at the largest shapes.
    virtual int64_t TENON_FROM_10(getWeightStreamingAutomaticBudget)() const noexcept = 0;
    /// Bytes that each context allocates on the device for what it streams; not in getDeviceMemorySizeV2().
    virtual int64_t TENON_FROM_10(getWeightStreamingScratchMemorySize)() const noexcept = 0;

    /// Whether the tensor of that name was marked by INetworkDefinition::markDebug() when the engine was built.
    virtual bool TENON_FROM_10(isDebugTensor)(char const* name) const noexcept = 0;
    /// One of the numbers of EngineStat; -1 for a number that this engine does not have.
    virtual int64_t TENON_FROM_10(getEngineStat)(TENON_FROM_10(EngineStat) stat) const noexcept = 0;
    /// The input whose memory an output may share, as the cache of a KV cache update; null for any other output.
    virtual char const* TENON_FROM_10(getAliasedInputTensor)(char const* tensorName) const noexcept = 0;

#if TENON_LEVEL >= 8
    /// The shape of an input or output: -1 where profiles leave it open or differ, nbDims -1 for another name. Up to
    /// level 8 without the batch that a network left out.
    TENON_LEVELED Dims getTensorShape(char const* tensorName) const noexcept {
#if TENON_LEVEL < 10
        if (hasImplicitBatchDimension()) {
            return tenonAbi::dimsBehindBatch(getTensorShape_(tensorName));
        }
#endif
        return tenonAbi::dims(getTensorShape_(tensorName));
    }
    /// Bounds of an input's shape; the network's own where the profile says nothing of it. nbDims -1, and an error, for
    /// an output, another name, and where the profile is out of range.
    TENON_LEVELED Dims getProfileShape(char const* tensorName, int32_t profileIndex,
                                       OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getProfileShape_(tensorName, profileIndex, select));
    }
#if TENON_LEVEL < 10
    /// The vectorized axis, counted as getTensorShape() has them; -1 where the format has none.
    TENON_LEVELED int32_t getTensorVectorizedDim(char const* tensorName) const noexcept {
        int32_t const axis = getTensorVectorizedDim_(tensorName);
        return axis > 0 && hasImplicitBatchDimension() ? axis - 1 : axis;
    }
    /// The same for a certain profile, which is not looked at.
    TENON_LEVELED int32_t getTensorVectorizedDim(char const* tensorName, int32_t) const noexcept {
        return getTensorVectorizedDim(tensorName);
    }
#endif
    /// Those that this engine takes kernels from: on a GPU kCUDNN and kCUBLAS_LT, where the level has them. Others that
    /// setTacticSources() had may be left out at the next build.
    TENON_LEVELED TacticSources getTacticSources() const noexcept {
        return tenonAbi::levelledBits<TacticSource>(getTacticSources_());
    }
#endif

#if TENON_LEVEL < 10
    /// \name Bindings
    /// Inputs and outputs by number: all of them for the first optimization profile, then all for the next one. Numbers
    /// out of range are answered as names that are no input or output. Dimensions of an engine with implicit batch are
    /// those behind the batch.
    /// \{
    int32_t getNbBindings() const noexcept { return TENON_FROM_8(getNbIOTensors)() * getNbOptimizationProfiles(); }
    /// -1 where there is none of that name.
    int32_t getBindingIndex(char const* name) const noexcept { return getBindingIndex_(name); }
    /// "x", and "x [profile 1]" for the second profile. Null where `bindingIndex` is out of range.
    char const* getBindingName(int32_t bindingIndex) const noexcept { return getBindingName_(bindingIndex); }
    /// False for an output, and for a number out of range.
    bool bindingIsInput(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorIOMode)(tensorOf_(bindingIndex)) == TENON_FROM_8(TensorIOMode)::kINPUT;
    }
    /// The shape for the binding's profile: -1 where that leaves it open, nbDims -1 for a number out of range.
    TENON_LEVELED Dims getBindingDimensions(int32_t bindingIndex) const noexcept {
        return tenonAbi::dims(getBindingDimensions_(bindingIndex));
    }
    /// getTensorDataType() of the binding.
    DataType getBindingDataType(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorDataType)(tensorOf_(bindingIndex));
    }
    /// getTensorLocation() of the binding.
    TensorLocation getLocation(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorLocation)(tensorOf_(bindingIndex));
    }
    /// Bounds of an input's shape for the profile.
    TENON_LEVELED Dims getProfileDimensions(int32_t bindingIndex, int32_t profileIndex,
                                            OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getProfileDimensions_(bindingIndex, profileIndex, select));
    }
    /// Bounds of a shape tensor's elements; null where it has none.
    int32_t const* getProfileShapeValues(int32_t profileIndex, int32_t inputIndex,
                                         OptProfileSelector select) const noexcept {
        return TENON_ONLY_10(getProfileTensorValues)(tensorOf_(inputIndex), profileIndex, select);
    }
    /// Whether the program keeps the binding in host memory because its values decide shapes.
    bool isShapeBinding(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(isShapeInferenceIO)(tensorOf_(bindingIndex));
    }
    /// Whether the binding lies in memory of the device: the reverse of isShapeBinding().
    bool isExecutionBinding(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorLocation)(tensorOf_(bindingIndex)) == TensorLocation::kDEVICE;
    }
    /// getTensorBytesPerComponent() of the binding.
    int32_t getBindingBytesPerComponent(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorBytesPerComponent)(tensorOf_(bindingIndex));
    }
    /// getTensorComponentsPerElement() of the binding.
    int32_t getBindingComponentsPerElement(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorComponentsPerElement)(tensorOf_(bindingIndex));
    }
    /// getTensorFormat() of the binding.
    TensorFormat getBindingFormat(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorFormat)(tensorOf_(bindingIndex));
    }
    /// getTensorFormatDesc() of the binding.
    char const* getBindingFormatDesc(int32_t bindingIndex) const noexcept {
        return TENON_FROM_8(getTensorFormatDesc)(tensorOf_(bindingIndex));
    }
    /// The vectorized axis, counted without the batch where that is implicit; -1 where the format has none.
    int32_t getBindingVectorizedDim(int32_t bindingIndex) const noexcept {
        int32_t const axis = getTensorVectorizedDim_(tensorOf_(bindingIndex));
        return axis > 0 && hasImplicitBatchDimension() ? axis - 1 : axis;
    }
    /// \}
    /// What the builder had when it built from a network with implicit batch; 1 where the batch is an axis like any
    /// other.
    int32_t getMaxBatchSize() const noexcept { return getMaxBatchSize_(); }
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif
#if TENON_LEVEL <= 7
    /// As getDeviceMemorySize.
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

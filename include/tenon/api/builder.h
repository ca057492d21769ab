// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Builds engines from networks.
#ifndef TENON_API_BUILDER_H
#define TENON_API_BUILDER_H

#include "tenon/api/builder_config.h"
#include "tenon/api/network.h"
#include "tenon/api/runtime.h"

namespace nvinfer1 {

namespace v_1_0 {
class IStreamWriter;
} // namespace v_1_0

/// Builds engines from networks. createInferBuilder() makes it.
///
/// Typical sequence: createNetworkV2(), a parser or `add...` methods, createBuilderConfig(),
/// createOptimizationProfile() for dimensions of -1, buildSerializedNetwork(), IRuntime::deserializeCudaEngine().
///
/// \note Owner: the application deletes it, after the networks and configurations that it made.
/// \note Thread: one at a time. Several builders may build at once.
class IBuilder : public tenonAbi::INoCopy {
public:
    ~IBuilder() override = default;

    /// Returns true: a network may be built with BuilderFlag::kFP16 on every device. Of the allowed types the build
    /// chooses the fastest. Up to level 10.
    virtual bool TENON_UNTIL_10(platformHasFastFp16)() const noexcept = 0;
    /// Returns true: a network may be built with BuilderFlag::kINT8 on every device. Up to level 10.
    virtual bool TENON_UNTIL_10(platformHasFastInt8)() const noexcept = 0;
    /// Returns whether the device can multiply kFLOAT in TF32: a GPU that has it. Up to level 10.
    virtual bool TENON_UNTIL_10(platformHasTf32)() const noexcept = 0;
    /// Returns INT32_MAX: there is no DLA.
    virtual int32_t getMaxDLABatchSize() const noexcept = 0;
    /// Returns 0: there is no DLA.
    virtual int32_t getNbDLACores() const noexcept = 0;
    /// Sets the allocator for contexts of engines that buildEngineWithConfig() makes afterwards. The build itself does
    /// not use it.
    /// \param allocator not owned; null selects the allocator of the library
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;

    /// Creates a configuration with default settings: only BuilderFlag::kTF32 is set.
    /// \return the configuration, which the caller deletes; null on error
    virtual IBuilderConfig* createBuilderConfig() noexcept = 0;
    /// Creates a profile without ranges.
    /// \return the profile; the builder owns it and deletes it with itself. Null on error
    virtual IOptimizationProfile* createOptimizationProfile() noexcept = 0;
    /// Sets the error recorder of the builder and of networks that it makes afterwards; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Restores the default number of threads, a largest batch of 1, and at level 7 the default settings of the
    /// builder. Networks, configurations and profiles stay as they are.
    virtual void reset() noexcept = 0;

    /// Builds an engine and serializes it for IRuntime::deserializeCudaEngine(). It takes from seconds to minutes, see
    /// IBuilderConfig::setBuilderOptimizationLevel(). Since level 8.
    /// \return the bytes, which the caller deletes; null on error, and the log names the layer or setting
    virtual IHostMemory* TENON_FROM_8(buildSerializedNetwork)(INetworkDefinition& network,
                                                              IBuilderConfig& config) noexcept = 0;
    /// Returns whether the network can be built with this configuration. It builds the network without calibration, so
    /// it takes as long as a build. Since level 8.
    virtual bool TENON_FROM_8(isNetworkSupported)(INetworkDefinition const& network,
                                                  IBuilderConfig const& config) const noexcept = 0;
    /// Returns the logger that createInferBuilder() received. Since level 8.
    virtual ILogger* TENON_FROM_8(getLogger)() const noexcept = 0;
    /// Sets the number of threads that a build, and runs of engines that buildEngineWithConfig() makes, may use. Since
    /// level 8.
    /// \param maxThreads at least 1
    /// \return false, and an error in the log, for less
    virtual bool TENON_FROM_8(setMaxThreads)(int32_t maxThreads) noexcept = 0;
    /// Returns the number of threads; unless set, the value of the environment variable TENON_THREADS, else the number
    /// of CPUs that the process may use. Since level 8.
    virtual int32_t TENON_FROM_8(getMaxThreads)() const noexcept = 0;
    /// Returns the plugin registry of this builder. It contains what is registered here and, through its parent,
    /// everything that is registered in the process. Since level 8.
    virtual IPluginRegistry& TENON_FROM_8(getPluginRegistry)() noexcept = 0;

    /// Builds an engine for use in this process, without serializing it.
    /// \pre the network has no placeholders (see Weights)
    /// \return the engine, which the caller deletes; null on error
    virtual ICudaEngine* buildEngineWithConfig(INetworkDefinition& network, IBuilderConfig& config) noexcept = 0;
    /// Builds an engine and writes it to a stream. Since level 10.
    /// \param writer called on this thread, once, with the whole engine
    /// \return false on error, and if the writer accepts fewer bytes
    virtual bool TENON_FROM_10(buildSerializedNetworkToStream)(INetworkDefinition& network, IBuilderConfig& config,
                                                               v_1_0::IStreamWriter& writer) noexcept = 0;
    /// Builds and serializes an engine as the overload without `kernelText`. Since level 8.
    /// \param kernelText set to null: engines contain the code of their kernels
    virtual IHostMemory* TENON_FROM_8(buildSerializedNetwork)(INetworkDefinition& network, IBuilderConfig& config,
                                                              IHostMemory*& kernelText) noexcept = 0;

    /// Creates an empty network.
    /// \param flags a bit for each NetworkDefinitionCreationFlag. From level 10 on the batch is explicit and at level
    /// 11 networks are strongly typed, whatever the flags are
    /// \return the network, which the caller deletes before the builder; null on error
    TENON_LEVELED INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept {
        uint64_t const explicitBatch = 1;
        uint64_t const stronglyTyped = 2;
        uint64_t const always = (TENON_LEVEL >= 10 ? explicitBatch : 0) | (TENON_LEVEL >= 11 ? stronglyTyped : 0);
        return createNetworkV2_(tenonAbi::neutralBits<NetworkDefinitionCreationFlag>(flags) | always);
    }

#if TENON_LEVEL < 10
    /// Sets the largest batch, for which kernels are chosen too, of engines from networks with implicit batch. No
    /// effect on networks with explicit batch. Up to level 8.
    /// \param batchSize at least 1; others are an error
    void setMaxBatchSize(int32_t batchSize) noexcept { setMaxBatchSize_(batchSize); }
    /// Returns the largest batch of networks with implicit batch; 1 unless set. Up to level 8.
    int32_t getMaxBatchSize() const noexcept { return getMaxBatchSize_(); }
    /// Deletes the builder, as `delete` does. Up to level 8.
    void destroy() noexcept { delete this; }
#endif

#if TENON_LEVEL <= 7
    /// \name Settings of the builder itself
    /// The settings of buildCudaEngine(), described at IBuilderConfig. Configurations do not have them. Level 7 only.
    /// \{
    /// Sets the limit of scratch memory of one kernel or plugin, in bytes.
    void setMaxWorkspaceSize(std::size_t workspaceSize) noexcept { ownConfig_().setMaxWorkspaceSize(workspaceSize); }
    /// Returns the limit of scratch memory in bytes; unless set, the memory of the device.
    std::size_t getMaxWorkspaceSize() const noexcept { return ownConfig_().getMaxWorkspaceSize(); }
    /// Sets or clears BuilderFlag::kFP16.
    void setFp16Mode(bool mode) noexcept { setOwnFlag_(BuilderFlag::kFP16, mode); }
    /// Returns whether BuilderFlag::kFP16 is set; false initially.
    bool getFp16Mode() const noexcept { return ownConfig_().getFlag(BuilderFlag::kFP16); }
    /// Sets or clears BuilderFlag::kFP16; an earlier name of setFp16Mode().
    void setHalf2Mode(bool mode) noexcept { setFp16Mode(mode); }
    /// Returns whether BuilderFlag::kFP16 is set; false initially.
    bool getHalf2Mode() const noexcept { return getFp16Mode(); }
    /// Sets or clears BuilderFlag::kINT8, which needs ranges of ITensor::setDynamicRange() or a calibrator.
    void setInt8Mode(bool mode) noexcept { setOwnFlag_(BuilderFlag::kINT8, mode); }
    /// Returns whether BuilderFlag::kINT8 is set; false initially.
    bool getInt8Mode() const noexcept { return ownConfig_().getFlag(BuilderFlag::kINT8); }
    /// Sets the calibrator; null removes it. See IBuilderConfig::setInt8Calibrator().
    void setInt8Calibrator(IInt8Calibrator* calibrator) noexcept { ownConfig_().setInt8Calibrator(calibrator); }
    /// Sets or clears BuilderFlag::kSTRICT_TYPES.
    void setStrictTypeConstraints(bool mode) noexcept { setOwnFlag_(BuilderFlag::kSTRICT_TYPES, mode); }
    /// Returns whether BuilderFlag::kSTRICT_TYPES is set; false initially.
    bool getStrictTypeConstraints() const noexcept { return ownConfig_().getFlag(BuilderFlag::kSTRICT_TYPES); }
    /// Sets or clears BuilderFlag::kREFIT.
    void setRefittable(bool canRefit) noexcept { setOwnFlag_(BuilderFlag::kREFIT, canRefit); }
    /// Returns whether BuilderFlag::kREFIT is set; false initially.
    bool getRefittable() const noexcept { return ownConfig_().getFlag(BuilderFlag::kREFIT); }
    /// Sets or clears BuilderFlag::kDEBUG.
    void setDebugSync(bool sync) noexcept { setOwnFlag_(BuilderFlag::kDEBUG, sync); }
    /// Returns whether BuilderFlag::kDEBUG is set; false initially.
    bool getDebugSync() const noexcept { return ownConfig_().getFlag(BuilderFlag::kDEBUG); }
    /// Sets the smallest number of timed runs of a kernel; see IBuilderConfig::setMinTimingIterations().
    void setMinFindIterations(int32_t minFind) noexcept { ownConfig_().setMinTimingIterations(minFind); }
    /// Returns the smallest number of timed runs of a kernel; 1 unless set.
    int32_t getMinFindIterations() const noexcept { return ownConfig_().getMinTimingIterations(); }
    /// Sets the number of timed runs of a kernel; see IBuilderConfig::setAvgTimingIterations().
    void setAverageFindIterations(int32_t avgFind) noexcept { ownConfig_().setAvgTimingIterations(avgFind); }
    /// Returns the number of timed runs of a kernel; 1 unless set.
    int32_t getAverageFindIterations() const noexcept { return ownConfig_().getAvgTimingIterations(); }
    /// Sets the capability; a build fails for all but kDEFAULT.
    void setEngineCapability(EngineCapability capability) noexcept { ownConfig_().setEngineCapability(capability); }
    /// Returns the capability; kDEFAULT unless set.
    EngineCapability getEngineCapability() const noexcept { return ownConfig_().getEngineCapability(); }
    /// Sets the device type of a layer; kDLA has no effect.
    void setDeviceType(ILayer* layer, DeviceType deviceType) noexcept { ownConfig_().setDeviceType(layer, deviceType); }
    /// Returns the device type of a layer; unless set, getDefaultDeviceType().
    DeviceType getDeviceType(ILayer const* layer) const noexcept { return ownConfig_().getDeviceType(layer); }
    /// Returns whether a device type is set for the layer.
    bool isDeviceTypeSet(ILayer const* layer) const noexcept { return ownConfig_().isDeviceTypeSet(layer); }
    /// Removes the device type of a layer.
    void resetDeviceType(ILayer* layer) noexcept { ownConfig_().resetDeviceType(layer); }
    /// Returns false: there is no DLA.
    bool canRunOnDLA(ILayer const* layer) const noexcept { return ownConfig_().canRunOnDLA(layer); }
    /// Sets the device type of layers without one of their own; kDLA has no effect.
    void setDefaultDeviceType(DeviceType deviceType) noexcept { ownConfig_().setDefaultDeviceType(deviceType); }
    /// Returns the device type of layers without one of their own; kGPU unless set.
    DeviceType getDefaultDeviceType() const noexcept { return ownConfig_().getDefaultDeviceType(); }
    /// Sets or clears BuilderFlag::kGPU_FALLBACK, which has no effect: there is no DLA.
    void allowGPUFallback(bool setFallBackMode) noexcept { setOwnFlag_(BuilderFlag::kGPU_FALLBACK, setFallBackMode); }
    /// Has no effect: there is no DLA.
    void setDLACore(int32_t dlaCore) noexcept { ownConfig_().setDLACore(dlaCore); }
    /// Returns 0: there is no DLA.
    int32_t getDLACore() const noexcept { return ownConfig_().getDLACore(); }
    /// \}
    /// Builds an engine with the settings of the builder. Level 7 only.
    /// \return the engine, which the caller deletes; null on error
    ICudaEngine* buildCudaEngine(INetworkDefinition& network) noexcept {
        return buildEngineWithConfig(network, ownConfig_());
    }
    /// Calls reset(). The network is not changed. Level 7 only.
    void reset(INetworkDefinition&) noexcept { reset(); }
    /// Creates an empty network with implicit batch. Level 7 only.
    INetworkDefinition* createNetwork() noexcept { return createNetworkV2(0); }
#endif

protected:
    virtual INetworkDefinition* createNetworkV2_(uint64_t flags) noexcept = 0;
    /// The settings of the builder itself.
    virtual IBuilderConfig& ownConfig_() const noexcept = 0;
    virtual void setMaxBatchSize_(int32_t batchSize) noexcept = 0;
    virtual int32_t getMaxBatchSize_() const noexcept = 0;

#if TENON_LEVEL <= 7
private:
    void setOwnFlag_(BuilderFlag flag, bool enable) noexcept {
        if (enable)
            ownConfig_().setFlag(flag);
        else
            ownConfig_().clearFlag(flag);
    }
#endif
};

} // namespace nvinfer1

/// Implements createInferBuilder().
/// \param version NV_TENSORRT_VERSION of the headers of the caller
TENON_C_FUNCTION void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

/// Creates a builder.
/// \param logger not owned; keep it valid as long as everything that is made from the builder
/// \return the builder, which the caller deletes; null on error
TENON_LEVELED inline IBuilder* createInferBuilder(ILogger& logger) noexcept {
    return static_cast<IBuilder*>(createInferBuilder_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

#if TENON_LEVEL >= 8
/// Returns the plugin registry of the process for kSTANDARD; null for other capabilities. Since level 8.
TENON_C_FUNCTION IPluginRegistry* getBuilderPluginRegistry(EngineCapability capability) noexcept;

namespace safe {
class IPluginRegistry;
} // namespace safe

/// Returns null: engines for a safety runtime are not supported. Since level 8.
TENON_C_FUNCTION safe::IPluginRegistry* getBuilderSafePluginRegistry(EngineCapability capability) noexcept;
#endif

#if TENON_LEVEL >= 10
/// Sets the only folder in which the process looks for libraries that are opened on demand, such as the CUDA backend.
/// Since level 10.
/// \param path a folder, or "" for the default search
/// \return false, and an error in the log, if `path` is null or not a folder, or if such a library is open already
TENON_C_FUNCTION bool setInternalLibraryPath(char const* path) noexcept;
#endif

} // namespace nvinfer1

#endif

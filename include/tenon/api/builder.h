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

/// Builds engines from networks. Made by `createInferBuilder()`; the program deletes it, after all networks and
/// configurations made from it. One thread at a time; several builders may work at once.
class IBuilder : public tenonAbi::INoCopy {
public:
    ~IBuilder() override = default;

    /// True on every device: a network may ask for kFP16. Of the types that the flags allow, a build takes the fastest.
    virtual bool TENON_UNTIL_10(platformHasFastFp16)() const noexcept = 0;
    /// True on every device: a network may ask for kINT8.
    virtual bool TENON_UNTIL_10(platformHasFastInt8)() const noexcept = 0;
    /// Whether the device for engines is a GPU, on which float32 may be multiplied in TF32.
    virtual bool TENON_UNTIL_10(platformHasTf32)() const noexcept = 0;
    /// The largest 32-bit number: there is no DLA to be too small.
    virtual int32_t getMaxDLABatchSize() const noexcept = 0;
    /// 0: there is no DLA.
    virtual int32_t getNbDLACores() const noexcept = 0;
    /// Gives the contexts of engines that buildEngineWithConfig() makes from now on their memory. Null: the library's
    /// own. Not owned. What a build itself needs comes from the library.
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;

    /// A configuration with nothing set but BuilderFlag::kTF32. The receiver deletes it; null on error.
    virtual IBuilderConfig* createBuilderConfig() noexcept = 0;
    /// A profile without ranges. The builder owns it, until it is deleted itself.
    virtual IOptimizationProfile* createOptimizationProfile() noexcept = 0;
    /// Errors are kept there, beside the log. Null: none. Not owned; counted by incRefCount(). Networks made from now
    /// on have it too.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// What setErrorRecorder() set; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Threads, largest batch and the builder's own settings as they were when it was made. Profiles, networks and
    /// configurations stay.
    virtual void reset() noexcept = 0;

    /// Builds, and saves the engine: load it with `IRuntime::deserializeCudaEngine()`. The receiver deletes the result;
    /// null on error, and the log says why.
    virtual IHostMemory* TENON_FROM_8(buildSerializedNetwork)(INetworkDefinition& network,
                                                              IBuilderConfig& config) noexcept = 0;
    /// Whether the network can be built; found out by building it, which takes as long.
    virtual bool TENON_FROM_8(isNetworkSupported)(INetworkDefinition const& network,
                                                  IBuilderConfig const& config) const noexcept = 0;
    /// The logger that the builder was made with.
    virtual ILogger* TENON_FROM_8(getLogger)() const noexcept = 0;
    /// How many threads a build may use; at least 1. \return false for fewer
    virtual bool TENON_FROM_8(setMaxThreads)(int32_t maxThreads) noexcept = 0;
    /// What setMaxThreads() set; at first TENON_THREADS, else the processors that the process may use.
    virtual int32_t TENON_FROM_8(getMaxThreads)() const noexcept = 0;
    /// The plugins of this builder: what is registered here, and through its parent what is registered everywhere.
    virtual IPluginRegistry& TENON_FROM_8(getPluginRegistry)() noexcept = 0;

    /// Builds, without saving. The receiver deletes the engine; null on error.
    virtual ICudaEngine* buildEngineWithConfig(INetworkDefinition& network, IBuilderConfig& config) noexcept = 0;
    /// Builds, and writes the engine to `writer`. \return false on error
    virtual bool TENON_FROM_10(buildSerializedNetworkToStream)(INetworkDefinition& network, IBuilderConfig& config,
                                                               v_1_0::IStreamWriter& writer) noexcept = 0;
    /// Builds, as above. \param kernelText set to null: no device has its kernels' code apart
    virtual IHostMemory* TENON_FROM_8(buildSerializedNetwork)(INetworkDefinition& network, IBuilderConfig& config,
                                                              IHostMemory*& kernelText) noexcept = 0;

    /// An empty network. The receiver deletes it; null on error.
    /// \param flags bits of NetworkDefinitionCreationFlag; from level 10 on batch is explicit whatever they say, and at
    /// level 11 networks are strongly typed
    TENON_LEVELED INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept {
        uint64_t const explicitBatch = 1;
        uint64_t const stronglyTyped = 2;
        uint64_t const always = (TENON_LEVEL >= 10 ? explicitBatch : 0) | (TENON_LEVEL >= 11 ? stronglyTyped : 0);
        return createNetworkV2_(tenonAbi::neutralBits<NetworkDefinitionCreationFlag>(flags) | always);
    }

#if TENON_LEVEL < 10
    /// The largest batch of engines from networks with implicit batch, and what they are fastest at; 1 at first.
    /// Without effect on a network with explicit batch.
    void setMaxBatchSize(int32_t batchSize) noexcept { setMaxBatchSize_(batchSize); }
    /// What setMaxBatchSize() set; 1 unless set.
    int32_t getMaxBatchSize() const noexcept { return getMaxBatchSize_(); }
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

#if TENON_LEVEL <= 7
    /// \name Settings of the builder itself
    /// What buildCudaEngine() builds with; each is described at IBuilderConfig. Configurations know nothing of them.
    /// \{
    void setMaxWorkspaceSize(std::size_t workspaceSize) noexcept { ownConfig_().setMaxWorkspaceSize(workspaceSize); }
    /// Bytes; the memory of the device unless set.
    std::size_t getMaxWorkspaceSize() const noexcept { return ownConfig_().getMaxWorkspaceSize(); }
    /// BuilderFlag::kFP16.
    void setFp16Mode(bool mode) noexcept { setOwnFlag_(BuilderFlag::kFP16, mode); }
    /// What setFp16Mode() set; false unless set.
    bool getFp16Mode() const noexcept { return ownConfig_().getFlag(BuilderFlag::kFP16); }
    /// The earlier name of setFp16Mode.
    void setHalf2Mode(bool mode) noexcept { setFp16Mode(mode); }
    /// What setFp16Mode() set; false unless set.
    bool getHalf2Mode() const noexcept { return getFp16Mode(); }
    /// BuilderFlag::kINT8, which needs ranges: ITensor::setDynamicRange().
    void setInt8Mode(bool mode) noexcept { setOwnFlag_(BuilderFlag::kINT8, mode); }
    /// What setInt8Mode() set; false unless set.
    bool getInt8Mode() const noexcept { return ownConfig_().getFlag(BuilderFlag::kINT8); }
    /// IBuilderConfig::setInt8Calibrator().
    void setInt8Calibrator(IInt8Calibrator* calibrator) noexcept { ownConfig_().setInt8Calibrator(calibrator); }
    /// BuilderFlag::kSTRICT_TYPES.
    void setStrictTypeConstraints(bool mode) noexcept { setOwnFlag_(BuilderFlag::kSTRICT_TYPES, mode); }
    /// What setStrictTypeConstraints() set; false unless set.
    bool getStrictTypeConstraints() const noexcept { return ownConfig_().getFlag(BuilderFlag::kSTRICT_TYPES); }
    /// BuilderFlag::kREFIT.
    void setRefittable(bool canRefit) noexcept { setOwnFlag_(BuilderFlag::kREFIT, canRefit); }
    /// What setRefittable() set; false unless set.
    bool getRefittable() const noexcept { return ownConfig_().getFlag(BuilderFlag::kREFIT); }
    /// BuilderFlag::kDEBUG.
    void setDebugSync(bool sync) noexcept { setOwnFlag_(BuilderFlag::kDEBUG, sync); }
    /// What setDebugSync() set; false unless set.
    bool getDebugSync() const noexcept { return ownConfig_().getFlag(BuilderFlag::kDEBUG); }
    /// IBuilderConfig::setMinTimingIterations().
    void setMinFindIterations(int32_t minFind) noexcept { ownConfig_().setMinTimingIterations(minFind); }
    /// What setMinFindIterations() set; 1 unless set.
    int32_t getMinFindIterations() const noexcept { return ownConfig_().getMinTimingIterations(); }
    /// IBuilderConfig::setAvgTimingIterations().
    void setAverageFindIterations(int32_t avgFind) noexcept { ownConfig_().setAvgTimingIterations(avgFind); }
    /// What setAverageFindIterations() set; 1 unless set.
    int32_t getAverageFindIterations() const noexcept { return ownConfig_().getAvgTimingIterations(); }
    void setEngineCapability(EngineCapability capability) noexcept { ownConfig_().setEngineCapability(capability); }
    EngineCapability getEngineCapability() const noexcept { return ownConfig_().getEngineCapability(); }
    void setDeviceType(ILayer* layer, DeviceType deviceType) noexcept { ownConfig_().setDeviceType(layer, deviceType); }
    DeviceType getDeviceType(ILayer const* layer) const noexcept { return ownConfig_().getDeviceType(layer); }
    bool isDeviceTypeSet(ILayer const* layer) const noexcept { return ownConfig_().isDeviceTypeSet(layer); }
    void resetDeviceType(ILayer* layer) noexcept { ownConfig_().resetDeviceType(layer); }
    bool canRunOnDLA(ILayer const* layer) const noexcept { return ownConfig_().canRunOnDLA(layer); }
    void setDefaultDeviceType(DeviceType deviceType) noexcept { ownConfig_().setDefaultDeviceType(deviceType); }
    DeviceType getDefaultDeviceType() const noexcept { return ownConfig_().getDefaultDeviceType(); }
    /// BuilderFlag::kGPU_FALLBACK, which is without effect: there is no DLA to fall back from.
    void allowGPUFallback(bool setFallBackMode) noexcept { setOwnFlag_(BuilderFlag::kGPU_FALLBACK, setFallBackMode); }
    void setDLACore(int32_t dlaCore) noexcept { ownConfig_().setDLACore(dlaCore); }
    int32_t getDLACore() const noexcept { return ownConfig_().getDLACore(); }
    /// \}
    /// Builds with the settings above. The receiver deletes the engine; null on error.
    ICudaEngine* buildCudaEngine(INetworkDefinition& network) noexcept {
        return buildEngineWithConfig(network, ownConfig_());
    }
    /// The same as reset(): a network is not the builder's, and stays as it is.
    void reset(INetworkDefinition&) noexcept { reset(); }
    /// An empty network with implicit batch.
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

/// The function behind createInferBuilder(): `version` is NV_TENSORRT_VERSION of the caller's headers.
TENON_C_FUNCTION void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

/// A builder that logs to `logger`, which must live as long as everything made from it. Null on error.
TENON_LEVELED inline IBuilder* createInferBuilder(ILogger& logger) noexcept {
    return static_cast<IBuilder*>(createInferBuilder_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

#if TENON_LEVEL >= 8
/// The registry of plugins for engines of this capability. There is one for kSTANDARD; null for the others.
TENON_C_FUNCTION IPluginRegistry* getBuilderPluginRegistry(EngineCapability capability) noexcept;

namespace safe {
class IPluginRegistry;
} // namespace safe

/// The registry of plugins for engines of the safety runtime. There are no such engines: null.
TENON_C_FUNCTION safe::IPluginRegistry* getBuilderSafePluginRegistry(EngineCapability capability) noexcept;
#endif

#if TENON_LEVEL >= 10
/// The folder in which this process looks for the parts of the library that are opened when they are needed (the CUDA
/// backend) and nowhere else; "" for the usual places, which are those at first.
/// \return false, and the log says why, where `path` is null or no folder, or such a part is open already
TENON_C_FUNCTION bool setInternalLibraryPath(char const* path) noexcept;
#endif

} // namespace nvinfer1

#endif

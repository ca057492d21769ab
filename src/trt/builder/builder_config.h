// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "plan/build_config.h"
#include "trt/builder/profile_face.h"
#include "trt/builder/timing_cache_face.h"
#include "trt/edge/edge.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::trt {

namespace api = nvinfer1;

/// IBuilderConfig: the settings, checked when they are set.
class BuilderConfig final : public api::IBuilderConfig {
public:
    explicit BuilderConfig(Reporter const& reporter) : reporter_(reporter) {}

    std::vector<std::shared_ptr<ProfileFace const>> const& profiles() const { return settings_.profiles; }
    std::vector<std::string> const& libraries() const { return settings_.libraries; }
    std::string const& leftOutPasses() const { return settings_.leftOutPasses; }
    Tuning tuning() const;
    /// As set by the application.
    std::optional<size_t> workspaceLimit() const { return settings_.poolLimits[0]; }
    /// Whether the application removed a source of kernels that is enabled by default.
    bool leavesOut(api::TacticSource source) const;
    bool hasPreview(int32_t feature) const { return getPreviewFeature_(feature); }
    ProfileFace const* calibrationProfile() const { return settings_.calibrationProfile.get(); }
    bool calibrates() const { return settings_.calibrator && has(api::BuilderFlag::kINT8); }
    bool has(api::BuilderFlag flag) const { return (settings_.flags >> static_cast<int32_t>(flag)) & 1U; }
    api::ProfilingVerbosity verbosity() const { return settings_.verbosity; }
    /// -1, which leaves the number to TensorRT, means none here.
    int32_t auxStreams() const { return std::max(settings_.auxStreams, 0); }

    void setAvgTimingIterations(int32_t avgTiming) noexcept override;
    int32_t getAvgTimingIterations() const noexcept override { return settings_.avgTiming; }
    void setEngineCapability(api::EngineCapability capability) noexcept override;
    api::EngineCapability getEngineCapability() const noexcept override { return settings_.capability; }

    void setDeviceType(api::ILayer const* layer, api::DeviceType deviceType) noexcept override;
    api::DeviceType getDeviceType(api::ILayer const* layer) const noexcept override;
    bool isDeviceTypeSet(api::ILayer const* layer) const noexcept override {
        return settings_.deviceTypes.contains(layer);
    }
    void resetDeviceType(api::ILayer const* layer) noexcept override { settings_.deviceTypes.erase(layer); }
    bool canRunOnDLA(api::ILayer const*) const noexcept override { return false; }
    void setDLACore(int32_t dlaCore) noexcept override;
    int32_t getDLACore() const noexcept override { return 0; }
    void setDefaultDeviceType(api::DeviceType deviceType) noexcept override;
    api::DeviceType getDefaultDeviceType() const noexcept override { return settings_.deviceType; }

    void reset() noexcept override { settings_ = {}; }
    void setProfileStream(cudaStream_t stream) noexcept override { settings_.profileStream = stream; }
    cudaStream_t getProfileStream() const noexcept override { return settings_.profileStream; }
    int32_t addOptimizationProfile(api::IOptimizationProfile const* profile) noexcept override;
    int32_t getNbOptimizationProfiles() const noexcept override;
    void setProfilingVerbosity(api::ProfilingVerbosity verbosity) noexcept override;
    api::ProfilingVerbosity getProfilingVerbosity() const noexcept override { return settings_.verbosity; }

    api::ITimingCache* createTimingCache(void const* blob, size_t size) const noexcept override;
    bool setTimingCache(api::ITimingCache const& cache, bool ignoreMismatch) noexcept override;
    api::ITimingCache const* getTimingCache() const noexcept override;

    void setMemoryPoolLimit(api::MemoryPoolType pool, size_t poolSize) noexcept override;
    size_t getMemoryPoolLimit(api::MemoryPoolType pool) const noexcept override;

    void setBuilderOptimizationLevel(int32_t level) noexcept override;
    int32_t getBuilderOptimizationLevel() noexcept override { return settings_.optimizationLevel; }
    void setHardwareCompatibilityLevel(api::HardwareCompatibilityLevel level) noexcept override;
    api::HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept override {
        return settings_.hardwareCompatibility;
    }
    void setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept override;
    char const* getPluginToSerialize(int32_t index) const noexcept override;
    int32_t getNbPluginsToSerialize() const noexcept override;
    bool setMaxAuxStreams(int32_t nbStreams) noexcept override;
    int32_t getMaxAuxStreams() const noexcept override { return settings_.auxStreams; }

    void setProgressMonitor(api::IProgressMonitor* monitor) noexcept override { settings_.monitor = monitor; }
    api::IProgressMonitor* getProgressMonitor() const noexcept override { return settings_.monitor; }
    void setRuntimePlatform(api::RuntimePlatform runtimePlatform) noexcept override;
    api::RuntimePlatform getRuntimePlatform() const noexcept override { return api::RuntimePlatform::kSAME_AS_BUILD; }
    void setMaxNbTactics(int32_t maxNbTactics) noexcept override;
    int32_t getMaxNbTactics() const noexcept override { return settings_.maxTactics; }
    bool setTilingOptimizationLevel(api::TilingOptimizationLevel level) noexcept override;
    api::TilingOptimizationLevel getTilingOptimizationLevel() const noexcept override { return settings_.tiling; }
    bool setL2LimitForTiling(int64_t size) noexcept override;
    int64_t getL2LimitForTiling() const noexcept override { return settings_.l2Limit; }
    bool setRemoteAutoTuningConfig(char const* config) noexcept override;
    char const* getRemoteAutoTuningConfig() const noexcept override { return nullptr; }

    void setInt8Calibrator(api::IInt8Calibrator* calibrator) noexcept override { settings_.calibrator = calibrator; }
    api::IInt8Calibrator* getInt8Calibrator() const noexcept override { return settings_.calibrator; }
    void setAlgorithmSelector(api::IAlgorithmSelector* selector) noexcept override { settings_.selector = selector; }
    api::IAlgorithmSelector* getAlgorithmSelector() const noexcept override { return settings_.selector; }
    bool setCalibrationProfile(api::IOptimizationProfile const* profile) noexcept override;
    api::IOptimizationProfile const* getCalibrationProfile() noexcept override { return calibrationProfile(); }
    void setQuantizationFlags(api::QuantizationFlags flags) noexcept override;
    api::QuantizationFlags getQuantizationFlags() const noexcept override { return settings_.quantization; }
    void clearQuantizationFlag(api::QuantizationFlag flag) noexcept override;
    void setQuantizationFlag(api::QuantizationFlag flag) noexcept override;
    bool getQuantizationFlag(api::QuantizationFlag flag) const noexcept override;

protected:
    void setFlags_(uint64_t flags) noexcept override { settings_.flags = flags; }
    uint64_t getFlags_() const noexcept override { return settings_.flags; }
    void setFlag_(int32_t flag, bool enable) noexcept override;
    bool setTacticSources_(uint64_t sources) noexcept override;
    uint64_t getTacticSources_() const noexcept override { return settings_.tacticSources; }
    void setPreviewFeature_(int32_t feature, bool enable) noexcept override;
    bool getPreviewFeature_(int32_t feature) const noexcept override;
    void setMinTimingIterations_(int32_t minTiming) noexcept override;
    int32_t getMinTimingIterations_() const noexcept override { return settings_.minTiming; }
    bool setBuildRoute_(char const* buildRoute) noexcept override;
    char const* getBuildRoute_() const noexcept override { return settings_.route.c_str(); }
    char const* getAllBuildRoutes_() const noexcept override;

private:
    struct Settings {
        int32_t avgTiming = 1;
        int32_t minTiming = 1;
        int32_t optimizationLevel = 3;
        int32_t auxStreams = -1;
        int32_t maxTactics = -1;
        int64_t l2Limit = -1;
        uint64_t flags = uint64_t{1} << static_cast<int32_t>(api::BuilderFlag::kTF32);
        uint64_t tacticSources = 0;   // as setTacticSources_() takes them
        uint64_t previewFeatures = 1; // profile sharing is how every engine works
        api::EngineCapability capability = api::EngineCapability::kSTANDARD;
        api::QuantizationFlags quantization = 0;
        api::ProfilingVerbosity verbosity = api::ProfilingVerbosity::kLAYER_NAMES_ONLY;
        api::HardwareCompatibilityLevel hardwareCompatibility = api::HardwareCompatibilityLevel::kNONE;
        api::TilingOptimizationLevel tiling = api::TilingOptimizationLevel::kNONE;
        api::DeviceType deviceType = api::DeviceType::kGPU;
        std::map<api::ILayer const*, api::DeviceType> deviceTypes; // of layers for which one was set
        cudaStream_t profileStream = nullptr;
        std::shared_ptr<TimingCacheFace> timingCache; // over the times of the application's cache
        std::string route;                            // as passed by the application
        std::string leftOutPasses;                    // by the route
        api::IProgressMonitor* monitor = nullptr;
        api::IInt8Calibrator* calibrator = nullptr;
        api::IAlgorithmSelector* selector = nullptr;
        std::shared_ptr<ProfileFace const> calibrationProfile;
        std::vector<std::shared_ptr<ProfileFace const>> profiles;
        std::vector<std::string> libraries;              // the paths of those to store in the engine
        std::array<std::optional<size_t>, 6> poolLimits; // by MemoryPoolType
    };

    void expectDeviceType(api::DeviceType deviceType) const;

    Reporter reporter_;
    Settings settings_;
};

} // namespace tenon::trt

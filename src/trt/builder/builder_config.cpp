// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/builder_config.h"

#include "trt/builder/build_route.h"
#include "trt/builder/profile_face.h"
#include "trt/builder/timing_cache_face.h"
#include "trt/edge/device.h"

#include <algorithm>

namespace tenon::trt {
namespace {

void expectAtLeast(int64_t least, int64_t value, std::string_view what) {
    if (value < least) fail(ErrorCode::InvalidArgument, what, ' ', value, "; expected at least ", least);
}

template <class Enum> void expectEnumerator(Enum value, std::string_view type) {
    auto const number = static_cast<int32_t>(value);
    if (number < 0 || number >= api::EnumMax<Enum>())
        fail(ErrorCode::InvalidArgument, "no ", type, " has the number ", number);
}

std::string deviceName() {
    return onWantedDevice([](Backend const& backend) { return backend.describe(); });
}

} // namespace

void BuilderConfig::setAvgTimingIterations(int32_t avgTiming) noexcept {
    guarded(reporter_, "setAvgTimingIterations", [&] {
        expectAtLeast(1, avgTiming, "iterations");
        settings_.avgTiming = avgTiming;
    });
}

void BuilderConfig::setMinTimingIterations_(int32_t minTiming) noexcept {
    guarded(reporter_, "setMinTimingIterations", [&] {
        expectAtLeast(1, minTiming, "iterations");
        settings_.minTiming = minTiming;
    });
}

void BuilderConfig::setEngineCapability(api::EngineCapability capability) noexcept {
    guarded(reporter_, "setEngineCapability", [&] {
        expectEnumerator(capability, "EngineCapability");
        settings_.capability = capability;
    });
}

// ---- device types: there is no DLA

void BuilderConfig::expectDeviceType(api::DeviceType deviceType) const {
    if (deviceType != api::DeviceType::kGPU && deviceType != api::DeviceType::kDLA)
        fail(ErrorCode::InvalidArgument, "no DeviceType has the number ", static_cast<int32_t>(deviceType));
    if (deviceType == api::DeviceType::kDLA)
        reporter_.noEffect(withoutEffect("IBuilderConfig::setDefaultDeviceType, setDeviceType"));
}

void BuilderConfig::setDeviceType(api::ILayer const* layer, api::DeviceType deviceType) noexcept {
    guarded(reporter_, "setDeviceType", [&] {
        expectDeviceType(deviceType);
        settings_.deviceTypes[layer] = deviceType;
    });
}

api::DeviceType BuilderConfig::getDeviceType(api::ILayer const* layer) const noexcept {
    auto const found = settings_.deviceTypes.find(layer);
    return found == settings_.deviceTypes.end() ? settings_.deviceType : found->second;
}

void BuilderConfig::setDLACore(int32_t) noexcept { reporter_.noEffect(withoutEffect("IBuilderConfig::setDLACore")); }

void BuilderConfig::setDefaultDeviceType(api::DeviceType deviceType) noexcept {
    guarded(reporter_, "setDefaultDeviceType", [&] {
        expectDeviceType(deviceType);
        settings_.deviceType = deviceType;
    });
}

// ---- profiles, timing, memory

int32_t BuilderConfig::addOptimizationProfile(api::IOptimizationProfile const* profile) noexcept {
    return guardedOr(-1, reporter_, "addOptimizationProfile", [&] {
        if (profile == nullptr) fail(ErrorCode::InvalidArgument, "profile is null");
        auto const& ours = static_cast<ProfileFace const&>(*profile);
        ours.toProfile(); // logs the missing setting
        settings_.profiles.push_back(ours.shared_from_this());
        return static_cast<int32_t>(settings_.profiles.size()) - 1;
    });
}

int32_t BuilderConfig::getNbOptimizationProfiles() const noexcept {
    return static_cast<int32_t>(settings_.profiles.size());
}

void BuilderConfig::setProfilingVerbosity(api::ProfilingVerbosity verbosity) noexcept {
    guarded(reporter_, "setProfilingVerbosity", [&] {
        expectEnumerator(verbosity, "ProfilingVerbosity");
        settings_.verbosity = verbosity;
    });
}

api::ITimingCache* BuilderConfig::createTimingCache(void const* blob, size_t size) const noexcept {
    return guarded(reporter_, "createTimingCache", [&]() -> api::ITimingCache* {
        return std::make_unique<TimingCacheFace>(reporter_, deviceName(), blob, size).release();
    });
}

bool BuilderConfig::setTimingCache(api::ITimingCache const& cache, bool ignoreMismatch) noexcept {
    return guarded(reporter_, "setTimingCache", [&] {
        auto const& ours = static_cast<TimingCacheFace const&>(cache);
        if (!ignoreMismatch) ours.expectDevice(deviceName());
        settings_.timingCache = std::make_shared<TimingCacheFace>(ours);
        return true;
    });
}

api::ITimingCache const* BuilderConfig::getTimingCache() const noexcept {
    return settings_.timingCache ? settings_.timingCache->original() : nullptr;
}

/// Plugins are timed from level 3 on, which is the default.
Tuning BuilderConfig::tuning() const {
    constexpr int32_t kTimesTactics = 3;
    constexpr auto kEnableTacticHeuristic = static_cast<api::BuilderFlag>(41); // its neutral number; level 8 has it
    Tuning tuning;
    tuning.enabled = settings_.optimizationLevel >= kTimesTactics && !has(kEnableTacticHeuristic);
    tuning.announces = has(api::BuilderFlag::kDEBUG);
    tuning.stream = settings_.profileStream;
    constexpr double kSecondsOfLevel[]{0, 0, 0, 2, 20, 120};
    tuning.seconds = kSecondsOfLevel[settings_.optimizationLevel];
    tuning.rounds = std::max({tuning.rounds, settings_.avgTiming, settings_.minTiming});
    if (settings_.maxTactics != -1) tuning.mostWays = static_cast<size_t>(settings_.maxTactics);
    tuning.memory = settings_.poolLimits[static_cast<size_t>(api::MemoryPoolType::kTACTIC_DRAM)].value_or(SIZE_MAX);
    tuning.cacheOnly = has(api::BuilderFlag::kERROR_ON_TIMING_CACHE_MISS);
    if (has(api::BuilderFlag::kDISABLE_TIMING_CACHE)) return tuning;
    tuning.cache = settings_.timingCache ? settings_.timingCache->core() : std::make_shared<TimingCache>(deviceName());
    return tuning;
}

void BuilderConfig::setMemoryPoolLimit(api::MemoryPoolType pool, size_t poolSize) noexcept {
    guarded(reporter_, "setMemoryPoolLimit", [&] {
        auto const index = static_cast<size_t>(pool);
        if (index >= settings_.poolLimits.size())
            fail(ErrorCode::InvalidArgument, "memory pool ", index, " does not exist");
        settings_.poolLimits[index] = poolSize;
        if (pool == api::MemoryPoolType::kTACTIC_SHARED_MEMORY)
            reporter_.noEffect(withoutEffect("IBuilderConfig::setMemoryPoolLimit", "for kTACTIC_SHARED_MEMORY"));
        else if (pool != api::MemoryPoolType::kWORKSPACE && pool != api::MemoryPoolType::kTACTIC_DRAM)
            reporter_.noEffect(withoutEffect("IBuilderConfig::setMemoryPoolLimit", "for a pool of a DLA"));
    });
}

size_t BuilderConfig::getMemoryPoolLimit(api::MemoryPoolType pool) const noexcept {
    auto const index = static_cast<size_t>(pool);
    if (index >= settings_.poolLimits.size()) return 0;
    constexpr size_t kMiB = size_t{1} << 20;
    constexpr size_t kDla[]{kMiB, 1024 * kMiB, 512 * kMiB}; // managed SRAM, local DRAM, global DRAM
    if (settings_.poolLimits[index]) return *settings_.poolLimits[index];
    if (index >= 1 && index <= 3) return kDla[index - 1];
    if (index == 5) return 0; // kTACTIC_SHARED_MEMORY: no kernel depends on it
    return guarded(reporter_, "getMemoryPoolLimit",
                   [] { return onWantedDevice([](Backend const& backend) { return backend.memoryBytes(); }); });
}

void BuilderConfig::setBuilderOptimizationLevel(int32_t level) noexcept {
    guarded(reporter_, "setBuilderOptimizationLevel", [&] {
        if (level < 0 || level > 5) fail(ErrorCode::InvalidArgument, "level ", level, "; expected 0 to 5");
        settings_.optimizationLevel = level;
    });
}

void BuilderConfig::setMaxNbTactics(int32_t maxNbTactics) noexcept {
    guarded(reporter_, "setMaxNbTactics", [&] {
        expectAtLeast(-1, maxNbTactics, "tactics");
        settings_.maxTactics = maxNbTactics;
    });
}

// ---- where the engine runs

void BuilderConfig::setHardwareCompatibilityLevel(api::HardwareCompatibilityLevel level) noexcept {
    guarded(reporter_, "setHardwareCompatibilityLevel", [&] {
        expectEnumerator(level, "HardwareCompatibilityLevel");
        settings_.hardwareCompatibility = level; // every engine runs on other processors
    });
}

void BuilderConfig::setRuntimePlatform(api::RuntimePlatform runtimePlatform) noexcept {
    guarded(reporter_, "setRuntimePlatform", [&] {
        if (runtimePlatform != api::RuntimePlatform::kSAME_AS_BUILD)
            notSupported(refused("IBuilderConfig::setRuntimePlatform"));
    });
}

bool BuilderConfig::setMaxAuxStreams(int32_t nbStreams) noexcept {
    return guarded(reporter_, "setMaxAuxStreams", [&] {
        expectAtLeast(0, nbStreams, "streams");
        settings_.auxStreams = nbStreams;
        return true;
    });
}

bool BuilderConfig::setTilingOptimizationLevel(api::TilingOptimizationLevel level) noexcept {
    return guarded(reporter_, "setTilingOptimizationLevel", [&] {
        expectEnumerator(level, "TilingOptimizationLevel");
        settings_.tiling = level;
        if (level != api::TilingOptimizationLevel::kNONE)
            reporter_.noEffect(withoutEffect("IBuilderConfig::setTilingOptimizationLevel"));
        return true;
    });
}

bool BuilderConfig::setL2LimitForTiling(int64_t size) noexcept {
    return guarded(reporter_, "setL2LimitForTiling", [&] {
        expectAtLeast(-1, size, "size");
        settings_.l2Limit = size;
        if (size != -1) reporter_.noEffect(withoutEffect("IBuilderConfig::setL2LimitForTiling"));
        return true;
    });
}

bool BuilderConfig::setRemoteAutoTuningConfig(char const*) noexcept {
    return guarded(reporter_, "setRemoteAutoTuningConfig",
                   [&]() -> bool { notSupported(refused("IBuilderConfig::setRemoteAutoTuningConfig")); });
}

bool BuilderConfig::setBuildRoute_(char const* buildRoute) noexcept {
    return guarded(reporter_, "setBuildRoute", [&] {
        std::string const route = expectText(buildRoute, "buildRoute");
        settings_.leftOutPasses = leftOutBy(route);
        settings_.route = route;
        return true;
    });
}

char const* BuilderConfig::getAllBuildRoutes_() const noexcept {
    static std::string const& all = *new std::string(buildRoutes());
    return all.c_str();
}

// ---- plugin libraries in the engine file

void BuilderConfig::setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept {
    guarded(reporter_, "setPluginsToSerialize", [&] {
        expectAtLeast(0, nbPaths, "number of paths");
        if (paths == nullptr && nbPaths != 0) fail(ErrorCode::InvalidArgument, "paths is null");
        std::vector<std::string> all;
        for (int32_t i = 0; i < nbPaths; ++i) {
            std::string const path = expectText(paths[i], text("path ", i));
            if (std::ranges::find(all, path) != all.end())
                fail(ErrorCode::InvalidArgument, path, ": is among the paths twice; expected each library once");
            all.push_back(path);
        }
        settings_.libraries = std::move(all);
    });
}

char const* BuilderConfig::getPluginToSerialize(int32_t index) const noexcept {
    bool const isThere = index >= 0 && index < getNbPluginsToSerialize();
    return isThere ? settings_.libraries[static_cast<size_t>(index)].c_str() : nullptr;
}

int32_t BuilderConfig::getNbPluginsToSerialize() const noexcept {
    return static_cast<int32_t>(settings_.libraries.size());
}

// ---- quantization

bool BuilderConfig::setCalibrationProfile(api::IOptimizationProfile const* profile) noexcept {
    return guarded(reporter_, "setCalibrationProfile", [&] {
        settings_.calibrationProfile.reset();
        if (profile == nullptr) return true;
        auto const& ours = static_cast<ProfileFace const&>(*profile);
        ours.toProfile(); // logs the missing setting
        settings_.calibrationProfile = ours.shared_from_this();
        return true;
    });
}

namespace {

api::QuantizationFlags bitOf(api::QuantizationFlag flag) { return 1U << (static_cast<uint32_t>(flag) & 31U); }

} // namespace

/// Tensors are always calibrated before layers are fused, so kCALIBRATE_BEFORE_FUSION has no further effect.
void BuilderConfig::setQuantizationFlags(api::QuantizationFlags flags) noexcept { settings_.quantization = flags; }

void BuilderConfig::clearQuantizationFlag(api::QuantizationFlag flag) noexcept {
    setQuantizationFlags(settings_.quantization & ~bitOf(flag));
}

void BuilderConfig::setQuantizationFlag(api::QuantizationFlag flag) noexcept {
    setQuantizationFlags(settings_.quantization | bitOf(flag));
}

bool BuilderConfig::getQuantizationFlag(api::QuantizationFlag flag) const noexcept {
    return (settings_.quantization & bitOf(flag)) != 0;
}

// ---- flags by their neutral numbers

void BuilderConfig::setFlag_(int32_t flag, bool enable) noexcept {
    guarded(reporter_, enable ? "setFlag" : "clearFlag", [&] {
        if (flag < 0 || flag > 63) fail(ErrorCode::InvalidArgument, "flag ", flag, " does not exist");
        uint64_t const bit = uint64_t{1} << flag;
        settings_.flags = enable ? settings_.flags | bit : settings_.flags & ~bit;
    });
}

bool BuilderConfig::setTacticSources_(uint64_t sources) noexcept {
    return guarded(reporter_, "setTacticSources", [&] {
        constexpr int kLast = static_cast<int>(api::TacticSource::kJIT_CONVOLUTIONS);
        auto const mask = static_cast<uint32_t>(sources);
        if (mask >> (kLast + 1) != 0)
            fail(ErrorCode::InvalidArgument, "the mask has sources that do not exist; see TacticSource");
        settings_.tacticSources = sources;
        return true;
    });
}

bool BuilderConfig::leavesOut(api::TacticSource source) const {
    uint64_t const atFirst = settings_.tacticSources >> 32;
    return ((atFirst & ~settings_.tacticSources) >> static_cast<int>(source) & 1) != 0;
}

void BuilderConfig::setPreviewFeature_(int32_t feature, bool enable) noexcept {
    guarded(reporter_, "setPreviewFeature", [&] {
        if (feature < 0 || feature > 63) fail(ErrorCode::InvalidArgument, "feature ", feature, " does not exist");
        uint64_t const bit = uint64_t{1} << feature;
        settings_.previewFeatures = enable ? settings_.previewFeatures | bit : settings_.previewFeatures & ~bit;
    });
}

bool BuilderConfig::getPreviewFeature_(int32_t feature) const noexcept {
    return feature >= 0 && feature < 64 && ((settings_.previewFeatures >> feature) & 1U);
}

} // namespace tenon::trt

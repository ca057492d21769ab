// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// How a network is built.
#ifndef TENON_API_BUILDER_CONFIG_H
#define TENON_API_BUILDER_CONFIG_H

#include "tenon/api/algorithm.h"
#include "tenon/api/calibrator.h"
#include "tenon/api/callbacks.h"
#include "tenon/api/engine.h"
#include "tenon/api/layer.h"
#include "tenon/api/profile.h"
#include "tenon/api/timing_cache.h"

namespace nvinfer1 {

/// Where a layer runs.
enum class DeviceType : int32_t {
    kGPU = 0, ///< The engine's device, whatever it is.
    kDLA = 1, ///< A deep learning accelerator. There is none.
};

namespace impl {
template <> struct EnumMaxImpl<DeviceType> { static constexpr int32_t kVALUE = tenonAbi::countOf(DeviceType::kDLA); };
} // namespace impl

/// A kind of memory with a limit of its own.
enum class TENON_FROM_8(MemoryPoolType) : int32_t {
    kWORKSPACE = 0,        ///< Scratch memory of one kernel or plugin at its largest shapes.
    kDLA_MANAGED_SRAM = 1, ///< The DLA pools: kept, without effect.
    kDLA_LOCAL_DRAM = 2,
    kDLA_GLOBAL_DRAM = 3,
    kTACTIC_DRAM = 4, ///< Memory that a kernel is tried out in.
#if TENON_LEVEL >= 10
    kTACTIC_SHARED_MEMORY = 5, ///< Shared memory of a kernel; without effect.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(MemoryPoolType)> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(MemoryPoolType::kTACTIC_SHARED_MEMORY);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(MemoryPoolType)::kTACTIC_DRAM);
#endif
};
} // namespace impl

/// Which system an engine is built for.
enum class TENON_FROM_10(RuntimePlatform) : int32_t {
    kSAME_AS_BUILD = 0,
    kWINDOWS_AMD64 = 1, ///< Not supported.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(RuntimePlatform)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(RuntimePlatform)::kWINDOWS_AMD64);
};
} // namespace impl

/// How hard to look for kernels that work on tiles; without effect.
enum class TENON_FROM_10(TilingOptimizationLevel) : int32_t {
    kNONE = 0,
    kFAST = 1,
    kMODERATE = 2,
    kFULL = 3,
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(TilingOptimizationLevel)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(TilingOptimizationLevel)::kFULL);
};
} // namespace impl

/// How INT8 calibration is done.
enum class TENON_UNTIL_10(QuantizationFlag) : int32_t {
    kCALIBRATE_BEFORE_FUSION = 0, ///< Of all tensors that the network has, which is what every calibration does.
};
using TENON_UNTIL_10(QuantizationFlags) = uint32_t; ///< One bit for each QuantizationFlag.

namespace impl {
template <> struct EnumMaxImpl<TENON_UNTIL_10(QuantizationFlag)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_UNTIL_10(QuantizationFlag)::kCALIBRATE_BEFORE_FUSION);
};
} // namespace impl

/// How a network is built. Made by `IBuilder::createBuilderConfig()`; the program deletes it, before the builder. It
/// may be used for several builds, from one thread at a time. What it refers to (profiles, caches, callbacks) is not
/// owned.
class IBuilderConfig : public tenonAbi::INoCopy {
public:
    ~IBuilderConfig() override = default;

    /// How often a kernel is run, at least, when it is timed; the fastest run counts, of no fewer than four. At least
    /// 1; 1 unless set.
    virtual void setAvgTimingIterations(int32_t avgTiming) noexcept = 0;
    /// What setAvgTimingIterations() set; 1 unless set.
    virtual int32_t getAvgTimingIterations() const noexcept = 0;
    /// Only kSTANDARD is there; with others a build is refused.
    virtual void setEngineCapability(EngineCapability capability) noexcept = 0;
    /// What setEngineCapability() set; kSTANDARD unless set.
    virtual EngineCapability getEngineCapability() const noexcept = 0;

    /// The device of one layer. There is only the engine's, kGPU also on a CPU; kDLA is kept without effect, and the
    /// log says so.
    virtual void setDeviceType(ILayer const* layer, DeviceType deviceType) noexcept = 0;
    /// What setDeviceType() set for the layer; else getDefaultDeviceType().
    virtual DeviceType getDeviceType(ILayer const* layer) const noexcept = 0;
    /// Whether setDeviceType() was called for the layer, and not resetDeviceType() after it.
    virtual bool isDeviceTypeSet(ILayer const* layer) const noexcept = 0;
    /// Takes back setDeviceType().
    virtual void resetDeviceType(ILayer const* layer) noexcept = 0;
    /// \return false: there is no DLA
    virtual bool canRunOnDLA(ILayer const* layer) const noexcept = 0;
    /// Without effect, and the log says so: there is no DLA.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;
    /// 0: there is no DLA.
    virtual int32_t getDLACore() const noexcept = 0;
    /// The device of layers without one of their own. kGPU unless set; see setDeviceType().
    virtual void setDefaultDeviceType(DeviceType deviceType) noexcept = 0;
    /// What setDefaultDeviceType() set; kGPU unless set.
    virtual DeviceType getDefaultDeviceType() const noexcept = 0;

    /// Everything as it was when the configuration was made, profiles and timing cache included.
    virtual void reset() noexcept = 0;
    /// The stream to time kernels and plugins in, where the device has streams. Null: one of the build's own.
    virtual void setProfileStream(cudaStream_t const stream) noexcept = 0;
    /// What setProfileStream() set; null unless set.
    virtual cudaStream_t getProfileStream() const noexcept = 0;
    /// Adds a profile; it must be valid, and counts as it is when the network is built. A network with open dimensions
    /// needs at least one. \return its index; -1 on error
    virtual int32_t addOptimizationProfile(IOptimizationProfile const* profile) noexcept = 0;
    /// How many addOptimizationProfile() added. A build without any makes an engine with one, of the network's own
    /// extents.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;
    /// How much of the engine an IEngineInspector shows; kLAYER_NAMES_ONLY unless set.
    virtual void setProfilingVerbosity(ProfilingVerbosity verbosity) noexcept = 0;
    /// What setProfilingVerbosity() set; kLAYER_NAMES_ONLY unless set.
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;

    /// A cache from what `ITimingCache::serialize()` gave; empty from size 0. The receiver deletes it. Null where the
    /// bytes are not a cache.
    virtual TENON_FROM_8(ITimingCache) *
        TENON_FROM_8(createTimingCache)(void const* blob, std::size_t size) const noexcept = 0;
    /// Builds read the cache and add to it.
    /// \param ignoreMismatch whether a cache of another device is accepted
    virtual bool TENON_FROM_8(setTimingCache)(TENON_FROM_8(ITimingCache) const& cache,
                                              bool ignoreMismatch) noexcept = 0;
    /// Null where none is set.
    virtual TENON_FROM_8(ITimingCache) const* TENON_FROM_8(getTimingCache)() const noexcept = 0;

    /// Bytes; at first, for kWORKSPACE and kTACTIC_DRAM, the memory that the device has. A kernel or plugin that takes
    /// more workspace is not used; a build fails where nothing else computes the layer, and says what it takes. What
    /// takes more than kTACTIC_DRAM is not tried out. Other pools are kept without effect; the log says so.
    virtual void TENON_FROM_8(setMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType) pool, std::size_t poolSize) noexcept = 0;
    /// What setMemoryPoolLimit() set, else the limit at first, in bytes; 0 for a pool that does not exist.
    virtual std::size_t TENON_FROM_8(getMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType) pool) const noexcept = 0;

    /// How much time to spend on finding fast kernels, 0 to 5; 3 unless set. Below 3 nothing is timed; with 3, 4 and 5
    /// as much as takes about 2, 20 and 120 seconds. Others are refused, and the log says so.
    virtual void TENON_FROM_8(setBuilderOptimizationLevel)(int32_t level) noexcept = 0;
    /// What setBuilderOptimizationLevel() set; 3 unless set.
    virtual int32_t TENON_FROM_8(getBuilderOptimizationLevel)() noexcept = 0;
    /// Whatever is set, an engine runs on other processors and GPUs too, and makes its weights ready for them where it
    /// has to.
    virtual void TENON_FROM_8(setHardwareCompatibilityLevel)(TENON_FROM_8(HardwareCompatibilityLevel)
                                                                 hardwareCompatibilityLevel) noexcept = 0;
    /// What setHardwareCompatibilityLevel() set; kNONE unless set.
    virtual TENON_FROM_8(HardwareCompatibilityLevel) TENON_FROM_8(getHardwareCompatibilityLevel)() const noexcept = 0;
    /// Plugin libraries to put into the engine file, each path once. Paths are copied; the files are read when the
    /// engine is built, and their plugins are then registered with the builder. A runtime opens its copies only after
    /// setEngineHostCodeAllowed(true); what the libraries are linked to must be there.
    virtual void TENON_FROM_8(setPluginsToSerialize)(char const* const* paths, int32_t nbPaths) noexcept = 0;
    /// Null where `index` is out of range.
    virtual char const* TENON_FROM_8(getPluginToSerialize)(int32_t index) const noexcept = 0;
    /// How many paths setPluginsToSerialize() was given; 0 unless set.
    virtual int32_t TENON_FROM_8(getNbPluginsToSerialize)() const noexcept = 0;
    /// How many streams a run may use beside its own, so that branches of the network run at once; none where nothing
    /// is said. Without effect on a CPU. \return false below 0
    virtual bool TENON_FROM_8(setMaxAuxStreams)(int32_t nbStreams) noexcept = 0;
    /// -1 where none is set.
    virtual int32_t TENON_FROM_8(getMaxAuxStreams)() const noexcept = 0;

    /// Is told how far builds with this configuration are, and may stop them. Null: none. Not owned: keep it until they
    /// have ended.
    virtual void TENON_FROM_8(setProgressMonitor)(tenonAbi::IProgressMonitor* monitor) noexcept = 0;
    /// What setProgressMonitor() set; null unless set.
    virtual tenonAbi::IProgressMonitor* TENON_FROM_8(getProgressMonitor)() const noexcept = 0;
    /// Only kSAME_AS_BUILD is there; others are refused, and the log says so.
    virtual void TENON_FROM_10(setRuntimePlatform)(TENON_FROM_10(RuntimePlatform) runtimePlatform) noexcept = 0;
    /// kSAME_AS_BUILD.
    virtual TENON_FROM_10(RuntimePlatform) TENON_FROM_10(getRuntimePlatform)() const noexcept = 0;
    /// How many ways of one kernel or plugin are timed at most; -1, as at first: all. Fewer are refused.
    virtual void TENON_FROM_10(setMaxNbTactics)(int32_t maxNbTactics) noexcept = 0;
    /// What setMaxNbTactics() set; -1 unless set.
    virtual int32_t TENON_FROM_10(getMaxNbTactics)() const noexcept = 0;
    /// Kept without effect, and the log says so. \return false for a number that is no level
    virtual bool TENON_FROM_10(setTilingOptimizationLevel)(TENON_FROM_10(TilingOptimizationLevel) level) noexcept = 0;
    /// What setTilingOptimizationLevel() set; kNONE unless set.
    virtual TENON_FROM_10(TilingOptimizationLevel) TENON_FROM_10(getTilingOptimizationLevel)() const noexcept = 0;
    /// Bytes of cache that a tile may take, -1 for the device's own. Kept without effect, and the log says so. \return
    /// false below -1
    virtual bool TENON_FROM_10(setL2LimitForTiling)(int64_t size) noexcept = 0;
    /// What setL2LimitForTiling() set; -1 unless set.
    virtual int64_t TENON_FROM_10(getL2LimitForTiling)() const noexcept = 0;
    /// Not supported: tuning on another machine. \return false
    virtual bool TENON_FROM_10(setRemoteAutoTuningConfig)(char const* config) noexcept = 0;
    /// Null: there is no tuning on another machine.
    virtual char const* TENON_FROM_10(getRemoteAutoTuningConfig)() const noexcept = 0;

    /// What gives sample data to builds with BuilderFlag::kINT8, for the ranges of tensors that
    /// ITensor::setDynamicRange() gave none; null: nothing. It is not owned, and must live while builds use it. Without
    /// the flag, and in networks with quantize and dequantize layers, it has no effect, and the log says so.
    virtual void TENON_UNTIL_10(setInt8Calibrator)(TENON_UNTIL_10(IInt8Calibrator) * calibrator) noexcept = 0;
    /// What setInt8Calibrator() set; null unless set.
    virtual TENON_UNTIL_10(IInt8Calibrator) * TENON_UNTIL_10(getInt8Calibrator)() const noexcept = 0;
    /// Is asked for each layer which kernels are tried, and told which was taken. Null: none. Not owned.
    virtual void TENON_UNTIL_10(setAlgorithmSelector)(TENON_UNTIL_10(IAlgorithmSelector) * selector) noexcept = 0;
    /// What setAlgorithmSelector() set; null unless set.
    virtual TENON_UNTIL_10(IAlgorithmSelector) * TENON_UNTIL_10(getAlgorithmSelector)() const noexcept = 0;
    /// The shapes of the calibrator's batches: those at kOPT. Unless set, the first optimization profile has them. Null
    /// takes it back. \return false where the profile is not whole
    virtual bool TENON_UNTIL_10(setCalibrationProfile)(IOptimizationProfile const* profile) noexcept = 0;
    /// What setCalibrationProfile() set; null unless set.
    virtual IOptimizationProfile const* TENON_UNTIL_10(getCalibrationProfile)() noexcept = 0;
    /// Sets all flags at once. kCALIBRATE_BEFORE_FUSION asks for what is always done.
    virtual void TENON_UNTIL_10(setQuantizationFlags)(TENON_UNTIL_10(QuantizationFlags) flags) noexcept = 0;
    /// What setQuantizationFlags() and setQuantizationFlag() set; none at first.
    virtual TENON_UNTIL_10(QuantizationFlags) TENON_UNTIL_10(getQuantizationFlags)() const noexcept = 0;
    /// Takes back setQuantizationFlag().
    virtual void TENON_UNTIL_10(clearQuantizationFlag)(TENON_UNTIL_10(QuantizationFlag) flag) noexcept = 0;
    /// Adds one flag to those that setQuantizationFlags() sets.
    virtual void TENON_UNTIL_10(setQuantizationFlag)(TENON_UNTIL_10(QuantizationFlag) flag) noexcept = 0;
    /// Whether the flag is set.
    virtual bool TENON_UNTIL_10(getQuantizationFlag)(TENON_UNTIL_10(QuantizationFlag) flag) const noexcept = 0;

    /// Sets all flags at once: those not in the mask are cleared. At first only kTF32 is set.
    TENON_LEVELED void setFlags(BuilderFlags builderFlags) noexcept {
        setFlags_(tenonAbi::neutralBits<BuilderFlag>(builderFlags));
    }
    /// What setFlags() and setFlag() set, a bit for each BuilderFlag.
    TENON_LEVELED BuilderFlags getFlags() const noexcept { return tenonAbi::levelledBits<BuilderFlag>(getFlags_()); }
    /// Sets one flag. What a flag does, and which are refused when a build begins, is said at BuilderFlag.
    TENON_LEVELED void setFlag(BuilderFlag builderFlag) noexcept { setFlag_(tenonAbi::neutral(builderFlag), true); }
    /// Takes back setFlag(); BuilderFlag::kTF32 is the only one that is set at first.
    TENON_LEVELED void clearFlag(BuilderFlag builderFlag) noexcept { setFlag_(tenonAbi::neutral(builderFlag), false); }
    /// Whether the flag is set.
    TENON_LEVELED bool getFlag(BuilderFlag builderFlag) const noexcept {
        return (getFlags_() >> tenonAbi::neutral(builderFlag)) & 1U;
    }
    /// Leaves out kernels of the sources that are on at first and not in the mask. Where no other kernel of the device
    /// computes a node, it keeps its own. \return true
    TENON_LEVELED bool setTacticSources(TacticSources tacticSources) noexcept {
        return setTacticSources_(tenonAbi::neutralBits<TacticSource>(tacticSources) | tenonAbi::sourcesAtFirst() << 32);
    }
    /// What setTacticSources() set. At first all that the level has, from level 10 on without the libraries.
    TENON_LEVELED TacticSources getTacticSources() const noexcept {
        uint64_t const set = getTacticSources_();
        return tenonAbi::levelledBits<TacticSource>(set != 0 ? set : tenonAbi::sourcesAtFirst());
    }
#if TENON_LEVEL >= 8
    /// Switches something on or off that is not common yet. Only kALIASED_PLUGIN_IO_10_03 has an effect.
    TENON_LEVELED void setPreviewFeature(TENON_FROM_8(PreviewFeature) feature, bool enable) noexcept {
        setPreviewFeature_(tenonAbi::neutral(feature), enable);
    }
    /// Whether it is on. Only kPROFILE_SHARING_0806 is on at first.
    TENON_LEVELED bool getPreviewFeature(TENON_FROM_8(PreviewFeature) feature) const noexcept {
        return getPreviewFeature_(tenonAbi::neutral(feature));
    }
#endif

#if TENON_LEVEL >= 11 || defined(TENON_ALL_LEVELS)
    /// Sets options of the builder, as in "-fuse_epilogue=off -find_attention=on"; those not named have their defaults,
    /// as all have for "". Each option is a rewriting of the network that may be left out: the engine computes the same
    /// within rounding, at another speed.
    /// \return false, and the log says why, for an option or a value that getAllBuildRoutes() does not list; the route
    /// stays what it was
    bool setBuildRoute(char const* buildRoute) noexcept { return setBuildRoute_(buildRoute); }
    /// The route that was set last, as it was given; "" initially.
    char const* getBuildRoute() const noexcept { return getBuildRoute_(); }
    /// All options, as JSON: {"tuner_version": "…", "tuner_options": [{"option": "-fuse_epilogue", "allowed_values":
    /// "-fuse_epilogue=[on|off]", "default_value": "on", "help": "…"}, …]}. Valid until the process ends.
    char const* getAllBuildRoutes() const noexcept { return getAllBuildRoutes_(); }
#endif

#if TENON_LEVEL < 10
    /// A layer is timed at least so often; 1 at first.
    void setMinTimingIterations(int32_t minTiming) noexcept { setMinTimingIterations_(minTiming); }
    /// What setMinTimingIterations() set; 1 unless set.
    int32_t getMinTimingIterations() const noexcept { return getMinTimingIterations_(); }
    /// As setMemoryPoolLimit(kWORKSPACE).
    void setMaxWorkspaceSize(std::size_t workspaceSize) noexcept {
        TENON_FROM_8(setMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType)::kWORKSPACE, workspaceSize);
    }
    /// As getMemoryPoolLimit(kWORKSPACE): bytes, the memory of the device unless set.
    std::size_t getMaxWorkspaceSize() const noexcept {
        return TENON_FROM_8(getMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType)::kWORKSPACE);
    }
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

protected:
    virtual void setFlags_(uint64_t flags) noexcept = 0;
    virtual uint64_t getFlags_() const noexcept = 0;
    virtual void setFlag_(int32_t flag, bool enable) noexcept = 0;
    /// A neutral mask, and from bit 32 on the sources that are on at first in the program's level.
    virtual bool setTacticSources_(uint64_t sources) noexcept = 0;
    virtual uint64_t getTacticSources_() const noexcept = 0; // what setTacticSources_() set; 0: nothing
    virtual void setPreviewFeature_(int32_t feature, bool enable) noexcept = 0;
    virtual bool getPreviewFeature_(int32_t feature) const noexcept = 0;
    virtual void setMinTimingIterations_(int32_t minTiming) noexcept = 0;
    virtual int32_t getMinTimingIterations_() const noexcept = 0;
    virtual bool setBuildRoute_(char const* buildRoute) noexcept = 0;
    virtual char const* getBuildRoute_() const noexcept = 0;
    virtual char const* getAllBuildRoutes_() const noexcept = 0;
};

} // namespace nvinfer1

#endif

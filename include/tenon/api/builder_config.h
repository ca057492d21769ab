// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The settings of a build.
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

/// The device of a layer.
enum class DeviceType : int32_t {
    kGPU = 0, ///< The engine's device: a GPU, or the CPU if the engine runs there.
    kDLA = 1, ///< A DLA (deep learning accelerator). Without effect: there is none.
};

namespace impl {
template <> struct EnumMaxImpl<DeviceType> { static constexpr int32_t kVALUE = tenonAbi::countOf(DeviceType::kDLA); };
} // namespace impl

/// Memory with a limit of its own; IBuilderConfig::setMemoryPoolLimit().
enum class TENON_FROM_8(MemoryPoolType) : int32_t {
    kWORKSPACE = 0,        ///< Scratch memory of one kernel or plugin at its largest shapes.
    kDLA_MANAGED_SRAM = 1, ///< Memory of a DLA; without effect.
    kDLA_LOCAL_DRAM = 2,   ///< Memory of a DLA; without effect.
    kDLA_GLOBAL_DRAM = 3,  ///< Memory of a DLA; without effect.
    kTACTIC_DRAM = 4,      ///< Device memory in which a kernel is timed.
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

/// The system for which an engine is built; IBuilderConfig::setRuntimePlatform().
enum class TENON_FROM_10(RuntimePlatform) : int32_t {
    kSAME_AS_BUILD = 0, ///< The system of the build.
    kWINDOWS_AMD64 = 1, ///< Windows on x86-64. Not supported.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(RuntimePlatform)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(RuntimePlatform)::kWINDOWS_AMD64);
};
} // namespace impl

/// The effort to find tilings; IBuilderConfig::setTilingOptimizationLevel(). Without effect: kernels choose their tiles
/// by the processor's caches.
enum class TENON_FROM_10(TilingOptimizationLevel) : int32_t {
    kNONE = 0,     ///< None; the default.
    kFAST = 1,     ///< Little.
    kMODERATE = 2, ///< Medium.
    kFULL = 3,     ///< Much.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_10(TilingOptimizationLevel)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_10(TilingOptimizationLevel)::kFULL);
};
} // namespace impl

/// Options of INT8 calibration. Up to level 10.
enum class TENON_UNTIL_10(QuantizationFlag) : int32_t {
    kCALIBRATE_BEFORE_FUSION = 0, ///< Calibrates the tensors before fusion, as every calibration does.
};
using TENON_UNTIL_10(QuantizationFlags) = uint32_t; ///< One bit for each QuantizationFlag.

namespace impl {
template <> struct EnumMaxImpl<TENON_UNTIL_10(QuantizationFlag)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_UNTIL_10(QuantizationFlag)::kCALIBRATE_BEFORE_FUSION);
};
} // namespace impl

/// The settings of a build. IBuilder::createBuilderConfig() makes it; it may be used for several builds.
///
/// Setters check their arguments: an invalid value is an error in the log, and the setting stays. Settings without
/// effect on the device are named in a warning.
///
/// \note Owner: the application deletes it, before the builder. Calibrators, selectors, monitors and streams that are
/// set are not owned: keep them valid while builds use them.
/// \note Thread: one at a time.
class IBuilderConfig : public tenonAbi::INoCopy {
public:
    ~IBuilderConfig() override = default;

    /// Sets how many times a kernel is run when it is timed; at least four runs are made, and the fastest one counts.
    /// \param avgTiming at least 1
    virtual void setAvgTimingIterations(int32_t avgTiming) noexcept = 0;
    /// Returns the number of timed runs of a kernel; 1 unless set.
    virtual int32_t getAvgTimingIterations() const noexcept = 0;
    /// Sets the capability of the engine. A build fails for all but kSTANDARD.
    virtual void setEngineCapability(EngineCapability capability) noexcept = 0;
    /// Returns the capability; kSTANDARD unless set.
    virtual EngineCapability getEngineCapability() const noexcept = 0;

    /// Sets the device type of one layer. kGPU is the engine's device, on a CPU too; kDLA has no effect, and a warning
    /// says so.
    virtual void setDeviceType(ILayer const* layer, DeviceType deviceType) noexcept = 0;
    /// Returns the device type of the layer; unless set, getDefaultDeviceType().
    virtual DeviceType getDeviceType(ILayer const* layer) const noexcept = 0;
    /// Returns whether a device type is set for the layer.
    virtual bool isDeviceTypeSet(ILayer const* layer) const noexcept = 0;
    /// Removes the device type of the layer: the default applies.
    virtual void resetDeviceType(ILayer const* layer) noexcept = 0;
    /// Returns false: there is no DLA.
    virtual bool canRunOnDLA(ILayer const* layer) const noexcept = 0;
    /// Has no effect, and a warning says so: there is no DLA.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;
    /// Returns 0: there is no DLA.
    virtual int32_t getDLACore() const noexcept = 0;
    /// Sets the device type of layers without one of their own. kDLA has no effect, and a warning says so.
    virtual void setDefaultDeviceType(DeviceType deviceType) noexcept = 0;
    /// Returns the device type of layers without one of their own; kGPU unless set.
    virtual DeviceType getDefaultDeviceType() const noexcept = 0;

    /// Restores all defaults: flags, profiles, timing cache, limits and callbacks.
    virtual void reset() noexcept = 0;
    /// Sets the stream in which kernels and plugins are timed. No effect on devices without streams, such as a CPU.
    /// \param stream not owned; null: a stream of the build
    virtual void setProfileStream(cudaStream_t const stream) noexcept = 0;
    /// Returns the stream in which kernels are timed; null unless set.
    virtual cudaStream_t getProfileStream() const noexcept = 0;
    /// Adds a profile; a network with dimensions of -1 needs at least one. The build reads the ranges that the profile
    /// has then. Names that are not inputs of the network are ignored with a warning.
    /// \pre IOptimizationProfile::isValid()
    /// \return the index of the profile in the engine; -1 on error
    virtual int32_t addOptimizationProfile(IOptimizationProfile const* profile) noexcept = 0;
    /// Returns the number of added profiles. Without any, the engine has one profile with the extents of the network.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;
    /// Sets how much an IEngineInspector, profiles and NVTX ranges of the engine show.
    virtual void setProfilingVerbosity(ProfilingVerbosity verbosity) noexcept = 0;
    /// Returns the verbosity; kLAYER_NAMES_ONLY unless set.
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;

    /// Creates a timing cache. Since level 8.
    /// \param blob the bytes of ITimingCache::serialize(); ignored if `size` is 0
    /// \param size the number of bytes; 0: an empty cache for the current device
    /// \return the cache, which the caller deletes; null, and an error in the log, if the bytes are not a timing cache
    virtual TENON_FROM_8(ITimingCache) *
        TENON_FROM_8(createTimingCache)(void const* blob, std::size_t size) const noexcept = 0;
    /// Sets the cache from which builds read times and to which they add new ones. Since level 8.
    /// \param cache its entries are shared: they stay valid after the application has deleted the object
    /// \param ignoreMismatch whether times of another device are accepted
    /// \return false, and an error in the log, for the times of another device without `ignoreMismatch`
    virtual bool TENON_FROM_8(setTimingCache)(TENON_FROM_8(ITimingCache) const& cache,
                                              bool ignoreMismatch) noexcept = 0;
    /// Returns the cache of setTimingCache(); null if none is set. Since level 8.
    virtual TENON_FROM_8(ITimingCache) const* TENON_FROM_8(getTimingCache)() const noexcept = 0;

    /// Sets the limit of a memory pool. Since level 8.
    ///
    /// - kWORKSPACE: kernels and plugins that need more are not used. If nothing else computes a layer, the build fails
    ///   with the number of bytes that it needs.
    /// - kTACTIC_DRAM: kernels that need more device memory are not timed.
    /// - Others have no effect, and a warning says so.
    /// \param poolSize bytes
    virtual void TENON_FROM_8(setMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType) pool, std::size_t poolSize) noexcept = 0;
    /// Returns the limit of a memory pool in bytes. Unless set: the memory of the device for kWORKSPACE and
    /// kTACTIC_DRAM, 1 MiB, 1 GiB and 512 MiB for the pools of a DLA, else 0. Since level 8.
    virtual std::size_t TENON_FROM_8(getMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType) pool) const noexcept = 0;

    /// Sets how much time a build spends on timing kernels: 0 to 2 none, kernels are chosen by estimates; 3 about 2
    /// seconds, 4 about 20, 5 about 120. Since level 8.
    /// \param level 0 to 5; others are an error
    virtual void TENON_FROM_8(setBuilderOptimizationLevel)(int32_t level) noexcept = 0;
    /// Returns the optimization level; 3 unless set. Since level 8.
    virtual int32_t TENON_FROM_8(getBuilderOptimizationLevel)() noexcept = 0;
    /// Stores the hardware compatibility level. It changes nothing: every engine runs on other processors and GPUs, and
    /// repacks its weights there when it is loaded. Since level 8.
    virtual void TENON_FROM_8(setHardwareCompatibilityLevel)(TENON_FROM_8(HardwareCompatibilityLevel)
                                                                 hardwareCompatibilityLevel) noexcept = 0;
    /// Returns the hardware compatibility level; kNONE unless set. Since level 8.
    virtual TENON_FROM_8(HardwareCompatibilityLevel) TENON_FROM_8(getHardwareCompatibilityLevel)() const noexcept = 0;
    /// Sets the plugin libraries that are embedded in the engine file. Since level 8.
    ///
    /// A build reads the files and registers their plugins with the builder. A runtime opens the copies only after
    /// IRuntime::setEngineHostCodeAllowed(true); libraries that they link to must be installed there.
    /// \param paths copied; each library once
    /// \param nbPaths 0 removes all
    virtual void TENON_FROM_8(setPluginsToSerialize)(char const* const* paths, int32_t nbPaths) noexcept = 0;
    /// Returns a path of setPluginsToSerialize(); null if `index` is out of range. Since level 8.
    virtual char const* TENON_FROM_8(getPluginToSerialize)(int32_t index) const noexcept = 0;
    /// Returns the number of embedded plugin libraries; 0 unless set. Since level 8.
    virtual int32_t TENON_FROM_8(getNbPluginsToSerialize)() const noexcept = 0;
    /// Sets the number of streams that a run may use besides its own, so that branches of the network run in parallel.
    /// No effect on a CPU. Since level 8.
    /// \return false, and an error in the log, for a negative number
    virtual bool TENON_FROM_8(setMaxAuxStreams)(int32_t nbStreams) noexcept = 0;
    /// Returns the number of auxiliary streams; -1 unless set, which means none. Since level 8.
    virtual int32_t TENON_FROM_8(getMaxAuxStreams)() const noexcept = 0;

    /// Sets the object that receives the progress of builds and can stop them; null removes it. Not owned. Since level
    /// 8.
    virtual void TENON_FROM_8(setProgressMonitor)(tenonAbi::IProgressMonitor* monitor) noexcept = 0;
    /// Returns the progress monitor; null unless set. Since level 8.
    virtual tenonAbi::IProgressMonitor* TENON_FROM_8(getProgressMonitor)() const noexcept = 0;
    /// Checks the system of the engine: all but kSAME_AS_BUILD are an error, "not supported". Since level 10.
    virtual void TENON_FROM_10(setRuntimePlatform)(TENON_FROM_10(RuntimePlatform) runtimePlatform) noexcept = 0;
    /// Returns kSAME_AS_BUILD. Since level 10.
    virtual TENON_FROM_10(RuntimePlatform) TENON_FROM_10(getRuntimePlatform)() const noexcept = 0;
    /// Sets the largest number of tactics of one kernel or plugin that are timed. Since level 10.
    /// \param maxNbTactics -1: all; less is an error
    virtual void TENON_FROM_10(setMaxNbTactics)(int32_t maxNbTactics) noexcept = 0;
    /// Returns the largest number of timed tactics; -1, which means all, unless set. Since level 10.
    virtual int32_t TENON_FROM_10(getMaxNbTactics)() const noexcept = 0;
    /// Stores the effort to find tilings, without effect; a warning says so for all but kNONE. Since level 10.
    /// \return false for a number that is not an enumerator
    virtual bool TENON_FROM_10(setTilingOptimizationLevel)(TENON_FROM_10(TilingOptimizationLevel) level) noexcept = 0;
    /// Returns the stored level; kNONE unless set. Since level 10.
    virtual TENON_FROM_10(TilingOptimizationLevel) TENON_FROM_10(getTilingOptimizationLevel)() const noexcept = 0;
    /// Stores the cache that a tile may use, without effect; a warning says so for all but -1. Since level 10.
    /// \param size bytes; -1: the default of the device
    /// \return false for less than -1
    virtual bool TENON_FROM_10(setL2LimitForTiling)(int64_t size) noexcept = 0;
    /// Returns the stored limit in bytes; -1 unless set. Since level 10.
    virtual int64_t TENON_FROM_10(getL2LimitForTiling)() const noexcept = 0;
    /// Fails: tuning on another machine is not supported. Since level 10.
    /// \return false, and an error in the log
    virtual bool TENON_FROM_10(setRemoteAutoTuningConfig)(char const* config) noexcept = 0;
    /// Returns null: tuning on another machine is not supported. Since level 10.
    virtual char const* TENON_FROM_10(getRemoteAutoTuningConfig)() const noexcept = 0;

    /// Sets the calibrator that provides sample batches, from which a build with BuilderFlag::kINT8 finds the ranges of
    /// tensors without ITensor::setDynamicRange(). Up to level 10.
    ///
    /// It has no effect without the flag and in networks with quantize or dequantize layers; a warning says so.
    /// \param calibrator not owned; null removes it
    virtual void TENON_UNTIL_10(setInt8Calibrator)(TENON_UNTIL_10(IInt8Calibrator) * calibrator) noexcept = 0;
    /// Returns the calibrator; null unless set. Up to level 10.
    virtual TENON_UNTIL_10(IInt8Calibrator) * TENON_UNTIL_10(getInt8Calibrator)() const noexcept = 0;
    /// Sets the object that chooses among the kernels of each layer and receives the result; null removes it. Not
    /// owned. Up to level 10.
    virtual void TENON_UNTIL_10(setAlgorithmSelector)(TENON_UNTIL_10(IAlgorithmSelector) * selector) noexcept = 0;
    /// Returns the algorithm selector; null unless set. Up to level 10.
    virtual TENON_UNTIL_10(IAlgorithmSelector) * TENON_UNTIL_10(getAlgorithmSelector)() const noexcept = 0;
    /// Sets the profile whose kOPT shapes the batches of the calibrator have. Unless set, those of the first
    /// optimization profile. Up to level 10.
    /// \param profile null removes it
    /// \return false, and an error in the log, if the profile is not valid
    virtual bool TENON_UNTIL_10(setCalibrationProfile)(IOptimizationProfile const* profile) noexcept = 0;
    /// Returns the calibration profile; null unless set. Up to level 10.
    virtual IOptimizationProfile const* TENON_UNTIL_10(getCalibrationProfile)() noexcept = 0;
    /// Sets all quantization flags; bits that are not in the mask are cleared. The only flag has no effect. Up to level
    /// 10.
    virtual void TENON_UNTIL_10(setQuantizationFlags)(TENON_UNTIL_10(QuantizationFlags) flags) noexcept = 0;
    /// Returns the quantization flags; 0 unless set. Up to level 10.
    virtual TENON_UNTIL_10(QuantizationFlags) TENON_UNTIL_10(getQuantizationFlags)() const noexcept = 0;
    /// Clears one quantization flag. Up to level 10.
    virtual void TENON_UNTIL_10(clearQuantizationFlag)(TENON_UNTIL_10(QuantizationFlag) flag) noexcept = 0;
    /// Sets one quantization flag. Up to level 10.
    virtual void TENON_UNTIL_10(setQuantizationFlag)(TENON_UNTIL_10(QuantizationFlag) flag) noexcept = 0;
    /// Returns whether the quantization flag is set. Up to level 10.
    virtual bool TENON_UNTIL_10(getQuantizationFlag)(TENON_UNTIL_10(QuantizationFlag) flag) const noexcept = 0;

    /// Sets all flags: bits that are not in the mask are cleared.
    TENON_LEVELED void setFlags(BuilderFlags builderFlags) noexcept {
        setFlags_(tenonAbi::neutralBits<BuilderFlag>(builderFlags));
    }
    /// Returns the flags, a bit for each BuilderFlag. Initially only kTF32 is set.
    TENON_LEVELED BuilderFlags getFlags() const noexcept { return tenonAbi::levelledBits<BuilderFlag>(getFlags_()); }
    /// Sets one flag. Flags that are refused, and flags without effect on the device, are reported when a build begins.
    TENON_LEVELED void setFlag(BuilderFlag builderFlag) noexcept { setFlag_(tenonAbi::neutral(builderFlag), true); }
    /// Clears one flag.
    TENON_LEVELED void clearFlag(BuilderFlag builderFlag) noexcept { setFlag_(tenonAbi::neutral(builderFlag), false); }
    /// Returns whether the flag is set.
    TENON_LEVELED bool getFlag(BuilderFlag builderFlag) const noexcept {
        return (getFlags_() >> tenonAbi::neutral(builderFlag)) & 1U;
    }
    /// Excludes kernels of libraries: those whose source is in the default mask of the level and not in this one. A
    /// layer that nothing else computes keeps its kernel.
    /// \param tacticSources a bit for each TacticSource
    /// \return false, and an error in the log, for bits that are not a source
    TENON_LEVELED bool setTacticSources(TacticSources tacticSources) noexcept {
        return setTacticSources_(tenonAbi::neutralBits<TacticSource>(tacticSources) | tenonAbi::sourcesAtFirst() << 32);
    }
    /// Returns the tactic sources. Unless set: all of the level; from level 10 on without the libraries.
    TENON_LEVELED TacticSources getTacticSources() const noexcept {
        uint64_t const set = getTacticSources_();
        return tenonAbi::levelledBits<TacticSource>(set != 0 ? set : tenonAbi::sourcesAtFirst());
    }
#if TENON_LEVEL >= 8
    /// Switches a preview feature on or off. Only kALIASED_PLUGIN_IO_10_03 has an effect. Since level 8.
    TENON_LEVELED void setPreviewFeature(TENON_FROM_8(PreviewFeature) feature, bool enable) noexcept {
        setPreviewFeature_(tenonAbi::neutral(feature), enable);
    }
    /// Returns whether the preview feature is on. Initially only kPROFILE_SHARING_0806 is. Since level 8.
    TENON_LEVELED bool getPreviewFeature(TENON_FROM_8(PreviewFeature) feature) const noexcept {
        return getPreviewFeature_(tenonAbi::neutral(feature));
    }
#endif

#if TENON_LEVEL >= 11 || defined(TENON_ALL_LEVELS)
    /// Switches optional rewritings of the network on or off: "-fuse_epilogue=off -find_attention=on". Options that are
    /// not named are on. The engine computes the same within rounding, at another speed. Level 11 only.
    /// \param buildRoute copied; "" sets all options to their defaults
    /// \return false, and an error in the log, for an option or a value that getAllBuildRoutes() does not list; the
    /// route stays
    bool setBuildRoute(char const* buildRoute) noexcept { return setBuildRoute_(buildRoute); }
    /// Returns the build route as it was set; "" unless set. Level 11 only.
    char const* getBuildRoute() const noexcept { return getBuildRoute_(); }
    /// Returns all options as JSON: {"tuner_version": "…", "tuner_options": [{"option": "-fuse_epilogue",
    /// "allowed_values": "-fuse_epilogue=[on|off]", "default_value": "on", "help": "…"}, …]}. Valid until the process
    /// ends. Level 11 only.
    char const* getAllBuildRoutes() const noexcept { return getAllBuildRoutes_(); }
#endif

#if TENON_LEVEL < 10
    /// Sets the smallest number of timed runs of a kernel; see setAvgTimingIterations(). Up to level 8.
    void setMinTimingIterations(int32_t minTiming) noexcept { setMinTimingIterations_(minTiming); }
    /// Returns the smallest number of timed runs of a kernel; 1 unless set. Up to level 8.
    int32_t getMinTimingIterations() const noexcept { return getMinTimingIterations_(); }
    /// Sets the limit of kWORKSPACE in bytes; see setMemoryPoolLimit(). Up to level 8.
    void setMaxWorkspaceSize(std::size_t workspaceSize) noexcept {
        TENON_FROM_8(setMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType)::kWORKSPACE, workspaceSize);
    }
    /// Returns the limit of kWORKSPACE in bytes; unless set, the memory of the device. Up to level 8.
    std::size_t getMaxWorkspaceSize() const noexcept {
        return TENON_FROM_8(getMemoryPoolLimit)(TENON_FROM_8(MemoryPoolType)::kWORKSPACE);
    }
    /// Deletes the configuration, as `delete` does. Up to level 8.
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

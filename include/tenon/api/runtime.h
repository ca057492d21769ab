// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Loads serialized engines.
#ifndef TENON_API_RUNTIME_H
#define TENON_API_RUNTIME_H

#include "NvInferRuntimeCommon.h"
#include "tenon/api/engine.h"
#include "tenon/api/refitter.h"

namespace nvinfer1 {

namespace v_1_0 {
class IStreamReader;
class IStreamReaderV2;
} // namespace v_1_0

/// Where a runtime may write plugin libraries that an engine file embeds. Since level 8.
enum class TENON_FROM_8(TempfileControlFlag) : int32_t {
    kALLOW_IN_MEMORY_FILES = 0, ///< To anonymous files in memory.
    kALLOW_TEMPORARY_FILES = 1, ///< To the temporary directory.
};
using TENON_FROM_8(TempfileControlFlags) = uint32_t; ///< One bit for each TempfileControlFlag.

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(TempfileControlFlag)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(TempfileControlFlag)::kALLOW_TEMPORARY_FILES);
};
} // namespace impl

/// The allocation of DLA workspace. Without effect: there is no DLA. Since level 11.
enum class TENON_FROM_11(DLAWorkspaceAllocationStrategy) : int32_t {
    kDEFAULT = 0,       ///< Each engine has its own.
    kSHARED_STATIC = 1, ///< The engines of a runtime and DLA core share it.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_11(DLAWorkspaceAllocationStrategy)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_11(DLAWorkspaceAllocationStrategy)::kSHARED_STATIC);
};
} // namespace impl

/// Loads serialized engines. createInferRuntime() makes it.
///
/// \note Owner: the application deletes it, after the engines that it loaded.
/// \note Thread: several may load at once; setters from one at a time, while nothing is loaded.
class IRuntime : public tenonAbi::INoCopy {
public:
    ~IRuntime() override = default;

#if TENON_LEVEL < 10
    /// Deletes the runtime, as `delete` does. Up to level 8.
    void destroy() noexcept { delete this; }
#endif

    /// Has no effect, and a warning says so: there is no DLA.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;
    /// Returns 0: there is no DLA.
    virtual int32_t getDLACore() const noexcept = 0;
    /// Returns 0: there is no DLA.
    virtual int32_t getNbDLACores() const noexcept = 0;
    /// Sets the allocator for contexts, and their plugins, of engines that are loaded afterwards.
    /// \param allocator not owned; null selects the allocator of the library
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;
    /// Sets the error recorder of the runtime and of engines that it loads afterwards; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    /// Loads an engine. The registry of the runtime must have the creators of its plugins.
    /// \param blob the bytes of a serialized engine; may be freed afterwards
    /// \param size the number of bytes
    /// \return the engine, which the caller deletes; null on error, and the log says what is wrong with the bytes or
    /// which plugin is missing
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;
    /// Returns the logger that createInferRuntime() received. Since level 8.
    virtual ILogger* TENON_FROM_8(getLogger)() const noexcept = 0;
    /// Sets the number of threads that runs on a CPU may use, of engines that are loaded afterwards. Since level 8.
    /// \param maxThreads at least 1
    /// \return false, and an error in the log, for less
    virtual bool TENON_FROM_8(setMaxThreads)(int32_t maxThreads) noexcept = 0;
    /// Returns the number of threads; unless set, the value of the environment variable TENON_THREADS, else the number
    /// of CPUs that the process may use. Since level 8.
    virtual int32_t TENON_FROM_8(getMaxThreads)() const noexcept = 0;

    /// Sets the folder to which plugin libraries of engine files are written. Since level 8.
    /// \param path copied; a folder that no other user can write to. Null: $TMPDIR, else /tmp. "" is an error
    virtual void TENON_FROM_8(setTemporaryDirectory)(char const* path) noexcept = 0;
    /// Returns the folder of setTemporaryDirectory(); null unless set. Since level 8.
    virtual char const* TENON_FROM_8(getTemporaryDirectory)() const noexcept = 0;
    /// Sets where plugin libraries of engine files may be written. Memory is tried first. Since level 8.
    /// \param flags a bit for each TempfileControlFlag; other bits are an error
    virtual void TENON_FROM_8(setTempfileControlFlags)(TENON_FROM_8(TempfileControlFlags) flags) noexcept = 0;
    /// Returns the flags of setTempfileControlFlags(); both unless set. Since level 8.
    virtual TENON_FROM_8(TempfileControlFlags) TENON_FROM_8(getTempfileControlFlags)() const noexcept = 0;
    /// Returns the plugin registry of this runtime. It contains what is registered here and, through its parent,
    /// everything that is registered in the process. Since level 8.
    virtual IPluginRegistry& TENON_FROM_8(getPluginRegistry)() noexcept = 0;
    /// Creates another runtime of this library, which reads engines of its other versions. Since level 8.
    /// \param path not opened; null is an error
    /// \return the runtime, which the caller deletes; null on error
    virtual IRuntime* TENON_FROM_8(loadRuntime)(char const* path) noexcept = 0;
    /// Sets whether engines with embedded plugin libraries (IBuilderConfig::setPluginsToSerialize()) may be loaded,
    /// which runs the code of these libraries. Their plugins are registered with this runtime only. Since level 8.
    virtual void TENON_FROM_8(setEngineHostCodeAllowed)(bool allowed) noexcept = 0;
    /// Returns whether engines with embedded plugin libraries may be loaded; false unless set. Since level 8.
    virtual bool TENON_FROM_8(getEngineHostCodeAllowed)() const noexcept = 0;

    /// Loads an engine from a stream. The reader is called on this thread, from front to back, and not after the end of
    /// the engine. Since level 10.
    /// \return the engine, which the caller deletes; null on error
    virtual ICudaEngine* deserializeCudaEngine(v_1_0::IStreamReader& streamReader) noexcept = 0;
    /// Loads an engine from a stream. The reader receives addresses in host memory and a null stream; it is not asked
    /// to seek. Since level 10.
    /// \return the engine, which the caller deletes; null on error
    virtual ICudaEngine* deserializeCudaEngine(v_1_0::IStreamReaderV2& streamReader) noexcept = 0;

#if TENON_LEVEL < 10
    /// Loads an engine whose plugins of the first generation a factory makes. Up to level 8; only level 7 has such
    /// plugins.
    /// \param factory called for each of them during this call; null: none. The application keeps the plugins as long
    /// as the engine. Other plugins come from the registry
    /// \return the engine, which the caller deletes; null on error
    ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size, IPluginFactory* factory) noexcept {
        return deserializeCudaEngine_(blob, size, factory);
    }
#endif

protected:
    /// \param factory an IPluginFactory, or null
    virtual ICudaEngine* deserializeCudaEngine_(void const* blob, std::size_t size, void* factory) noexcept = 0;

public:
    /// Stores the allocation strategy of DLA workspace, without effect; a warning says so. Since level 11.
    /// \return false for a number that is not an enumerator
    virtual bool TENON_FROM_11(setDLAWorkspaceAllocationStrategy)(TENON_FROM_11(DLAWorkspaceAllocationStrategy)
                                                                      strategy) noexcept = 0;
    /// Returns the stored strategy; kDEFAULT unless set. Since level 11.
    virtual TENON_FROM_11(DLAWorkspaceAllocationStrategy)
        TENON_FROM_11(getDLAWorkspaceAllocationStrategy)() const noexcept = 0;
};

} // namespace nvinfer1

/// Implements createInferRuntime().
/// \param version NV_TENSORRT_VERSION of the headers of the caller
TENON_C_FUNCTION void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept;

/// Implements createInferRefitter().
/// \param version NV_TENSORRT_VERSION of the headers of the caller
TENON_C_FUNCTION void* createInferRefitter_INTERNAL(void* engine, void* logger, int32_t version) noexcept;

namespace nvinfer1 {

/// Creates a runtime.
/// \param logger not owned; keep it valid as long as everything that is made from the runtime
/// \return the runtime, which the caller deletes; null on error
TENON_LEVELED inline IRuntime* createInferRuntime(ILogger& logger) noexcept {
    return static_cast<IRuntime*>(createInferRuntime_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

/// Creates a refitter, which sets weights of the engine.
/// \param logger not owned; keep it valid as long as the refitter
/// \return the refitter, which the caller deletes; null, and an error in the log, if the engine is not refittable
TENON_LEVELED inline IRefitter* createInferRefitter(ICudaEngine& engine, ILogger& logger) noexcept {
    return static_cast<IRefitter*>(createInferRefitter_INTERNAL(&engine, &logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#endif

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Loads engines.
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

/// Where files may be written while an engine is loaded.
enum class TENON_FROM_8(TempfileControlFlag) : int32_t {
    kALLOW_IN_MEMORY_FILES = 0, ///< In memory, without a name.
    kALLOW_TEMPORARY_FILES = 1, ///< In the temporary directory.
};
using TENON_FROM_8(TempfileControlFlags) = uint32_t; ///< One bit for each TempfileControlFlag.

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(TempfileControlFlag)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(TempfileControlFlag)::kALLOW_TEMPORARY_FILES);
};
} // namespace impl

/// How DLA workspace memory is allocated.
enum class TENON_FROM_11(DLAWorkspaceAllocationStrategy) : int32_t {
    kDEFAULT = 0,       ///< Each engine has its own.
    kSHARED_STATIC = 1, ///< Engines of a runtime and DLA core share it.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_11(DLAWorkspaceAllocationStrategy)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_11(DLAWorkspaceAllocationStrategy)::kSHARED_STATIC);
};
} // namespace impl

/// Loads engines. Made by `createInferRuntime()`; the program deletes it, after all engines that it loaded. May be used
/// from several threads; setters from one at a time.
class IRuntime : public tenonAbi::INoCopy {
public:
    ~IRuntime() override = default;

#if TENON_LEVEL < 10
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

    /// Without effect, and the log says so: there is no DLA.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;
    /// 0: there is no DLA.
    virtual int32_t getDLACore() const noexcept = 0;
    /// 0: there is no DLA.
    virtual int32_t getNbDLACores() const noexcept = 0;
    /// For the scratch memory of contexts of engines that are loaded from now on, and lent to their plugins. Null: the
    /// library's own. Not owned.
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;
    /// Errors are kept there, beside the log. Null: none. Not owned; counted by incRefCount(). Engines loaded from now
    /// on have it too.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// What setErrorRecorder() set; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    /// Loads a saved engine from memory, which may be freed afterwards. Plugins in it are made by the creators that are
    /// registered now. The receiver deletes the engine; null on error, and the log says what is wrong with the file or
    /// which plugin is missing.
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;
    /// The logger that the runtime was made with.
    virtual ILogger* TENON_FROM_8(getLogger)() const noexcept = 0;
    /// How many threads a run on the CPU may use, of engines loaded from now on; at least 1. \return false for fewer
    virtual bool TENON_FROM_8(setMaxThreads)(int32_t maxThreads) noexcept = 0;
    /// What setMaxThreads() set; at first TENON_THREADS, else the processors that the process may use.
    virtual int32_t TENON_FROM_8(getMaxThreads)() const noexcept = 0;

    /// Where the code in engines may be written to files for as long as it is needed: a folder that nobody else may
    /// change. Copied. Null: $TMPDIR, or else /tmp.
    virtual void TENON_FROM_8(setTemporaryDirectory)(char const* path) noexcept = 0;
    /// Null where none was set.
    virtual char const* TENON_FROM_8(getTemporaryDirectory)() const noexcept = 0;
    /// Both kinds unless set; in memory is tried first.
    virtual void TENON_FROM_8(setTempfileControlFlags)(TENON_FROM_8(TempfileControlFlags) flags) noexcept = 0;
    /// What setTempfileControlFlags() set; both kinds unless set.
    virtual TENON_FROM_8(TempfileControlFlags) TENON_FROM_8(getTempfileControlFlags)() const noexcept = 0;
    /// The plugins of this runtime: what is registered here, and through its parent what is registered everywhere.
    virtual IPluginRegistry& TENON_FROM_8(getPluginRegistry)() noexcept = 0;
    /// A new runtime of this library, which reads plans of its other versions too; the file is not opened.
    virtual IRuntime* TENON_FROM_8(loadRuntime)(char const* path) noexcept = 0;
    /// Whether engines that carry code for the host (IBuilderConfig::setPluginsToSerialize) may be loaded: that runs
    /// it. Their plugins are registered with this runtime only. False unless set.
    virtual void TENON_FROM_8(setEngineHostCodeAllowed)(bool allowed) noexcept = 0;
    /// What setEngineHostCodeAllowed() set; false unless set.
    virtual bool TENON_FROM_8(getEngineHostCodeAllowed)() const noexcept = 0;

    /// Loads an engine that is read in pieces, front to back; nothing is read behind its end. The receiver deletes it;
    /// null on error.
    virtual ICudaEngine* deserializeCudaEngine(v_1_0::IStreamReader& streamReader) noexcept = 0;
    /// The same. The reader is given host memory and a null stream; it need not seek.
    virtual ICudaEngine* deserializeCudaEngine(v_1_0::IStreamReaderV2& streamReader) noexcept = 0;

#if TENON_LEVEL < 10
    /// Loads a saved engine from memory. The factory makes its plugins of the first generation, which level 7 has; all
    /// others come from the registry. It is not asked once the engine is there; the plugins that it made stay the
    /// program's, which keeps them as long as the engine.
    ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size, IPluginFactory* factory) noexcept {
        return deserializeCudaEngine_(blob, size, factory);
    }
#endif

protected:
    /// \param factory an IPluginFactory, or null
    virtual ICudaEngine* deserializeCudaEngine_(void const* blob, std::size_t size, void* factory) noexcept = 0;

public:
    /// Kept without effect, and the log says so: there is no DLA. \return false for a number that is not a strategy
    virtual bool TENON_FROM_11(setDLAWorkspaceAllocationStrategy)(TENON_FROM_11(DLAWorkspaceAllocationStrategy)
                                                                      strategy) noexcept = 0;
    /// What setDLAWorkspaceAllocationStrategy() set; kDEFAULT unless set.
    virtual TENON_FROM_11(DLAWorkspaceAllocationStrategy)
        TENON_FROM_11(getDLAWorkspaceAllocationStrategy)() const noexcept = 0;
};

} // namespace nvinfer1

/// The function behind createInferRuntime(): `version` is NV_TENSORRT_VERSION of the caller's headers.
TENON_C_FUNCTION void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept;

/// The function behind createInferRefitter().
TENON_C_FUNCTION void* createInferRefitter_INTERNAL(void* engine, void* logger, int32_t version) noexcept;

namespace nvinfer1 {

/// A runtime that logs to `logger`, which must live as long as everything made from it. Null on error.
TENON_LEVELED inline IRuntime* createInferRuntime(ILogger& logger) noexcept {
    return static_cast<IRuntime*>(createInferRuntime_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

/// Exchanges weights of the engine. Null, with an error in the log, where it was not built to be refitted.
TENON_LEVELED inline IRefitter* createInferRefitter(ICudaEngine& engine, ILogger& logger) noexcept {
    return static_cast<IRefitter*>(createInferRefitter_INTERNAL(&engine, &logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#endif

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Interfaces that an application implements so that the engine allocates memory, logs and reports errors through it.
///
/// \note Owner: the application. The engine never deletes such an object: keep it valid until every object that uses it
/// has been deleted.
/// \note Thread: the engine may call the methods from several threads at once.
/// \note The methods must not throw.
#ifndef NV_INFER_RUNTIME_BASE_H
#define NV_INFER_RUNTIME_BASE_H

#include "tenon/api/types.h"

namespace nvinfer1 {

#if TENON_LEVEL >= 8
/// Requests for an allocation; each is a bit of AllocatorFlags. Since level 8.
enum class AllocatorFlag : int32_t {
    kRESIZABLE = 0, ///< The caller may pass the memory to reallocate().
};

/// A set of flags: bit `1U << static_cast<uint32_t>(flag)` for each AllocatorFlag. Since level 8.
using AllocatorFlags = uint32_t;

namespace impl {
template <> struct EnumMaxImpl<AllocatorFlag> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(AllocatorFlag::kRESIZABLE);
};
} // namespace impl
#endif

/// Allocates the memory of execution contexts: activations and workspaces. An application sets it with
/// IBuilder::setGpuAllocator(), IRuntime::setGpuAllocator() or IExecutionContext::setTemporaryStorageAllocator();
/// plugins receive it in attachToContext().
///
/// The engine calls allocateAsync() and deallocateAsync() with a null stream and synchronizes the streams of the
/// device, so that a block may be used in any stream. It allocates when a context first needs memory and again when a
/// shape needs more, on the thread that makes or runs the context. Their default implementations call allocate() and
/// deallocate(), so an application implements the methods that are pure at its level. The application's allocator is
/// ignored on devices whose memory applications cannot allocate.
class IGpuAllocator : public tenonAbi::IVersionedInterface {
public:
    ~IGpuAllocator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IGpuAllocator", 1, 0};
    }

    /// Allocates memory on the current device.
    /// \param size the size in bytes; 0 is answered with null
    /// \param alignment a power of two, or 0 for any. The engine requests 64 on a CPU and 256 on a GPU
    /// \param flags a set of AllocatorFlag; the engine passes 0
    /// \return the address; null if there is not enough memory, which fails the call that needs it
    virtual void* allocate(uint64_t const size, uint64_t const alignment, uint32_t const flags) = 0;

    /// Frees memory of allocate(). Up to level 8 this is the method to implement.
    /// \param memory an address that allocate() returned; null is ignored
#if TENON_LEVEL <= 8
    virtual void free(void* const memory) = 0;
#else
    TENON_LEVELED virtual void free_(void* const memory) { static_cast<void>(deallocate(memory)); }
#endif

    /// Enlarges memory that was allocated with kRESIZABLE, in place or at another address, and keeps its content. The
    /// engine does not call it. Since level 8.
    /// \return the new address; null, which leaves the old memory valid, if the memory cannot be enlarged. Unless
    /// overridden: null
    virtual void* TENON_FROM_8(reallocate)(void* const /*baseAddr*/, uint64_t /*alignment*/, uint64_t /*newSize*/) {
        return nullptr;
    }

    /// Frees memory of allocate() or reallocate(). From level 10 on this is the method to implement; at level 8 it
    /// calls free().
    /// \param memory an address of this allocator; null is ignored
    /// \return false if the memory is not of this allocator
#if TENON_LEVEL >= 10
    virtual bool deallocate(void* const memory) = 0;
#else
    TENON_LEVELED virtual bool TENON_FROM_8(deallocate)(void* const memory) {
        this->free(memory);
        return true;
    }
#endif

    /// Allocates memory in stream order: work that is enqueued on `stream` afterwards may use it. Unless overridden, it
    /// calls allocate(). Since level 10.
    virtual void* TENON_FROM_10(allocateAsync)(uint64_t const size, uint64_t const alignment, uint32_t const flags,
                                               cudaStream_t /*stream*/) {
        return allocate(size, alignment, flags);
    }

    /// Frees memory in stream order: work that was enqueued on `stream` before may still use it. Unless overridden, it
    /// calls deallocate(). Since level 10.
    virtual bool TENON_FROM_10(deallocateAsync)(void* const memory, cudaStream_t /*stream*/) {
        return TENON_FROM_8(deallocate)(memory);
    }
};

#if TENON_LEVEL >= 10
/// An allocator of stream-ordered memory. Applications implement the asynchronous methods; allocate() and deallocate()
/// call them with a null stream. Since level 10.
class IGpuAsyncAllocator : public IGpuAllocator {
public:
    ~IGpuAsyncAllocator() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IGpuAllocator", 1, 0}; }

    /// Allocates memory that work enqueued on `stream` afterwards may use. \return null if there is not enough memory
    void* allocateAsync(uint64_t const size, uint64_t const alignment, uint32_t const flags,
                        cudaStream_t stream) override = 0;

    /// Frees memory after the work that was enqueued on `stream` before. \return false if the memory is not of this
    /// allocator
    bool deallocateAsync(void* const memory, cudaStream_t stream) override = 0;

    /// Calls allocateAsync() with a null stream.
    void* allocate(uint64_t const size, uint64_t const alignment, uint32_t const flags) override {
        return allocateAsync(size, alignment, flags, nullptr);
    }

    /// Calls deallocateAsync() with a null stream.
    bool deallocate(void* const memory) override { return deallocateAsync(memory, nullptr); }
};
#endif

/// Receives the messages of the library. Builders, runtimes, refitters and parsers require one.
///
/// The library calls it from the threads that call the API and from its own worker threads, possibly at once. An
/// exception of the logger is discarded.
class ILogger : public tenonAbi::IVersionedInterface {
public:
    /// The severity of a message, the most severe first: a logger that shows warnings shows all numbers up to kWARNING.
    enum class Severity : int32_t {
        kINTERNAL_ERROR = 0, ///< A defect of the library. The call fails.
        kERROR = 1,          ///< The call fails. The message names object, cause and remedy.
        kWARNING = 2,        ///< The call succeeds, possibly not as intended; also settings without effect.
        kINFO = 3,           ///< Progress and results of a build or load.
        kVERBOSE = 4,        ///< Details for debugging.
    };

    ~ILogger() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"ILogger", 1, 0};
    }

    /// Receives one message.
    /// \param severity the severity; filter by it, since all messages are passed
    /// \param msg the text without a line break; valid during the call only
    virtual void log(Severity severity, char const* msg) = 0;
};

namespace impl {
template <> struct EnumMaxImpl<ILogger::Severity> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ILogger::Severity::kVERBOSE);
};
} // namespace impl

/// Stores errors so that the application can read them after a call has failed. An application sets it with
/// setErrorRecorder() of builders, networks, runtimes, engines, contexts, refitters and inspectors. Objects that they
/// make afterwards report to it too.
///
/// The engine calls reportError() and the two methods of the reference count; the other methods are for the
/// application. The engine calls incRefCount() when an object begins to use the recorder and decRefCount() when it
/// ends, so a recorder that counts them can delete itself.
class IErrorRecorder : public tenonAbi::IVersionedInterface {
public:
    /// The text of an error, null-terminated.
    using ErrorDesc = char const*;
    /// A number of users.
    using RefCount = int32_t;

#if TENON_LEVEL >= 8
    /// The number of bytes of a description that a recorder stores at least. Since level 8.
    static constexpr size_t kMAX_DESC_LENGTH{127U};
#endif

    ~IErrorRecorder() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IErrorRecorder", 1, 0};
    }

    /// Returns the number of stored errors. The engine does not call it.
    virtual int32_t getNbErrors() const = 0;

    /// Returns the category of an error. The engine does not call it.
    /// \param errorIdx 0, the oldest, to getNbErrors() - 1
    /// \return kINVALID_ARGUMENT if the index is out of range
    virtual ErrorCode getErrorCode(int32_t errorIdx) const = 0;

    /// Returns the text of an error. The engine does not call it.
    /// \param errorIdx 0, the oldest, to getNbErrors() - 1
    /// \return the text, valid until clear(); "" if the index is out of range
    virtual ErrorDesc getErrorDesc(int32_t errorIdx) const = 0;

    /// Returns whether errors were dropped because the storage was full. The engine does not call it.
    virtual bool hasOverflowed() const = 0;

    /// Removes all errors. The engine does not call it.
    virtual void clear() = 0;

    /// Stores an error. The engine calls it once for each error, on the thread where the error occurred, before it logs
    /// the same text.
    /// \param val the category
    /// \param desc "method: cause; remedy"; valid during the call only
    /// \return whether the application wants to stop; ignored, since the failed call has ended
    virtual bool reportError(ErrorCode val, ErrorDesc desc) = 0;

    /// Increments the number of users. \return the new number; ignored
    virtual RefCount incRefCount() = 0;
    /// Decrements the number of users. \return the new number; ignored
    virtual RefCount decRefCount() = 0;
};

#if TENON_LEVEL >= 10
// The names that these interfaces have since they carry a version.
namespace v_1_0 {
using nvinfer1::IErrorRecorder;
using nvinfer1::IGpuAllocator;
using nvinfer1::IGpuAsyncAllocator;
#if TENON_LEVEL >= 11
using nvinfer1::ILogger;
#endif
} // namespace v_1_0
#endif

} // namespace nvinfer1

/// Returns the API version of the library for the level of the caller, as NV_TENSORRT_VERSION of its headers.
TENON_C_FUNCTION int32_t getInferLibVersion() noexcept __asm__("tenonGetInferLibVersion" TENON_TEXT(TENON_LEVEL));

#if TENON_LEVEL >= 10
/// Returns the major number of that version. Since level 10.
TENON_C_FUNCTION int32_t getInferLibMajorVersion() noexcept
    __asm__("tenonGetInferLibMajorVersion" TENON_TEXT(TENON_LEVEL));
/// Returns the minor number of that version. Since level 10.
TENON_C_FUNCTION int32_t getInferLibMinorVersion() noexcept
    __asm__("tenonGetInferLibMinorVersion" TENON_TEXT(TENON_LEVEL));
/// Returns the patch number of that version. Since level 10.
TENON_C_FUNCTION int32_t getInferLibPatchVersion() noexcept
    __asm__("tenonGetInferLibPatchVersion" TENON_TEXT(TENON_LEVEL));
/// Returns the build number of that version. Since level 10.
TENON_C_FUNCTION int32_t getInferLibBuildVersion() noexcept
    __asm__("tenonGetInferLibBuildVersion" TENON_TEXT(TENON_LEVEL));
#endif

#endif // NV_INFER_RUNTIME_BASE_H

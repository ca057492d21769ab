// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a program may give to the engine so that it can allocate, log and report errors its way.
///
/// The engine never owns such an object: keep it alive as long as what was made with it. Its methods may be called from
/// several threads at once and must not throw.
#ifndef NV_INFER_RUNTIME_BASE_H
#define NV_INFER_RUNTIME_BASE_H

#include "tenon/api/types.h"

namespace nvinfer1 {

#if TENON_LEVEL >= 8
/// Wishes for an allocation; bits of AllocatorFlags.
enum class AllocatorFlag : int32_t {
    kRESIZABLE = 0, ///< The engine may call reallocate() on the memory.
};

/// A set of wishes: bit `1U << static_cast<uint32_t>(flag)` for each AllocatorFlag.
using AllocatorFlags = uint32_t;

namespace impl {
template <> struct EnumMaxImpl<AllocatorFlag> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(AllocatorFlag::kRESIZABLE);
};
} // namespace impl
#endif

/// Gives the engine its device memory: `IBuilder::setGpuAllocator()`, `IRuntime::setGpuAllocator()`.
///
/// The engine allocates with allocateAsync() and frees with deallocateAsync(); which of the other methods a program
/// implements depends on its level, and the ones that it leaves alone forward to those.
class IGpuAllocator : public tenonAbi::IVersionedInterface {
public:
    ~IGpuAllocator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IGpuAllocator", 1, 0};
    }

    /// Memory on the current device.
    /// \param size bytes; 0 asks for nothing and is answered with null
    /// \param alignment a power of two, or 0 for any
    /// \param flags a set of AllocatorFlag
    /// \return null where there is not enough
    virtual void* allocate(uint64_t const size, uint64_t const alignment, uint32_t const flags) = 0;

    /// Frees what allocate() gave; null is ignored. Up to level 8 this is the one to implement.
#if TENON_LEVEL <= 8
    virtual void free(void* const memory) = 0;
#else
    TENON_LEVELED virtual void free_(void* const memory) { static_cast<void>(deallocate(memory)); }
#endif

    /// Makes memory that was allocated with kRESIZABLE larger, in place or elsewhere; its content is kept.
    /// \return null where that cannot be had: the old memory stays as it is
    virtual void* TENON_FROM_8(reallocate)(void* const /*baseAddr*/, uint64_t /*alignment*/, uint64_t /*newSize*/) {
        return nullptr;
    }

    /// Frees what allocate() or reallocate() gave; null is ignored. From level 10 on this is the one to implement.
    /// \return false where the memory is not of this allocator
#if TENON_LEVEL >= 10
    virtual bool deallocate(void* const memory) = 0;
#else
    TENON_LEVELED virtual bool TENON_FROM_8(deallocate)(void* const memory) {
        this->free(memory);
        return true;
    }
#endif

    /// allocate() in the order of a stream: the memory may be used by work that is put on `stream` from now on.
    virtual void* TENON_FROM_10(allocateAsync)(uint64_t const size, uint64_t const alignment, uint32_t const flags,
                                               cudaStream_t /*stream*/) {
        return allocate(size, alignment, flags);
    }

    /// deallocate() in the order of a stream: work that was put on `stream` before may still use the memory.
    virtual bool TENON_FROM_10(deallocateAsync)(void* const memory, cudaStream_t /*stream*/) {
        return TENON_FROM_8(deallocate)(memory);
    }
};

#if TENON_LEVEL >= 10
/// An allocator that works in the order of streams only; the other methods forward to these two.
class IGpuAsyncAllocator : public IGpuAllocator {
public:
    ~IGpuAsyncAllocator() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IGpuAllocator", 1, 0}; }

    void* allocateAsync(uint64_t const size, uint64_t const alignment, uint32_t const flags,
                        cudaStream_t stream) override = 0;

    bool deallocateAsync(void* const memory, cudaStream_t stream) override = 0;

    void* allocate(uint64_t const size, uint64_t const alignment, uint32_t const flags) override {
        return allocateAsync(size, alignment, flags, nullptr);
    }

    bool deallocate(void* const memory) override { return deallocateAsync(memory, nullptr); }
};
#endif

/// Is told what the engine has to say. One is required to make a builder, a runtime or a parser.
class ILogger : public tenonAbi::IVersionedInterface {
public:
    /// How much a message matters, the gravest first.
    enum class Severity : int32_t {
        kINTERNAL_ERROR = 0, ///< A fault of the engine's own; what it was doing is lost.
        kERROR = 1,          ///< What was asked for failed; the message says why and what to do.
        kWARNING = 2,        ///< It works, but maybe not as meant.
        kINFO = 3,           ///< What is being done.
        kVERBOSE = 4,        ///< Details, for those who look for something.
    };

    ~ILogger() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"ILogger", 1, 0};
    }

    /// \param msg one message without a line end; copy it to keep it
    virtual void log(Severity severity, char const* msg) = 0;
};

namespace impl {
template <> struct EnumMaxImpl<ILogger::Severity> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ILogger::Severity::kVERBOSE);
};
} // namespace impl

/// Keeps the errors that happened, for a program to look through. Counts its users: the engine calls incRefCount() when
/// it is given one and decRefCount() when it lets go.
class IErrorRecorder : public tenonAbi::IVersionedInterface {
public:
    using ErrorDesc = char const*;
    using RefCount = int32_t;

#if TENON_LEVEL >= 8
    /// A recorder keeps at least so many bytes of a description.
    static constexpr size_t kMAX_DESC_LENGTH{127U};
#endif

    ~IErrorRecorder() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IErrorRecorder", 1, 0};
    }

    /// How many errors are kept. This and the four methods behind it are for the program; the engine does not call
    /// them.
    virtual int32_t getNbErrors() const = 0;

    /// The kind of error `errorIdx`, 0 the oldest; kINVALID_ARGUMENT where there is none.
    virtual ErrorCode getErrorCode(int32_t errorIdx) const = 0;

    /// The text of error `errorIdx`, valid until clear(); "" where there is none.
    virtual ErrorDesc getErrorDesc(int32_t errorIdx) const = 0;

    /// Whether errors were dropped because there was no room.
    virtual bool hasOverflowed() const = 0;

    /// Forgets all errors.
    virtual void clear() = 0;

    /// Called by the engine once for each error, on the thread where it happened.
    /// \param desc method, object and what to do; copy it to keep it
    /// \return whether the program wants to stop; ignored, since what failed has ended by then
    virtual bool reportError(ErrorCode val, ErrorDesc desc) = 0;

    /// One user more: called when an object begins to report to the recorder. \return the users; not looked at
    virtual RefCount incRefCount() = 0;
    /// One user less: called when that object gets another recorder or is deleted. \return the users; not looked at
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

/// The version of the API that the library answers for, in the numbers of NV_TENSORRT_VERSION of the caller's level.
TENON_C_FUNCTION int32_t getInferLibVersion() noexcept __asm__("tenonGetInferLibVersion" TENON_TEXT(TENON_LEVEL));

#if TENON_LEVEL >= 10
/// Its parts: NV_TENSORRT_MAJOR and so on.
TENON_C_FUNCTION int32_t getInferLibMajorVersion() noexcept
    __asm__("tenonGetInferLibMajorVersion" TENON_TEXT(TENON_LEVEL));
TENON_C_FUNCTION int32_t getInferLibMinorVersion() noexcept
    __asm__("tenonGetInferLibMinorVersion" TENON_TEXT(TENON_LEVEL));
TENON_C_FUNCTION int32_t getInferLibPatchVersion() noexcept
    __asm__("tenonGetInferLibPatchVersion" TENON_TEXT(TENON_LEVEL));
TENON_C_FUNCTION int32_t getInferLibBuildVersion() noexcept
    __asm__("tenonGetInferLibBuildVersion" TENON_TEXT(TENON_LEVEL));
#endif

#endif // NV_INFER_RUNTIME_BASE_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Memory of a device, and copies to and from it, for programs that run engines on any device: on the CPU and on GPUs
/// alike, without a CUDA toolkit to build with. Programs that have CUDA's own calls may use those on the same memory
/// and the same streams.
///
/// A device is named as in tenon/device.h; null is the one for the engines that this process builds and loads now.
#ifndef TENON_MEMORY_H
#define TENON_MEMORY_H

#include "tenon/api/level.h"

#include <cstddef>
#include <cstdint>

struct CUstream_st;
struct TenonMemory;
struct TenonStream;
struct TenonMoment;

// The C functions behind the classes below. Those that return a text return null when all is well, else what is wrong;
// this text lives until the thread's next call.
TENON_C_FUNCTION char const* tenonDeviceBytes(char const* device, uint64_t* bytes) noexcept;
TENON_C_FUNCTION char const* tenonAllocate(char const* device, uint64_t bytes, TenonMemory** memory) noexcept;
TENON_C_FUNCTION void tenonFree(TenonMemory* memory) noexcept;
TENON_C_FUNCTION void* tenonAddressOf(TenonMemory const* memory) noexcept;
TENON_C_FUNCTION char const* tenonMakeStream(char const* device, TenonStream** stream) noexcept;
TENON_C_FUNCTION void tenonEndStream(TenonStream* stream) noexcept;
TENON_C_FUNCTION CUstream_st* tenonStreamHandle(TenonStream const* stream) noexcept;
TENON_C_FUNCTION char const* tenonCopy(TenonStream* stream, void* to, void const* from, uint64_t bytes) noexcept;
TENON_C_FUNCTION char const* tenonWait(TenonStream* stream) noexcept;
TENON_C_FUNCTION char const* tenonMark(TenonStream* stream, TenonMoment** moment) noexcept;
TENON_C_FUNCTION char const* tenonTimeBetween(TenonMoment const* from, TenonMoment const* to,
                                              double* nanoseconds) noexcept;
TENON_C_FUNCTION void tenonForget(TenonMoment* moment) noexcept;

namespace tenon {

/// Bytes of memory that a device has in all. \return null, or why there is no such device
inline char const* deviceBytes(char const* device, uint64_t& bytes) noexcept {
    return tenonDeviceBytes(device, &bytes);
}

/// Memory of a device, aligned for any engine, uninitialized; freed at the end. On the CPU it is host
/// memory, and so it is on devices whose engines take that.
class DeviceMemory {
public:
    DeviceMemory(char const* device, size_t bytes) noexcept
        : bytes_(bytes), error_(tenonAllocate(device, bytes, &memory_)) {}
    ~DeviceMemory() { tenonFree(memory_); }
    DeviceMemory(DeviceMemory const&) = delete;
    DeviceMemory& operator=(DeviceMemory const&) = delete;

    /// Null where the memory is there, else why not: no such device, or how much is asked for and how much is free. The
    /// text lives until this thread's next call.
    char const* error() const noexcept { return error_; }
    void* data() const noexcept { return tenonAddressOf(memory_); }
    size_t size() const noexcept { return bytes_; }

private:
    TenonMemory* memory_ = nullptr;
    size_t bytes_;
    char const* error_;
};

/// A point in a stream, see Stream::mark().
class StreamMoment {
public:
    StreamMoment() = default;
    ~StreamMoment() { tenonForget(moment_); }
    StreamMoment(StreamMoment const&) = delete;
    StreamMoment& operator=(StreamMoment const&) = delete;

    /// Nanoseconds on the device from `earlier` to this one; waits until both have passed. \return null, or why not
    char const* since(StreamMoment const& earlier, double& nanoseconds) const noexcept {
        return tenonTimeBetween(earlier.moment_, moment_, &nanoseconds);
    }

private:
    friend class Stream;
    TenonMoment* moment_ = nullptr;
};

/// Work of a device in order: copies, and what enqueueV3 puts there. On the CPU all is done when a call returns.
class Stream {
public:
    explicit Stream(char const* device = nullptr) noexcept : error_(tenonMakeStream(device, &stream_)) {}
    ~Stream() { tenonEndStream(stream_); }
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;

    /// Null where it could be made, else why not. The text lives until this thread's next call.
    char const* error() const noexcept { return error_; }
    /// For enqueueV3: a cudaStream_t; null on the CPU.
    CUstream_st* get() const noexcept { return tenonStreamHandle(stream_); }
    /// Copies between host and device memory, in the direction that the addresses say. Both may be in use until wait().
    /// \return null, or why not
    char const* copy(void* to, void const* from, size_t bytes) noexcept { return tenonCopy(stream_, to, from, bytes); }
    /// Waits until all that was put into the stream is done. \return null, or what went wrong there
    char const* wait() noexcept { return tenonWait(stream_); }
    /// `moment` is now, after all that was put into the stream before. \return null, or why not
    char const* mark(StreamMoment& moment) noexcept { return tenonMark(stream_, &moment.moment_); }

private:
    TenonStream* stream_ = nullptr;
    char const* error_;
};

} // namespace tenon

#endif // TENON_MEMORY_H

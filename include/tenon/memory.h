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

/// Returns the memory of a device in bytes.
/// \return null; else why there is no such device
inline char const* deviceBytes(char const* device, uint64_t& bytes) noexcept {
    return tenonDeviceBytes(device, &bytes);
}

/// Allocates uninitialized memory of a device, aligned for any engine, and frees it in the destructor. On a CPU, and on
/// devices whose engines read host memory, it is host memory.
class DeviceMemory {
public:
    /// Allocates memory. Look at error() afterwards: the constructor does not throw.
    /// \param device as in tenon/device.h; null is the default device of the process
    DeviceMemory(char const* device, size_t bytes) noexcept
        : bytes_(bytes), error_(tenonAllocate(device, bytes, &memory_)) {}
    ~DeviceMemory() { tenonFree(memory_); }
    DeviceMemory(DeviceMemory const&) = delete;
    DeviceMemory& operator=(DeviceMemory const&) = delete;

    /// Returns null if the memory was allocated; else why not: there is no such device, or too little memory is free.
    /// Valid until the next call of this thread.
    char const* error() const noexcept { return error_; }
    /// Returns the address; null after an error.
    void* data() const noexcept { return tenonAddressOf(memory_); }
    /// Returns the requested size in bytes.
    size_t size() const noexcept { return bytes_; }

private:
    TenonMemory* memory_ = nullptr;
    size_t bytes_;
    char const* error_;
};

/// A point in a stream, for measuring times; see Stream::mark(). The destructor frees it.
class StreamMoment {
public:
    StreamMoment() = default;
    ~StreamMoment() { tenonForget(moment_); }
    StreamMoment(StreamMoment const&) = delete;
    StreamMoment& operator=(StreamMoment const&) = delete;

    /// Measures the time on the device from `earlier` to this point. Waits until both have passed.
    /// \param nanoseconds receives the time
    /// \return null; else why not, valid until the next call of this thread
    char const* since(StreamMoment const& earlier, double& nanoseconds) const noexcept {
        return tenonTimeBetween(earlier.moment_, moment_, &nanoseconds);
    }

private:
    friend class Stream;
    TenonMoment* moment_ = nullptr;
};

/// A queue of work of a device: copies, and runs of enqueueV3(). On a CPU all work is done when a call returns.
class Stream {
public:
    /// Creates a stream of a device. Look at error() afterwards: the constructor does not throw.
    /// \param device as in tenon/device.h; null is the default device of the process
    explicit Stream(char const* device = nullptr) noexcept : error_(tenonMakeStream(device, &stream_)) {}
    ~Stream() { tenonEndStream(stream_); }
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;

    /// Returns null if the stream was created; else why not. Valid until the next call of this thread.
    char const* error() const noexcept { return error_; }
    /// Returns the stream for enqueueV3(), a cudaStream_t; null on a CPU.
    CUstream_st* get() const noexcept { return tenonStreamHandle(stream_); }
    /// Enqueues a copy between host and device memory; the addresses determine the direction. Both must stay valid
    /// until wait().
    /// \return null; else why not, valid until the next call of this thread
    char const* copy(void* to, void const* from, size_t bytes) noexcept { return tenonCopy(stream_, to, from, bytes); }
    /// Waits until all work of the stream is done.
    /// \return null; else the error of the work
    char const* wait() noexcept { return tenonWait(stream_); }
    /// Sets `moment` to the current end of the stream.
    /// \return null; else why not
    char const* mark(StreamMoment& moment) noexcept { return tenonMark(stream_, &moment.moment_); }

private:
    TenonStream* stream_ = nullptr;
    char const* error_;
};

} // namespace tenon

#endif // TENON_MEMORY_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <NvInferRuntimeBase.h>

#include <chrono>
#include <cstddef>
#include <memory>

namespace trtexec {

class Log;

/// Points in the life of a query at which the device has done all that was asked of it before.
enum class Moment { kUploadStart, kUploadEnd, kComputeStart, kComputeEnd, kDownloadStart, kDownloadEnd };
constexpr size_t kMoments = 6;
using MomentTimes = std::array<double, kMoments>; // milliseconds since Clock's start, in the order of Moment

/// The time since the inference began, which all streams share.
class Clock {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Memory of a device.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    virtual std::byte* data() = 0;
    virtual size_t size() const = 0;
};

/// Work in order: copies and queries. Used by one thread.
class DeviceQueue {
public:
    virtual ~DeviceQueue() = default;
    /// For enqueueV3.
    virtual cudaStream_t stream() = 0;
    virtual void upload(DeviceMemory& to, std::byte const* from, size_t bytes) = 0;
    virtual void download(std::byte* to, void const* from, size_t bytes) = 0;
    virtual void mark(Moment moment) = 0;
    /// Waits until all is done. \return when each moment was; 0 for those that were not marked since the last call
    virtual MomentTimes finish() = 0;
};

/// The device that engines run on, as far as this program uses it itself. Everything specific to a kind of device is
/// behind this interface.
class Device {
public:
    virtual ~Device() = default;
    /// Bytes of memory that it has.
    virtual size_t memoryBytes() const = 0;
    /// Uninitialized memory, aligned for any engine. A Failure where all that was allocated would exceed memoryBytes().
    virtual std::unique_ptr<DeviceMemory> allocate(size_t bytes) = 0;
    virtual std::unique_ptr<DeviceQueue> makeQueue(Clock const& clock) = 0;
    /// Whether enqueueV3 returns before the work is done.
    virtual bool queuesWork() const = 0;
};

/// Makes the device that the options ask for the one that engines are built for and run on, and describes it in the
/// log. A Failure where the machine does not have it.
std::unique_ptr<Device> selectDevice(SystemOptions const& options, Log& log);

} // namespace trtexec

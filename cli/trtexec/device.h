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

/// Points of a query at which the device has completed all earlier work.
enum class Moment { kUploadStart, kUploadEnd, kComputeStart, kComputeEnd, kDownloadStart, kDownloadEnd };
constexpr size_t kMoments = 6;
using MomentTimes = std::array<double, kMoments>; // milliseconds since Clock's start, in the order of Moment

/// The time since the inference began, shared by all streams.
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

/// A queue of copies and queries, executed in order. Used by one thread.
class DeviceQueue {
public:
    virtual ~DeviceQueue() = default;
    /// For enqueueV3.
    virtual cudaStream_t stream() = 0;
    virtual void upload(DeviceMemory& to, std::byte const* from, size_t bytes) = 0;
    virtual void download(std::byte* to, void const* from, size_t bytes) = 0;
    virtual void mark(Moment moment) = 0;
    /// Waits until all work is done. \return the time of each moment; 0 for those not marked since the last call
    virtual MomentTimes finish() = 0;
};

/// The device that engines run on, as far as this program itself uses it. All device-specific code is behind this
/// interface.
class Device {
public:
    virtual ~Device() = default;
    /// Its memory, in bytes.
    virtual size_t memoryBytes() const = 0;
    /// Uninitialized memory, aligned for any engine. A Failure if all allocations would exceed memoryBytes().
    virtual std::unique_ptr<DeviceMemory> allocate(size_t bytes) = 0;
    virtual std::unique_ptr<DeviceQueue> makeQueue(Clock const& clock) = 0;
    /// Whether enqueueV3 returns before the work is done.
    virtual bool queuesWork() const = 0;
};

/// Selects the requested device for building and running engines, and describes it in the log. A Failure if the machine
/// does not have it.
std::unique_ptr<Device> selectDevice(SystemOptions const& options, Log& log);

} // namespace trtexec

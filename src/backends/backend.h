// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/costs.h"
#include "base/dims.h"
#include "graph/format.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

class Kernel;
class Programs;
class Recording;
class Streams;

/// Device memory that applications may allocate and pass to engines as inputs, outputs and workspace. If a backend does
/// not support this, they pass host memory, which is copied.
class ProgramMemory {
public:
    /// Returns "" if the device can access this address, else the reason, a clause.
    virtual std::string unreachable(void const* address) const = 0;

protected:
    ~ProgramMemory() = default; // one for each kind of device, never destroyed
};

/// A point in a stream of work.
class Moment {
public:
    virtual ~Moment() = default;
    /// Moves it to now, after all work that is in the stream.
    virtual void mark(void* stream) = 0;
    /// Waits until both have passed.
    virtual double nanosecondsSince(Moment const& earlier) const = 0;
};

/// The device's own clock. Without it, the host's clock is read when the stream is idle.
class Timing {
public:
    virtual std::unique_ptr<Moment> makeMoment() const = 0;

protected:
    ~Timing() = default;
};

/// Handles that plugins receive while they are attached: cudnnHandle_t and cublasHandle_t, null on the host.
struct LibraryHandles {
    std::shared_ptr<void> cudnn;
    std::shared_ptr<void> cublas;
};

/// The device runs GPU plugins: its addresses and streams are CUDA's, with which plugins launch their kernels. Without
/// it, plugins run on the host, with copies around them.
class PluginSupport {
public:
    virtual LibraryHandles makeLibraryHandles() const = 0;

protected:
    ~PluginSupport() = default;
};

/// Named, nested time ranges for a profiler of the device, per thread. They cost next to nothing without a profiler.
class Markers {
public:
    virtual void begin(char const* name) const = 0;
    /// Ends the innermost range of this thread.
    virtual void end() const = 0;

protected:
    ~Markers() = default; // one for each kind of device, never destroyed
};

/// A kind of device, for the plan builder and the runtime. If there are several devices of the kind, all calls refer to
/// the current one of the calling thread (CurrentDevice). Thread-safe.
///
/// A backend must implement the pure virtual functions. With the default implementations of the others, it is one
/// device with memory of its own that finishes its work before a call returns.
class Backend {
public:
    virtual ~Backend() = default;
    virtual Device device() const = 0;
    /// The processor and its capabilities: for logs, and to recognize a plan that was built elsewhere.
    virtual std::string describe() const = 0;
    /// Total bytes of memory.
    virtual size_t memoryBytes() const = 0;
    /// Bytes of free memory; all of it if that is not known.
    virtual size_t freeBytes() const { return memoryBytes(); }
    /// The kernels for this kind of layer, fast ones first, the fallback last. Reformat kernels convert tensors from
    /// any label to any other, also between the device and the host; without them, tensors are copied unchanged, and
    /// reformatted on the host.
    virtual std::vector<Kernel const*> kernelsFor(std::string_view kind) const = 0;
    virtual Costs const& costs() const = 0;

    /// Device memory at a multiple of alignment(), also for 0 bytes. Throws an Error that states the requested and the
    /// free bytes.
    virtual std::shared_ptr<void> allocate(size_t bytes) const = 0;
    /// Copies between host and device memory in any direction, after earlier work in the stream. The bytes may be read
    /// and written until synchronize(). `bytes` may be 0, and `to` may be `from`.
    virtual void copy(void* to, void const* from, size_t bytes, void* stream) const = 0;
    /// The alignment of tensors and workspaces, so that kernels may use the widest loads.
    virtual size_t alignment() const { return 64; } // a cache line
    /// Host memory that the device copies to and from at full speed; at a multiple of 64 bytes, like all host memory.
    virtual std::shared_ptr<void> allocateStaging(size_t bytes) const;
    /// Waits until the stream has finished its work; throws an Error if any of it failed.
    virtual void synchronize(void* /*stream*/) const {}

    /// The number of devices of the kind, and the current one of this thread.
    virtual int count() const { return 1; }
    virtual int current() const { return 0; }
    /// Throws an Error if there is no such device; never for one that was current before.
    virtual void makeCurrent(int index) const;

    // Optional features; null if not supported. The objects stay valid until the process ends.
    virtual Streams const* streams() const { return nullptr; }
    virtual Programs const* programs() const { return nullptr; }
    virtual ProgramMemory const* programMemory() const { return nullptr; }
    virtual PluginSupport const* pluginSupport() const { return nullptr; }
    virtual Timing const* timing() const { return nullptr; }
    virtual Markers const* markers() const { return nullptr; }
    /// While the result exists, this thread compiles kernels itself: it neither reads nor writes the cache of compiled
    /// kernels. Null if the backend has no such cache.
    virtual std::shared_ptr<void> compileAnew() const { return nullptr; }

    // Derived properties, for callers that need not know which features the device has.

    /// Where inputs and outputs of its engines are stored: on the device, or on the host.
    Device ioDevice() const { return programMemory() ? device() : Device::Cpu; }
    /// Where plugins that support both run in its engines.
    Device pluginDevice() const { return pluginSupport() ? device() : Device::Cpu; }
    /// Whether kernels accept memory that applications allocate.
    bool takesProgramMemory() const { return ioDevice() == device(); }
    /// Estimated nanoseconds to reformat a tensor from one label to another.
    double reformatCost(Dims const& dims, Label const& from, Label const& to) const;
    /// A new stream; null if the device has none. Freed with the last owner.
    std::shared_ptr<void> makeStream() const;
    std::unique_ptr<Moment> makeMoment() const;
    LibraryHandles makeLibraryHandles() const;
    /// Records the work that `work` puts into the given stream; null if the device does not record, or the work cannot
    /// be recorded.
    std::unique_ptr<Recording> record(std::function<void(void* stream)> const& work) const;
    /// Whether the application is recording the stream: nothing may wait for it.
    bool isBeingRecorded(void* stream) const;
};

/// While it exists, `index` is the current device of its kind in this thread.
class CurrentDevice {
public:
    CurrentDevice(Backend const& backend, int index) : backend_(backend), before_(backend.current()), index_(index) {
        if (before_ != index_) backend_.makeCurrent(index_);
    }
    ~CurrentDevice() {
        if (before_ != index_) backend_.makeCurrent(before_);
    }
    CurrentDevice(CurrentDevice const&) = delete;
    CurrentDevice& operator=(CurrentDevice const&) = delete;

private:
    Backend const& backend_;
    int before_;
    int index_;
};

/// The backend of a device, whose library is opened on first use; throws an Error with the reason if it is not
/// available. The result does not change until the process ends. Thread-safe.
Backend const& backendOf(Device device);

/// The kernels of a device for this kind of layer, in its backend's order. For a backend without Reformat kernels there
/// is one that copies to and from the host.
std::vector<Kernel const*> kernelsOf(Device device, std::string_view kind);

/// A kernel by its name, among those of the device and those of the CPU, to which every device falls back; null if
/// there is none.
Kernel const* kernelNamed(Device device, std::string_view kind, std::string_view name);

} // namespace tenon

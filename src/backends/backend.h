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

/// Where programs may hold memory of the device, and give it to engines as inputs, outputs and room to work in. Where a
/// backend has none of this, what they give lies in host memory, and is copied.
class ProgramMemory {
public:
    /// Whether the device can read what lies at this address: "" or why not, a clause.
    virtual std::string unreachable(void const* address) const = 0;

protected:
    ~ProgramMemory() = default; // there is one for each kind of device, and it stays
};

/// A point in a queue of work.
class Moment {
public:
    virtual ~Moment() = default;
    /// Moves it to now, after all work that is in the queue.
    virtual void mark(void* stream) = 0;
    /// Waits until both have passed.
    virtual double nanosecondsSince(Moment const& earlier) const = 0;
};

/// The device's own clock. Where a backend has none, the host's is read when the stream has done its work.
class Timing {
public:
    virtual std::unique_ptr<Moment> makeMoment() const = 0;

protected:
    ~Timing() = default;
};

/// What plugins hold on to while they are attached: cudnnHandle_t and cublasHandle_t, null on the host.
struct LibraryHandles {
    std::shared_ptr<void> cudnn;
    std::shared_ptr<void> cublas;
};

/// The device runs plugins that are made for GPUs: its addresses and streams are CUDA's, which they launch their
/// kernels with. Where a backend has none of this, plugins run on the host, with copies around them.
class PluginSupport {
public:
    virtual LibraryHandles makeLibraryHandles() const = 0;

protected:
    ~PluginSupport() = default;
};

/// Ranges of time that a profiler of the device shows by name, one inside of another in each thread. They cost next to
/// nothing where no profiler looks.
class Markers {
public:
    virtual void begin(char const* name) const = 0;
    /// Ends the range that this thread began last.
    virtual void end() const = 0;

protected:
    ~Markers() = default; // there is one for each kind of device, and it stays
};

/// A kind of device as the plan builder and the runtime see it. Where there are several of the kind, all calls are
/// about the one that is current in the calling thread (CurrentDevice). Any thread may call it.
///
/// The functions without a body are what each backend has to say; with the others as they are, it is one device with
/// memory of its own that does its work before a call returns.
class Backend {
public:
    virtual ~Backend() = default;
    virtual Device device() const = 0;
    /// The processor and what it can: for logs, and to tell a plan that was built elsewhere.
    virtual std::string describe() const = 0;
    /// Bytes of memory that it has in all.
    virtual size_t memoryBytes() const = 0;
    /// Bytes of it that nobody has taken now; where it cannot tell, all.
    virtual size_t freeBytes() const { return memoryBytes(); }
    /// Kernels for this kind of layer, fast first, the last resort last. A backend with kernels for Reformat brings
    /// tensors from any label to any other by them, also between itself and the host; for one that has none, tensors
    /// are copied as they are, and reformatted on the host.
    virtual std::vector<Kernel const*> kernelsFor(std::string_view kind) const = 0;
    virtual Costs const& costs() const = 0;

    /// Memory of the device, at a multiple of alignment(), also for no bytes; an Error says what was asked and what is
    /// free.
    virtual std::shared_ptr<void> allocate(size_t bytes) const = 0;
    /// Copies between host and device memory in any direction, after what was put into the stream before. The bytes
    /// may be read and written until synchronize(). There may be none, or `to` may be `from`.
    virtual void copy(void* to, void const* from, size_t bytes, void* stream) const = 0;
    /// What addresses of tensors and workspaces are multiples of, so that kernels may load them widest.
    virtual size_t alignment() const { return 64; } // a cache line
    /// Host memory that the device copies to and from at full speed; at a multiple of 64 bytes, as host memory is.
    virtual std::shared_ptr<void> allocateStaging(size_t bytes) const;
    /// Waits until the stream has done all that was put into it; an Error for what went wrong there.
    virtual void synchronize(void* /*stream*/) const {}

    /// How many devices of the kind there are, and which of them is current in this thread.
    virtual int count() const { return 1; }
    virtual int current() const { return 0; }
    /// An Error where there is no such device; none for one that was current before.
    virtual void makeCurrent(int index) const;

    // What not every device has; null where it does not. What is given stays until the process ends.
    virtual Streams const* streams() const { return nullptr; }
    virtual Programs const* programs() const { return nullptr; }
    virtual ProgramMemory const* programMemory() const { return nullptr; }
    virtual PluginSupport const* pluginSupport() const { return nullptr; }
    virtual Timing const* timing() const { return nullptr; }
    virtual Markers const* markers() const { return nullptr; }
    /// While what it gives lives, this thread compiles kernels itself: none come from what earlier processes kept, and
    /// none are kept for later ones. Null where nothing is ever kept.
    virtual std::shared_ptr<void> compileAnew() const { return nullptr; }

    // What follows from all that, for those who need not know whether the device has it.

    /// Where inputs and outputs of its engines lie: on the device, or on the host.
    Device ioDevice() const { return programMemory() ? device() : Device::Cpu; }
    /// Where plugins run in its engines that are made for both.
    Device pluginDevice() const { return pluginSupport() ? device() : Device::Cpu; }
    /// Memory that programs allocate is good for its kernels.
    bool takesProgramMemory() const { return ioDevice() == device(); }
    /// Estimated nanoseconds to bring a tensor from one label to another.
    double reformatCost(Dims const& dims, Label const& from, Label const& to) const;
    /// A queue of work of its own; null where the device has none. Freed with the last owner.
    std::shared_ptr<void> makeStream() const;
    std::unique_ptr<Moment> makeMoment() const;
    LibraryHandles makeLibraryHandles() const;
    /// Records what `work` puts into the stream that it is given; null where the device does not record, or the work
    /// cannot be recorded.
    std::unique_ptr<Recording> record(std::function<void(void* stream)> const& work) const;
    /// The stream is being recorded by the program: nothing may wait for it.
    bool isBeingRecorded(void* stream) const;
};

/// While it lives, `index` is the current device of its kind in this thread.
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

/// The backend of a device, whose library is opened when it is first asked for; an Error that says why when it cannot
/// be had. The answer is the same until the process ends. Any thread.
Backend const& backendOf(Device device);

/// The kernels of a device for this kind of layer, in its backend's order. For a backend without kernels for Reformat
/// there is one that copies, to and from the host.
std::vector<Kernel const*> kernelsOf(Device device, std::string_view kind);

/// A kernel by its name, among those of the device and those of the CPU, which every device falls back on; null when
/// there is none.
Kernel const* kernelNamed(Device device, std::string_view kind, std::string_view name);

} // namespace tenon

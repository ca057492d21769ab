// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon {

/// A kernel at given types and formats: one label for each input and output of the node. Inputs in `packed` (bit i =
/// input i, a constant) are packed when the engine is built; the kernel's pointers to them are null.
struct Variant {
    std::vector<Label> inputs;
    std::vector<Label> outputs;
    double cost = 0;                      // estimated nanoseconds at the shapes of the query; on the CPU of one thread
    uint32_t packed = 0;                  // constant inputs that pack() takes over
    int64_t tactic = 0;                   // the kernel's own number for it
    DataType compute = DataType::Float32; // the type that products are computed in; sums are kept in float32 or it
    bool code = false;                    // pack() compiles code for it, which stays in host memory
    bool view = false; // output 0 has the bytes of input 0: where they may share memory, the kernel is not run at all

    bool isPacked() const { return packed != 0 || code; }
    /// Inputs from the 33rd on are never packed.
    bool packs(size_t input) const { return input < 32 && (packed >> input & 1U) != 0; }
};

/// All ways in which a kernel takes a node, or, when there is none, why not: a clause that follows "name: ".
struct Offer {
    std::vector<Variant> variants;
    std::string refusal;

    static Offer refuse(std::string why) { return {{}, std::move(why)}; }
};

/// What a kernel is asked about: the node, and its shapes at the profile's optimum (rank 0 for absent inputs).
struct KernelQuery {
    Node const& node;
    std::vector<Dims> inputs;
    std::vector<Dims> outputs;
    /// The types in which float32 tensors of the network may be kept: float32, and what the precision flags allow.
    std::vector<DataType> floatTypes{DataType::Float32};
    bool allowTf32 = false; // factors of float32 products may be rounded to 10 bits of mantissa
    bool allowInt8 = false; // float32 tensors with a scale may be kept in int8
    /// Where a plan is verified: the variant that it names. Kernels may leave out others that take long to offer.
    Variant const* said = nullptr;

    /// The types in which this tensor may lie: `floatTypes` for float32, else only its own.
    std::vector<DataType> typesOf(Tensor const& tensor) const;
    bool mayBeInt8(Tensor const& tensor) const {
        return allowInt8 && tensor.type == DataType::Float32 && tensor.scale != 0;
    }
    /// Whether it is asked about input 0 and output 0 in these formats.
    bool isAbout(Format const& in, Format const& out) const {
        return !said || (said->inputs[0].format == in && said->outputs[0].format == out);
    }
};

/// Weights in the order in which a kernel reads them. `key` names that order and the machine it is for: a plan read
/// elsewhere compares keys and packs again.
struct Packed {
    std::string key;
    Literal bytes; // uint8 [size]: 64-byte aligned, perhaps borrowed from a file
};

struct Pointers {
    void const* const* inputs = nullptr; // one an input; packed and absent ones are null
    void* const* outputs = nullptr;
    void* workspace = nullptr; // aligned as the device likes it: 64 bytes on the CPU, 256 on a GPU
    void* stream = nullptr;    // the device's queue; null on the CPU
};

/// A kernel made ready for fixed shapes. Belongs to one context, so to one thread at a time.
class Executable {
public:
    virtual ~Executable() = default;
    virtual size_t workspaceBytes() const { return 0; }
    /// Allocates nothing, locks nothing. May throw an Error.
    virtual void run(Pointers const& pointers) = 0;
    /// It waits for the stream, so it cannot be recorded.
    virtual bool waits() const { return false; }
};

struct PrepareArgs {
    Node const& node;
    Variant const& variant;
    std::span<Dims const> inputs; // the shapes to get ready for; rank 0 for absent inputs
    std::span<Dims const> outputs;
    std::shared_ptr<Packed const> packed; // what pack() made, where variant.isPacked()
    void const* packedData = nullptr;     // its bytes where the kernel runs; they outlive the Executable
};

/// One way to compute one kind of layer on one device. Stateless and shared by all threads.
class Kernel {
public:
    virtual std::string_view name() const = 0; // "onednn_softmax"; plans find the kernel by it
    virtual Offer offer(KernelQuery const& query) const = 0;
    virtual std::unique_ptr<Executable> prepare(PrepareArgs const& args) const = 0;
    /// offer() and prepare() take tensors without elements beside others that have some. Most kernels never see one:
    /// callers go through offerOf() and prepared() (empty_tensors.h).
    virtual bool takesEmpty() const { return false; }

    /// The values of variant.tactic for ways to compute the same, which have to be timed to choose among them, the most
    /// promising first; empty: there is one way. prepare() and pack() take each of them.
    virtual std::vector<int64_t> tactics(Variant const& variant) const;

    /// Puts the constant inputs of variant.packed into this machine's order, and compiles variant.code; `inputs` and
    /// `outputs` as in the query.
    virtual Packed pack(PrepareArgs const& args) const;
    /// The key that pack() would write here and now for this variant.
    virtual std::string packKey(Variant const& variant) const;

protected:
    ~Kernel() = default; // kernels are constants: never owned, never deleted
};

/// The kernels of some kinds of layers on one device, fast first. The reference kernel follows them on the CPU.
struct KernelList {
    std::vector<std::string_view> kinds;
    std::span<Kernel const* const> kernels;

    KernelList(std::string_view kind, std::span<Kernel const* const> of) : kinds{kind}, kernels(of) {}
    KernelList(std::initializer_list<std::string_view> all, std::span<Kernel const* const> of)
        : kinds(all), kernels(of) {}
};
/// Those among the lists that are for this kind.
std::vector<Kernel const*> kernelsFor(std::string_view kind, std::span<KernelList const> lists);

/// Work that a device has recorded and can do again with one call.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay(void* stream) = 0;
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

/// What plugins hold on to while they are attached: cudnnHandle_t and cublasHandle_t, null on the CPU.
struct LibraryHandles {
    std::shared_ptr<void> cudnn;
    std::shared_ptr<void> cublas;
};

/// A kind of device as the plan builder and the runtime see it. Where there are several of the kind, all calls are
/// about the one that is current in the calling thread (CurrentDevice).
class Backend {
public:
    virtual ~Backend() = default;
    virtual Device device() const = 0;
    /// The processor and what it can: for logs and for cost models.
    virtual std::string describe() const = 0;
    /// Bytes of memory that it has in all.
    virtual size_t memoryBytes() const = 0;
    /// Kernels for this kind of layer, fast first, the last resort last.
    virtual std::vector<Kernel const*> kernelsFor(std::string_view kind) const = 0;
    /// How many times as fast as float32 products its kernels compute products of this type; 1 or less: not faster.
    virtual double multiplySpeed(DataType type) const = 0;
    /// Estimated nanoseconds to bring a tensor from one label to another.
    virtual double reformatCost(Dims const& dims, Label const& from, Label const& to) const = 0;

    /// How many devices of the kind there are, and which of them is current in this thread.
    virtual int count() const = 0;
    virtual int current() const = 0;
    /// An Error where there is no such device.
    virtual void makeCurrent(int index) const = 0;

    /// What addresses of tensors and workspaces are multiples of, so that kernels may load them widest.
    virtual size_t alignment() const = 0;
    /// Memory of the device; an Error says what was asked and what is free.
    virtual std::shared_ptr<void> allocate(size_t bytes) const = 0;
    /// Host memory that the device copies to and from at full speed.
    virtual std::shared_ptr<void> allocateStaging(size_t bytes) const = 0;
    /// Copies between host and device memory in any direction, after what was put into the stream before. The bytes
    /// may be read and written until synchronize().
    virtual void copy(void* to, void const* from, size_t bytes, void* stream) const = 0;
    /// Waits until the stream has done all that was put into it; an Error for what went wrong there.
    virtual void synchronize(void* stream) const = 0;
    /// Whether the device can read what lies at this address: "" or why not, a clause.
    virtual std::string unreachable(void const* address) const = 0;
    /// A queue of work of its own; null where the device has none. Freed with the last owner.
    virtual std::shared_ptr<void> makeStream() const = 0;
    virtual std::unique_ptr<Moment> makeMoment() const = 0;
    /// Marks an event of the program's (cudaEvent_t) in the stream; an Error on devices that have none.
    virtual void recordEvent(void* event, void* stream) const = 0;
    virtual LibraryHandles makeLibraryHandles() const = 0;
    /// Records what `work` puts into the stream that it is given; null where the device does not record, or the work
    /// cannot be recorded.
    virtual std::unique_ptr<Recording> record(std::function<void(void* stream)> const& work) const = 0;
    /// The stream is being recorded by the program: nothing may wait for it.
    virtual bool isBeingRecorded(void* stream) const = 0;
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

/// The backend of a device; an Error that says why when it cannot be had.
Backend const& backendOf(Device device);

/// A kernel by its name, among those of the device and those of the CPU, which every device falls back on; null when
/// there is none.
Kernel const* kernelNamed(Device device, std::string_view kind, std::string_view name);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon {

/// A kernel at given types and formats: one label for each input and output of the node. Inputs in `packed` (bit i =
/// input i, a constant) are taken apart when the engine is built; nothing is handed to the kernel for them.
struct Variant {
    std::vector<Label> inputs;
    std::vector<Label> outputs;
    double cost = 0;                      // estimated nanoseconds at the shapes of the query, on one thread
    uint32_t packed = 0;                  // constant inputs that pack() takes over
    int64_t tactic = 0;                   // the kernel's own number for it
    DataType compute = DataType::Float32; // the type that products are computed in; sums are kept in float32 or it
    bool view = false; // output 0 has the bytes of input 0: where they may share memory, the kernel is not run at all
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

    /// The types in which this tensor may lie: `floatTypes` for float32, else only its own.
    std::vector<DataType> typesOf(Tensor const& tensor) const;
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
    void* workspace = nullptr; // 64-byte aligned
    void* stream = nullptr;    // the device's queue; null on the CPU
};

/// A kernel made ready for fixed shapes. Belongs to one context, so to one thread at a time.
class Executable {
public:
    virtual ~Executable() = default;
    virtual size_t workspaceBytes() const { return 0; }
    /// Allocates nothing, locks nothing. May throw an Error.
    virtual void run(Pointers const& pointers) = 0;
};

struct PrepareArgs {
    Node const& node;
    Variant const& variant;
    std::span<Dims const> inputs; // the shapes to get ready for; rank 0 for absent inputs
    std::span<Dims const> outputs;
    std::shared_ptr<Packed const> packed; // what pack() made, where variant.packed is not 0
};

/// One way to compute one kind of layer on one device. Stateless and shared by all threads.
class Kernel {
public:
    virtual std::string_view name() const = 0; // "onednn_softmax"; plans find the kernel by it
    virtual Offer offer(KernelQuery const& query) const = 0;
    virtual std::unique_ptr<Executable> prepare(PrepareArgs const& args) const = 0;

    /// Puts the constant inputs of variant.packed into this machine's order; `inputs` and `outputs` as in the query.
    virtual Packed pack(PrepareArgs const& args) const;
    /// The key that pack() would write here and now for this variant.
    virtual std::string packKey(Variant const& variant) const;

protected:
    ~Kernel() = default; // kernels are constants: never owned, never deleted
};

/// The kernels of one layer kind on one device, fast first. The reference kernel follows them on the CPU.
struct KernelList {
    std::string_view kind;
    std::span<Kernel const* const> kernels;
};

/// A device as the plan builder and the runtime see it.
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
    /// Estimated nanoseconds to bring a tensor from one label to another.
    virtual double reformatCost(Dims const& dims, Label const& from, Label const& to) const = 0;
    Kernel const* kernelNamed(std::string_view kind, std::string_view name) const; // null when there is none
};

/// The backend of a device; an Error that says why when it cannot be had.
Backend const& backendOf(Device device);

} // namespace tenon

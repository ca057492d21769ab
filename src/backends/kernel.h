// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/element_order.h"
#include "base/text.h"
#include "graph/graph.h"

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
    double cost = 0;                      // estimated nanoseconds at the shapes of the query; on the CPU for one thread
    uint32_t packed = 0;                  // constant inputs that pack() replaces
    int64_t tactic = 0;                   // the kernel's own number for it
    DataType compute = DataType::Float32; // the type in which products are computed; sums are float32 or of this type
    bool code = false;                    // pack() compiles code for it, which stays in host memory
    bool view = false; // output 0 has the bytes of input 0: if they share memory, the kernel is not run

    void fields(Fields& f);
    bool isPacked() const { return packed != 0 || code; }
    /// Inputs from the 33rd on are never packed.
    bool packs(size_t input) const { return input < 32 && (packed >> input & 1U) != 0; }
};

/// All variants of a kernel for a node, or, if there are none, the reason: a clause that follows "name: ".
struct Offer {
    std::vector<Variant> variants;
    std::string refusal;

    static Offer refuse(std::string why) { return {{}, std::move(why)}; }
};

/// A query to a kernel: the node, and its shapes at the profile's optimum (rank 0 for absent inputs).
struct KernelQuery {
    Node const& node;
    std::vector<Dims> inputs;
    std::vector<Dims> outputs;
    /// The types in which float32 tensors of the network may be stored: float32, and those that the precision flags
    /// allow.
    std::vector<DataType> floatTypes{DataType::Float32};
    bool allowTf32 = false;    // factors of float32 products may be rounded to 10 bits of mantissa
    bool allowInt8 = false;    // float32 tensors with a quantum may be stored as its integers
    bool allowSparse = false;  // weights with two zeros in each four may be skipped in products
    bool independent = false;  // indices of a distributive axis are computed by identical operations
    bool allowCompiled = true; // libraries may compile kernels for the node's shapes
    bool hasLimit = false;     // kernels whose workspace exceeds a limit will be refused
    /// When a plan is verified: the variant that it names. Kernels may omit others that take long to offer.
    Variant const* said = nullptr;

    /// The types in which this tensor may be stored: `floatTypes` for float32, else only its own.
    std::vector<DataType> typesOf(Tensor const& tensor) const;
    /// Whether this tensor may be stored as the integers of its quantum.
    bool mayBeInt8(Tensor const& tensor) const {
        bool const isAllowed = allowInt8 || tensor.quantum.isExact;
        return isAllowed && tensor.type == DataType::Float32 && tensor.quantum.scale != 0;
    }
    /// The same for kernels and plugins that support int8 without a zero point only.
    bool mayBeSymmetric(Tensor const& tensor) const { return mayBeInt8(tensor) && tensor.quantum.isSymmetric(); }
    /// Whether an input has one element at all shapes of the engine, or is absent: then it may be linear beside tensors
    /// in another format. At the optimum alone more inputs may have one element.
    bool isSingle(size_t input) const;
    /// Whether input 0 and output 0 are queried in these formats.
    bool isAbout(Format const& in, Format const& out) const {
        return !said || (said->inputs[0].format == in && said->outputs[0].format == out);
    }
};

/// A kernel's offers for each type in which a tensor of its node may be stored: add(type, offer) adds the variants of
/// one type.
template <class Add> Offer offerTypes(KernelQuery const& query, Tensor const& tensor, Add const& add) {
    Offer offer;
    for (DataType const type : query.typesOf(tensor)) add(type, offer);
    return offer;
}

/// The same for the floating point types of input 0. An offer without variants has a reason.
template <class Add> Offer offerFloats(KernelQuery const& query, Add const& add) {
    Tensor const& x = *query.node.input(0);
    Offer offer = offerTypes(query, x, [&](DataType type, Offer& to) {
        if (isFloat(type)) add(type, to);
    });
    if (offer.variants.empty()) offer.refusal = text("supports float32, float16 and bfloat16, not ", x.type);
    return offer;
}

/// Whether tensors of this rank are images or volumes, with channels on axis 1.
constexpr bool hasChannels(int rank) { return rank >= 3 && rank <= 5; }

/// Linear, and the formats that move channels if the kernel supports them.
std::vector<Format> formatsOf(bool takesChannels, std::initializer_list<Format> withChannels);

/// A constant whose elements are all in the packed weights, unchanged.
struct PackedElements {
    Literal constant;
    int64_t at; // offset of the copy, in bytes
    ElementOrder order;
};

/// Weights in the order in which a kernel reads them. `key` names that order and the machine for which it is made: a
/// plan that is read elsewhere compares keys and packs again.
struct Packed {
    std::string key;
    Literal bytes; // uint8 [size]: 64-byte aligned, possibly borrowed from a file
    /// Constants that a plan need not store beside `bytes`: they can be restored from these.
    std::vector<PackedElements> elements = {};
};

struct Pointers {
    void const* const* inputs = nullptr; // one per input; null for packed and absent ones
    void* const* outputs = nullptr;
    void* workspace = nullptr;    // at a multiple of the backend's alignment()
    void* stream = nullptr;       // the device's stream; null if the device has none
    void* communicator = nullptr; // ncclComm_t: connects devices that run the same engine; null: a single device
};

/// A kernel prepared for fixed shapes. Belongs to one context, so to one thread at a time.
class Executable {
public:
    virtual ~Executable() = default;
    virtual size_t workspaceBytes() const { return 0; }
    /// Allocates nothing, locks nothing. May throw an Error.
    virtual void run(Pointers const& pointers) = 0;
    /// Whether run() waits for the stream, so that it cannot be recorded.
    virtual bool waits() const { return false; }
};

struct PrepareArgs {
    Node const& node;
    Variant const& variant;
    std::span<Dims const> inputs; // the shapes to prepare for; rank 0 for absent inputs
    std::span<Dims const> outputs;
    std::shared_ptr<Packed const> packed; // the result of pack(), if variant.isPacked()
    void const* packedData = nullptr;     // address of its bytes while the Executable runs; not read before
};

/// One implementation of one kind of layer on one device. Stateless and shared by all threads.
class Kernel {
public:
    virtual std::string_view name() const = 0; // "softmax_rows"; plans refer to the kernel by it
    virtual Offer offer(KernelQuery const& query) const = 0;
    virtual std::unique_ptr<Executable> prepare(PrepareArgs const& args) const = 0;
    /// Whether offer() and prepare() support nodes of which some tensors are empty. Most kernels never get one: callers
    /// use offerOf() and prepared() (empty_tensors.h).
    virtual bool takesEmpty() const { return false; }

    /// The values of variant.tactic for implementations of one variant, which must be timed to choose among them, the
    /// most promising first; empty: there is only one. prepare() and pack() accept each of them.
    virtual std::vector<int64_t> tactics(Variant const& variant) const;

    /// Reorders the constant inputs of variant.packed for this machine, and compiles variant.code; `inputs` and
    /// `outputs` as in the query.
    virtual Packed pack(PrepareArgs const& args) const;
    /// The key that pack() would write on this machine for this variant.
    virtual std::string packKey(Variant const& variant) const;

protected:
    ~Kernel() = default; // kernels are constants: never owned, never deleted
};

/// The kernels of some kinds of layers on one device, fast ones first. On the CPU the reference kernel follows them.
struct KernelList {
    std::vector<std::string_view> kinds;
    std::span<Kernel const* const> kernels;

    KernelList(std::string_view kind, std::span<Kernel const* const> of) : kinds{kind}, kernels(of) {}
    KernelList(std::initializer_list<std::string_view> all, std::span<Kernel const* const> of)
        : kinds(all), kernels(of) {}
};
/// The kernels in the lists that are for this kind.
std::vector<Kernel const*> kernelsFor(std::string_view kind, std::span<KernelList const> lists);

} // namespace tenon

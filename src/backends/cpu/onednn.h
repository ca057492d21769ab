// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "base/error.h"

#include <algorithm>
#include <dnnl.hpp>
#include <new>

namespace tenon::cpu {

/// The process's oneDNN engine.
dnnl::engine const& dnnlEngine();

/// The oneDNN descriptor of a tensor; of rank 1 at least (a scalar is [1]).
dnnl::memory::desc describe(Dims const& dims, Label const& label);
/// A list of `count` float32: a bias, scales.
dnnl::memory::desc listOf(int64_t count);
dnnl::memory::dims toDnnl(Dims const& dims);
/// oneDNN must not get larger extents: some of its code truncates them to 32 bits, and divides by the result.
inline bool isCounted(std::span<int64_t const> extents) {
    return std::ranges::all_of(extents, [](int64_t extent) { return extent <= INT32_MAX; });
}
dnnl::memory::data_type toDnnl(DataType type);
/// scratchpad_mode::user: the caller provides the workspace, so that runs allocate nothing.
dnnl::primitive_attr userScratchpad();

/// The pack key of weights: oneDNN's version and the instruction set it uses here.
std::string dnnlPackKey();

/// The source of an argument of a primitive: a tensor of the node or weights that the program owns (by number), or
/// packed weights or workspace (by offset in bytes).
struct DnnlArgument {
    enum class Source { Input, Output, Packed, Own, Workspace, Scratch };
    int argument; // DNNL_ARG_…
    Source source;
    int64_t at;
    dnnl::memory::desc desc;
    int64_t offset = 0; // in bytes, from the start of the source

    /// The scratchpad of a primitive that runs concurrently with others: one per thread.
    static DnnlArgument scratchOf(dnnl::primitive_desc_base const& description);
};

/// An argument whose elements are known when the primitive is created.
struct DnnlConstant {
    int argument; // DNNL_ARG_…
    dnnl::memory::desc desc;
    Literal values;
};

struct DnnlStep {
    dnnl::primitive primitive;
    std::vector<DnnlArgument> arguments;
};

/// Steps that may run concurrently, on threads with scratchpads of their own.
struct DnnlStage {
    std::vector<DnnlStep> steps;
    bool isParts = false; // each step is for one thread; else there is one step, which oneDNN parallelizes
    int slots = 1;
    int64_t scratch = 0;      // of slot 0, in the workspace
    int64_t scratchBytes = 0; // of each
};

/// A sequence of oneDNN primitives as an Executable.
class DnnlProgram {
public:
    explicit DnnlProgram(std::shared_ptr<Packed const> packed = nullptr) : packed_(std::move(packed)) {}

    /// A step on all threads of oneDNN, or as many as it was created for.
    void add(DnnlStep step) { stages_.push_back({{std::move(step)}}); }
    /// Steps that may run concurrently, each created for one thread (`ThreadLimit one(1)`), on as many threads as the
    /// current limit allows.
    void addParts(std::vector<DnnlStep> parts);
    /// Reserves space in the workspace, 64-byte aligned; returns its offset.
    int64_t reserve(dnnl::memory::desc const& desc) { return reserve(static_cast<int64_t>(desc.get_size())); }
    int64_t reserve(int64_t bytes);
    /// The argument that is the scratchpad of a primitive.
    DnnlArgument scratchpad(dnnl::memory::desc const& desc);
    /// A copy of the elements, which the program owns.
    DnnlArgument own(DnnlConstant const& constant);
    /// `from` in another order: packed weights are reordered once, now, tensors of the node in each run.
    DnnlArgument reordered(DnnlArgument const& from, dnnl::memory::desc const& to);
    std::unique_ptr<Executable> finish() &&;

private:
    std::shared_ptr<Packed const> packed_;
    std::vector<std::shared_ptr<void>> own_;
    std::vector<DnnlStage> stages_;
    int64_t workspace_ = 0;
};

/// Constants of one node in the orders that a primitive requires, with descriptors that can be stored in a plan.
class DnnlWeights {
public:
    /// Reorders a dense row-major constant, which `as` describes as float32, to `to`; appended after the previous ones.
    /// This happens when the bytes are accessed.
    void add(Literal const& literal, dnnl::memory::desc const& as, dnnl::memory::desc const& to);
    /// The same for 8-bit integers, given as float32. oneDNN may store sums beside them, from which no other order can
    /// be made: they take two entries, the second of which holds them in `plain`, an order without sums.
    void addIntegers(Literal const& literal, dnnl::memory::desc const& as, dnnl::memory::desc const& to,
                     dnnl::memory::desc const& plain);
    /// A list that primitives do not read: scales.
    void addList(std::vector<float> const& values);
    Packed finish() &&;

    /// Entry `index` of the result of finish(): its argument with the descriptor with which it was stored. Throws an
    /// Error if that does not describe the stored elements, or not as many as `wanted`.
    static DnnlArgument read(Packed const& packed, int index, int argument, dnnl::memory::desc const& wanted);
    /// An entry of addIntegers(), at `index`: in the wanted order, or in the plain one.
    static DnnlArgument readIntegers(Packed const& packed, int index, dnnl::memory::desc const& wanted,
                                     dnnl::memory::desc const& plain);
    /// An entry of addList(), at `index`, with that many values.
    static std::vector<float> readList(Packed const& packed, int index, int64_t count);

private:
    struct Weight {
        Literal literal;
        dnnl::memory::desc as, to;
        size_t at;
    };
    static void write(std::vector<Weight> const& weights, std::byte* to);

    std::vector<Weight> weights_;
    std::vector<PackedElements> elements_;
    size_t bytes_ = 0;
};

/// The offset of a part of weights within the order of the whole, in bytes, from index `begin` of an axis on; nullopt
/// if its order there differs from `part`.
std::optional<int64_t> weightOffset(dnnl::memory::desc const& whole, dnnl::memory::desc const& part, int axis,
                                    int64_t begin);
/// The strides of elements without blocks; empty for blocked ones.
dnnl::memory::dims plainStrides(dnnl::memory::desc const& desc);

/// Creates the primitive of a descriptor. If memory runs out, oneDNN's cache is cleared: the incomplete entry would
/// otherwise be returned to all later callers (std::future_error: broken promise), and refers to the descriptor.
dnnl::primitive makePrimitive(dnnl::primitive_desc_base const& description);

/// Runs `body`; converts oneDNN's exceptions to an Error that names the node and the kernel.
template <class Body> decltype(auto) guardDnnl(Node const& node, std::string_view kernel, Body&& body) {
    try {
        return body();
    } catch (dnnl::error const& error) {
        fail(ErrorCode::Internal, node, ": ", kernel, ": oneDNN reported \"", std::string_view(error.message),
             "\" (status ", static_cast<int>(error.status), ")");
    }
}

// Primitives whose creation differs between oneDNN 2 and 3.

/// Y = A B + bias; a bias of rank 0 means none.
dnnl::matmul::primitive_desc describeMatmul(dnnl::memory::desc const& a, dnnl::memory::desc const& b,
                                            dnnl::memory::desc const& bias, dnnl::memory::desc const& y,
                                            dnnl::primitive_attr const& attributes);

} // namespace tenon::cpu

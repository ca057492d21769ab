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

/// How oneDNN names a tensor of ours; of rank 1 at least (a scalar is [1]).
dnnl::memory::desc describe(Dims const& dims, Label const& label);
/// A list of so many float32: a bias, scales.
dnnl::memory::desc listOf(int64_t count);
dnnl::memory::dims toDnnl(Dims const& dims);
/// oneDNN is not asked about larger extents: in places it cuts them to 32 bits, and divides by the result.
inline bool isCounted(std::span<int64_t const> extents) {
    return std::ranges::all_of(extents, [](int64_t extent) { return extent <= INT32_MAX; });
}
dnnl::memory::data_type toDnnl(DataType type);
/// scratchpad_mode::user: workspace comes from us, so that running allocates nothing of its own.
dnnl::primitive_attr userScratchpad();

/// What packed weights are for: oneDNN's version and the instructions it uses here.
std::string dnnlPackKey();

/// Where an argument of a primitive comes from: a tensor of the node or weights of the program's own (by number), or
/// packed weights or workspace (by offset in bytes).
struct DnnlArgument {
    enum class Source { Input, Output, Packed, Own, Workspace, Scratch };
    int argument; // DNNL_ARG_…
    Source source;
    int64_t at;
    dnnl::memory::desc desc;
    int64_t offset = 0; // in bytes, from where that starts

    /// The scratchpad of a primitive that runs at the same time as others: one for each thread.
    static DnnlArgument scratchOf(dnnl::primitive_desc_base const& description);
};

/// An argument whose elements are known when the primitive is made.
struct DnnlConstant {
    int argument; // DNNL_ARG_…
    dnnl::memory::desc desc;
    Literal values;
};

struct DnnlStep {
    dnnl::primitive primitive;
    std::vector<DnnlArgument> arguments;
};

/// Steps that may run at the same time, on threads with scratchpads of their own.
struct DnnlStage {
    std::vector<DnnlStep> steps;
    bool isParts = false; // each is for one thread; else there is one step, which oneDNN divides
    int slots = 1;
    int64_t scratch = 0;      // of slot 0, in the workspace
    int64_t scratchBytes = 0; // of each
};

/// oneDNN primitives, one after the other, as an Executable.
class DnnlProgram {
public:
    explicit DnnlProgram(std::shared_ptr<Packed const> packed = nullptr) : packed_(std::move(packed)) {}

    /// A step on all threads of oneDNN's own, or as many as it was made for.
    void add(DnnlStep step) { stages_.push_back({{std::move(step)}}); }
    /// Steps that may run at the same time, each made for one thread (`ThreadLimit one(1)`), on as many threads as
    /// there may be now.
    void addParts(std::vector<DnnlStep> parts);
    /// Room in the workspace, 64-byte aligned: its offset.
    int64_t reserve(dnnl::memory::desc const& desc) { return reserve(static_cast<int64_t>(desc.get_size())); }
    int64_t reserve(int64_t bytes);
    /// The argument that is the scratchpad of a primitive.
    DnnlArgument scratchpad(dnnl::memory::desc const& desc);
    /// A copy of the elements, which the program keeps.
    DnnlArgument own(DnnlConstant const& constant);
    /// `from` in another order: packed weights now and once, tensors of the node in each run.
    DnnlArgument reordered(DnnlArgument const& from, dnnl::memory::desc const& to);
    std::unique_ptr<Executable> finish() &&;

private:
    std::shared_ptr<Packed const> packed_;
    std::vector<std::shared_ptr<void>> own_;
    std::vector<DnnlStage> stages_;
    int64_t workspace_ = 0;
};

/// Constants of one node in the orders that a primitive wants, with descriptions that a plan can hold.
class DnnlWeights {
public:
    /// Puts a dense row-major constant, which `as` describes as float32, into `to`; appended after those before it.
    /// That happens when their bytes are asked for.
    void add(Literal const& literal, dnnl::memory::desc const& as, dnnl::memory::desc const& to);
    /// The same for integers of 8 bits, given as float32. oneDNN may keep sums beside them, from which no other order
    /// can be made: they take two places, the second of which holds them in `plain`, an order without any.
    void addIntegers(Literal const& literal, dnnl::memory::desc const& as, dnnl::memory::desc const& to,
                     dnnl::memory::desc const& plain);
    /// A list that primitives do not read: scales.
    void addList(std::vector<float> const& values);
    Packed finish() &&;

    /// Weight number `index` of what finish() returned: its argument with the description it was stored in. An Error
    /// where it does not describe elements that are there, as many as `wanted` describes.
    static DnnlArgument read(Packed const& packed, int index, int argument, dnnl::memory::desc const& wanted);
    /// Those of addIntegers(), at `index`: in the order that is wanted, or in the plain one.
    static DnnlArgument readIntegers(Packed const& packed, int index, dnnl::memory::desc const& wanted,
                                     dnnl::memory::desc const& plain);
    /// That of addList(), at `index`, with so many values.
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

/// Where a part of weights begins in the order of the whole, in bytes, from index `begin` of an axis on; nothing where
/// it lies otherwise there than in `part`.
std::optional<int64_t> weightOffset(dnnl::memory::desc const& whole, dnnl::memory::desc const& part, int axis,
                                    int64_t begin);
/// The strides of elements that lie in no blocks; empty where they do.
dnnl::memory::dims plainStrides(dnnl::memory::desc const& desc);

/// The primitive of a description. Where memory runs out, oneDNN's cache is emptied: what it was making stays there
/// half made, would be what everybody gets who asks for it later (std::future_error: broken promise), and refers to the
/// description.
dnnl::primitive makePrimitive(dnnl::primitive_desc_base const& description);

/// Runs `body`; what oneDNN throws becomes an Error that names the node and the kernel.
template <class Body> decltype(auto) guardDnnl(Node const& node, std::string_view kernel, Body&& body) {
    try {
        return body();
    } catch (dnnl::error const& error) {
        fail(ErrorCode::Internal, node, ": ", kernel, ": oneDNN says \"", std::string_view(error.message),
             "\" (status ", static_cast<int>(error.status), ")");
    }
}

// The primitives whose making differs between oneDNN 2 and 3, in one place.

/// Y = A B + bias; a bias of no axes is none.
dnnl::matmul::primitive_desc describeMatmul(dnnl::memory::desc const& a, dnnl::memory::desc const& b,
                                            dnnl::memory::desc const& bias, dnnl::memory::desc const& y,
                                            dnnl::primitive_attr const& attributes);

} // namespace tenon::cpu

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scatter/scatter.h"

#include "backends/cuda/copy_bytes.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/indices.cuh"
#include "backends/cuda/launch.h"
#include "graph/elements.h"

#include <bit>

namespace tenon::cuda {
namespace {

// Updates are applied by as many threads as there are elements, in no order: those of equal indices are combined by
// atomic operations, or else any one stays. An index out of range is skipped, since the host cannot detect it.

/// Bits of an element's size.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, unsigned long long>>>;

template <class T> __device__ T combinedElement(Scatter::Reduction reduction, T element, T update) {
    if constexpr (std::is_integral_v<T>) // booleans are not combined
        return static_cast<T>(combined(reduction, static_cast<int64_t>(element), static_cast<int64_t>(update)));
    else
        return convertTo<T>(combined(reduction, toFloat(element), toFloat(update)));
}

/// Replaces the word that contains an element until no other thread has changed it. `shift`: the element's bit offset.
template <class T, class Word>
__device__ void exchangeWord(Scatter::Reduction reduction, Word* word, int shift, T update) {
    using Bits = BitsOf<T>;
    Word const mask = static_cast<Word>(static_cast<Bits>(~Bits{0})) << shift;
    Word seen = __ldcg(word);
    for (;;) {
        Word const expected = seen;
        T const element = std::bit_cast<T>(static_cast<Bits>(expected >> shift));
        auto const next = std::bit_cast<Bits>(combinedElement(reduction, element, update));
        Word const replaced = (expected & ~mask) | (static_cast<Word>(next) << shift);
        if (replaced == expected) return;
        seen = atomicCAS(word, expected, replaced);
        if (seen == expected) return;
    }
}

/// Combines *at with the update, atomically.
template <class T> __device__ void combineAt(T* at, T update, Scatter::Reduction reduction) {
    bool const adds = reduction == Scatter::Reduction::Add;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, int32_t>) {
        if (adds) {
            atomicAdd(at, update);
            return;
        }
    }
    if constexpr (std::is_same_v<T, int64_t>) {
        if (adds) {
            atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(update));
            return;
        }
    }
    if constexpr (sizeof(T) == 8) {
        exchangeWord(reduction, reinterpret_cast<unsigned long long*>(at), 0, update);
    } else {
        auto const address = reinterpret_cast<uintptr_t>(at);
        auto* const word = reinterpret_cast<unsigned*>(address & ~uintptr_t{3});
        exchangeWord(reduction, word, static_cast<int>(address & 3) * 8, update);
    }
}

template <class T> struct Replacing {
    using Element = T;
    __device__ void operator()(T* at, T update) const { *at = update; }
};
template <class T> struct Combining {
    using Element = T;
    Scatter::Reduction reduction;

    __device__ void operator()(T* at, T update) const { combineAt(at, update, reduction); }
};

/// updates [I,J] → blocks of Y
template <class Update, class T = typename Update::Element>
__global__ void scatterBlocks(T const* __restrict__ updates, Indices const indices, T* y, uint32_t count,
                              __grid_constant__ IndexedBlocks const blocks, Update const update) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const block = blocks.words.divide(static_cast<uint32_t>(i));
        uint32_t const word = static_cast<uint32_t>(i) - block * blocks.words.divisor();
        int64_t const to = blocks.source(block, indices);
        if (to >= 0) update(y + to * blocks.words.divisor() + word, updates[i]);
    });
}

/// updates [O,I,J] → Y[o, indices[o,i,j], j]
template <class Update, class T = typename Update::Element>
__global__ void scatterElements(T const* __restrict__ updates, Indices const indices, T* y, uint32_t count,
                                __grid_constant__ IndexedElements const elements, Update const update) {
    forEachElement(count, [&](int64_t i) {
        int64_t at[1];
        elements.places.offsets(static_cast<uint32_t>(i), at);
        int64_t const index = inside(indices[i], elements.extent);
        if (index >= 0) update(y + at[0] + index * elements.stride, updates[i]);
    });
}

class Scattering : public Executable {
public:
    explicit Scattering(PrepareArgs const& args)
        : type_(args.variant.inputs[Scatter::kX].type), reduction_(as<Scatter>(*args.node.layer)->reduction),
          wide_(args.variant.inputs[Scatter::kIndices].type == DataType::Int64),
          count_(counted(args.inputs[Scatter::kUpdates].volume())),
          copy_(bytesOf(args.inputs[Scatter::kX], args.variant.inputs[Scatter::kX])) {}

    void run(Pointers const& pointers) final {
        copy_.run(pointers);
        if (count_ != 0) scatter(pointers);
        checkLaunch("scatter");
    }

protected:
    virtual void scatter(Pointers const& pointers) = 0;

    Indices indicesAt(Pointers const& pointers) const { return {pointers.inputs[Scatter::kIndices], wide_}; }
    template <class T> static T const* updatesAt(Pointers const& pointers) {
        return static_cast<T const*>(pointers.inputs[Scatter::kUpdates]);
    }
    template <class Body> void dispatchCombining(Body const& body) const {
        dispatchElement(type_, [&]<class T>(TypeTag<T>) {
            if constexpr (!std::is_same_v<T, bool>) body(Combining<T>{reduction_}); // which has no arithmetic
        });
    }

    DataType type_;
    Scatter::Reduction reduction_;
    bool wide_;
    uint32_t count_; // elements of the updates

private:
    CopyBytes copy_;
};

class ScatteringBlocks final : public Scattering {
public:
    explicit ScatteringBlocks(PrepareArgs const& args) : Scattering(args) {
        Dims const& x = args.inputs[Scatter::kX];
        Dims const& indices = args.inputs[Scatter::kIndices];
        int const last = indices.rank() - 1;
        blocks_.length = static_cast<int>(indices[last]);
        for (int k = 0; k < blocks_.length; ++k) blocks_.extents[static_cast<size_t>(k)] = x[k];
        block_ = x.volume(blocks_.length, x.rank());
        if (count_ != 0) blocks_.count = Divider(counted(indices.volume(0, last)));
    }

private:
    void scatter(Pointers const& pointers) override {
        if (reduction_ != Scatter::Reduction::None)
            return dispatchCombining([&](auto const& update) { launch(update, 1, pointers); });
        auto const addresses = reinterpret_cast<uintptr_t>(pointers.inputs[Scatter::kUpdates]) |
                               reinterpret_cast<uintptr_t>(pointers.outputs[0]);
        auto const bytes = static_cast<int64_t>(elementBytes(type_));
        bool const isWide = (addresses | static_cast<uintptr_t>(block_ * bytes)) % sizeof(uint4) == 0;
        if (isWide) return launch(Replacing<uint4>{}, static_cast<int64_t>(sizeof(uint4)) / bytes, pointers);
        dispatchSize(type_, [&]<class T>(TypeTag<T>) { launch(Replacing<T>{}, 1, pointers); });
    }

    /// Moves `each` elements as one.
    template <class Update> void launch(Update const& update, int64_t each, Pointers const& pointers) {
        using T = typename Update::Element;
        auto const count = static_cast<uint32_t>(count_ / each);
        blocks_.words = Divider(static_cast<uint32_t>(block_ / each));
        scatterBlocks<<<blocksFor(count), kThreads, 0, streamOf(pointers.stream)>>>(
            updatesAt<T>(pointers), indicesAt(pointers), static_cast<T*>(pointers.outputs[0]), count, blocks_, update);
    }

    IndexedBlocks blocks_;
    int64_t block_ = 1; // elements of one
};

class ScatteringElements final : public Scattering {
public:
    explicit ScatteringElements(PrepareArgs const& args) : Scattering(args) {
        Dims const& x = args.inputs[Scatter::kX];
        int const axis = resolveAxis(as<Scatter>(*args.node.layer)->axis, x.rank());
        Dims strides = rowMajorStrides(x);
        elements_.stride = strides[axis];
        elements_.extent = x[axis];
        strides[axis] = 0; // replaced by the indices
        elements_.places = Indexer<1>(args.inputs[Scatter::kUpdates], {strides});
    }

private:
    void scatter(Pointers const& pointers) override {
        if (reduction_ != Scatter::Reduction::None)
            return dispatchCombining([&](auto const& update) { launch(update, pointers); });
        dispatchSize(type_, [&]<class T>(TypeTag<T>) { launch(Replacing<T>{}, pointers); });
    }

    template <class Update> void launch(Update const& update, Pointers const& pointers) const {
        using T = typename Update::Element;
        scatterElements<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
            updatesAt<T>(pointers), indicesAt(pointers), static_cast<T*>(pointers.outputs[0]), count_, elements_,
            update);
    }

    IndexedElements elements_;
};

class CudaScatter final : public Kernel {
public:
    std::string_view name() const override { return "cuda_scatter"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {2, 0, 2}}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (as<Scatter>(*args.node.layer)->mode == Scatter::Mode::Element)
            return std::make_unique<ScatteringElements>(args);
        return std::make_unique<ScatteringBlocks>(args);
    }
};

constexpr CudaScatter kScatter;
constexpr Kernel const* kKernels[]{&kScatter};

} // namespace

KernelList scatterKernels() { return {Scatter::kKind, kKernels}; }

} // namespace tenon::cuda

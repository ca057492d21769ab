// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indices.cuh"
#include "backends/cuda/launch.h"
#include "graph/elements.h"

namespace tenon::cuda {
namespace {

// On the CPU an index out of range is an Error. Here the host does not wait for the GPU and cannot detect one: the
// result is zero there, and nothing outside of X is read.

template <class Word>
__global__ void gatherBlocks(Word const* __restrict__ x, Indices const indices, Word* __restrict__ y, uint32_t count,
                             __grid_constant__ IndexedBlocks const blocks) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const block = blocks.words.divide(static_cast<uint32_t>(i));
        uint32_t const word = static_cast<uint32_t>(i) - block * blocks.words.divisor();
        int64_t const from = blocks.source(block, indices);
        y[i] = from < 0 ? Word{} : x[from * blocks.words.divisor() + word];
    });
}

/// Y[o,i,j] = X[o, indices[o,i,j], j]
template <class T>
__global__ void gatherElements(T const* __restrict__ x, Indices const indices, T* __restrict__ y, uint32_t count,
                               __grid_constant__ IndexedElements const elements) {
    forEachElement(count, [&](int64_t i) {
        int64_t at[1];
        elements.places.offsets(static_cast<uint32_t>(i), at);
        int64_t const index = inside(indices[i], elements.extent);
        y[i] = index < 0 ? T{} : x[at[0] + index * elements.stride];
    });
}

class GatheringBlocks final : public Executable {
public:
    explicit GatheringBlocks(PrepareArgs const& args) : wide_(args.variant.inputs[1].type == DataType::Int64) {
        auto const& layer = *as<Gather>(*args.node.layer);
        Dims const& x = args.inputs[0];
        Dims const& indices = args.inputs[1];
        auto const common = static_cast<int>(layer.elementWiseDims);
        bool const tuples = layer.mode == Gather::Mode::ND;
        int const last = indices.rank() - (tuples ? 1 : 0);
        int const axis = tuples ? common : resolveAxis(layer.axis, x.rank());
        if (tuples) blocks_.length = static_cast<int>(indices[last]);
        for (int k = 0; k < blocks_.length; ++k) blocks_.extents[static_cast<size_t>(k)] = x[axis + k];
        int64_t const block = x.volume(axis + blocks_.length, x.rank());
        elements_ = counted(args.outputs[0].volume());
        if (elements_ == 0) return;
        blocks_.outer = Divider(counted(x.volume(common, axis)));
        blocks_.count = Divider(counted(indices.volume(common, last)));
        blockBytes_ = block * static_cast<int64_t>(elementBytes(args.variant.inputs[0].type));
        bytes_ = elements_ / block * blockBytes_;
    }

    void run(Pointers const& pointers) override {
        if (elements_ == 0) return;
        dispatchWord(blockBytes_, pointers.inputs[0], pointers.outputs[0],
                     [&]<class Word>(TypeTag<Word>) { launch<Word>(pointers); });
    }

private:
    template <class Word> void launch(Pointers const& pointers) {
        constexpr int64_t kBytes = sizeof(Word);
        auto const count = static_cast<uint32_t>(bytes_ / kBytes); // not more than the number of elements
        blocks_.words = Divider(static_cast<uint32_t>(blockBytes_ / kBytes));
        gatherBlocks<<<blocksFor(count), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<Word const*>(pointers.inputs[0]), Indices{pointers.inputs[1], wide_},
            static_cast<Word*>(pointers.outputs[0]), count, blocks_);
        checkLaunch("gather");
    }

    bool wide_;
    IndexedBlocks blocks_;
    uint32_t elements_ = 0;
    int64_t blockBytes_ = 0;
    int64_t bytes_ = 0;
};

class GatheringElements final : public Executable {
public:
    explicit GatheringElements(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), wide_(args.variant.inputs[1].type == DataType::Int64),
          count_(counted(args.outputs[0].volume())) {
        Dims const& x = args.inputs[0];
        int const axis = resolveAxis(as<Gather>(*args.node.layer)->axis, x.rank());
        Dims strides = rowMajorStrides(x);
        elements_.stride = strides[axis];
        elements_.extent = x[axis];
        strides[axis] = 0; // replaced by the indices
        elements_.places = Indexer<1>(args.outputs[0], {strides});
    }

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchSize(type_, [&]<class T>(TypeTag<T>) {
            gatherElements<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), Indices{pointers.inputs[1], wide_},
                static_cast<T*>(pointers.outputs[0]), count_, elements_);
        });
        checkLaunch("gather of elements");
    }

private:
    DataType type_;
    bool wide_;
    uint32_t count_; // Y has the shape of the indices
    IndexedElements elements_;
};

class CudaGather final : public Kernel {
public:
    std::string_view name() const override { return "cuda_gather"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (as<Gather>(*args.node.layer)->mode == Gather::Mode::Element)
            return std::make_unique<GatheringElements>(args);
        return std::make_unique<GatheringBlocks>(args);
    }
};

constexpr CudaGather kGather;
constexpr Kernel const* kKernels[]{&kGather};

} // namespace

KernelList gatherKernels() { return {Gather::kKind, kKernels}; }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reverse_sequence/reverse_sequence.h"

#include "backends/cuda/divider.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/indices.cuh"
#include "backends/cuda/launch.h"
#include "graph/elements.h"

namespace tenon::cuda {
namespace {

// On the CPU a length out of range is an Error. Here the host does not wait for the GPU and cannot detect one: such a
// sequence is copied.

struct Blocks {
    Divider first;
    Divider between;
    Divider second;
    Divider words; // of a block
    int64_t steps = 0;
    bool batchFirst = false;

    __device__ int64_t source(uint32_t block, Indices const& lengths) const {
        uint32_t const rest = second.divide(block);
        uint32_t const inSecond = block - rest * second.divisor();
        uint32_t const outer = between.divide(rest);
        uint32_t const inFirst = outer - first.divide(outer) * first.divisor();
        uint32_t const n = batchFirst ? inFirst : inSecond;
        int64_t const step = batchFirst ? inSecond : inFirst;
        int64_t const length = lengths[n];
        if (step >= length || length > steps) return block;
        int64_t const stride = batchFirst ? 1 : int64_t{between.divisor()} * second.divisor();
        return block + (length - 1 - step - step) * stride;
    }
};

/// Threads process adjacent words of Y.
template <class Word>
__global__ void reverseBlocks(Word const* __restrict__ x, Indices const lengths, Word* __restrict__ y, uint32_t count,
                              __grid_constant__ Blocks const blocks) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const block = blocks.words.divide(static_cast<uint32_t>(i));
        uint32_t const word = static_cast<uint32_t>(i) - block * blocks.words.divisor();
        y[i] = x[blocks.source(block, lengths) * blocks.words.divisor() + word];
    });
}

class Reversing final : public Executable {
public:
    explicit Reversing(PrepareArgs const& args) : wide_(args.variant.inputs[1].type == DataType::Int64) {
        SequenceSpace const space(*as<ReverseSequence>(*args.node.layer), args.inputs[0]);
        if (counted(args.inputs[0].volume()) == 0) return;
        blockBytes_ = space.inner * static_cast<int64_t>(elementBytes(args.variant.inputs[0].type));
        bytes_ = space.blocks * blockBytes_;
        blocks_.first = Divider(static_cast<uint32_t>(space.first));
        blocks_.between = Divider(static_cast<uint32_t>(space.between));
        blocks_.second = Divider(static_cast<uint32_t>(space.second));
        blocks_.steps = space.steps();
        blocks_.batchFirst = space.batchFirst;
    }

    void run(Pointers const& pointers) override {
        if (bytes_ == 0) return;
        dispatchWord(blockBytes_, pointers.inputs[0], pointers.outputs[0],
                     [&]<class Word>(TypeTag<Word>) { launch<Word>(pointers); });
    }

private:
    template <class Word> void launch(Pointers const& pointers) {
        constexpr int64_t kBytes = sizeof(Word);
        auto const count = static_cast<uint32_t>(bytes_ / kBytes); // not more than the number of elements
        blocks_.words = Divider(static_cast<uint32_t>(blockBytes_ / kBytes));
        reverseBlocks<<<blocksFor(count), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<Word const*>(pointers.inputs[0]), Indices{pointers.inputs[1], wide_},
            static_cast<Word*>(pointers.outputs[0]), count, blocks_);
        checkLaunch("reverse sequence");
    }

    bool wide_;
    Blocks blocks_;
    int64_t blockBytes_ = 0;
    int64_t bytes_ = 0;
};

class CudaReverseSequence final : public Kernel {
public:
    std::string_view name() const override { return "cuda_reverse_sequence"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Reversing>(args);
    }
};

constexpr CudaReverseSequence kReverseSequence;
constexpr Kernel const* kKernels[]{&kReverseSequence};

} // namespace

KernelList reverseSequenceKernels() { return {ReverseSequence::kKind, kKernels}; }

} // namespace tenon::cuda

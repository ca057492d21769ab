// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/kv_cache_update/kv_cache_update.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "graph/elements.h"

namespace tenon::cuda {
namespace {

// On the CPU a position outside the cache is an Error. Here the host does not wait for the GPU and cannot detect one:
// nothing is written for it.

struct Numbers {
    void const* data = nullptr;
    bool wide = false; // int64

    __device__ int64_t operator[](int64_t i) const {
        return wide ? static_cast<int64_t const*>(data)[i] : static_cast<int32_t const*>(data)[i];
    }
};

struct Updating {
    CacheSpace space;
    Numbers begin;
    Numbers from;
    int64_t words = 1; // of a block of `inner` elements

    /// The sequence of a token of a packed update; -1 if the offsets do not rise.
    __device__ int64_t sequenceOf(int64_t token) const {
        int64_t low = 0;
        int64_t high = space.sequences;
        while (high - low > 1) {
            int64_t const middle = (low + high) / 2;
            (from[middle] <= token ? low : high) = middle;
        }
        return token >= from[low] && token < from[low + 1] ? low : -1;
    }

    /// The block of the cache to which a block of the update is written; -1: none.
    __device__ int64_t target(int64_t block) const {
        int64_t sequence = 0;
        int64_t head = 0;
        int64_t token = 0;
        if (space.packed) {
            head = block % space.heads;
            sequence = sequenceOf(block / space.heads);
            if (sequence < 0) return -1;
            token = block / space.heads - from[sequence];
        } else {
            token = block % space.tokens;
            head = block / space.tokens % space.heads;
            sequence = block / space.tokens / space.heads;
        }
        int64_t position = begin.data ? begin[sequence] : 0;
        if (space.circular)
            position = (position % space.positions + space.positions + token) % space.positions;
        else
            position = position < 0 || position > space.positions ? -1 : position + token;
        if (position < 0 || position >= space.positions) return -1;
        return (sequence * space.heads + head) * space.positions + position;
    }
};

/// Threads process adjacent words of the update.
template <class Word>
__global__ void writeUpdate(Word const* __restrict__ update, Word* __restrict__ y, int64_t count,
                            __grid_constant__ Updating const updating) {
    forEachElement(count, [&](int64_t i) {
        int64_t const block = i / updating.words;
        int64_t const to = updating.target(block);
        if (to >= 0) y[to * updating.words + (i - block * updating.words)] = update[i];
    });
}

class UpdatingCache final : public Executable {
public:
    explicit UpdatingCache(PrepareArgs const& args)
        : updating_{CacheSpace(*as<KVCacheUpdate>(*args.node.layer), args.inputs[0], args.inputs[1]), {}, {}, 1},
          cacheBytes_(bytesOf(args.variant.inputs[0].type, args.inputs[0].volume())),
          updateBytes_(static_cast<int64_t>(bytesOf(args.variant.inputs[0].type, args.inputs[1].volume()))),
          blockBytes_(updating_.space.inner * static_cast<int64_t>(elementBytes(args.variant.inputs[0].type))),
          begins_(args.node.input(KVCacheUpdate::kBegin) != nullptr) {
        if (begins_) updating_.begin.wide = args.variant.inputs[KVCacheUpdate::kBegin].type == DataType::Int64;
        if (updating_.space.packed)
            updating_.from.wide = args.variant.inputs[KVCacheUpdate::kFrom].type == DataType::Int64;
    }

    void run(Pointers const& pointers) override {
        backend().copy(pointers.outputs[0], pointers.inputs[KVCacheUpdate::kCache], cacheBytes_, pointers.stream);
        if (updateBytes_ == 0 || cacheBytes_ == 0) return;
        if (begins_) updating_.begin.data = pointers.inputs[KVCacheUpdate::kBegin];
        if (updating_.space.packed) updating_.from.data = pointers.inputs[KVCacheUpdate::kFrom];
        dispatchWord(blockBytes_, pointers.inputs[KVCacheUpdate::kUpdate], pointers.outputs[0],
                     [&]<class Word>(TypeTag<Word>) { launch<Word>(pointers); });
    }

private:
    template <class Word> void launch(Pointers const& pointers) {
        constexpr int64_t kBytes = sizeof(Word);
        updating_.words = blockBytes_ / kBytes;
        int64_t const count = updateBytes_ / kBytes;
        writeUpdate<<<blocksFor(count), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<Word const*>(pointers.inputs[KVCacheUpdate::kUpdate]), static_cast<Word*>(pointers.outputs[0]),
            count, updating_);
        checkLaunch("cache update");
    }

    Updating updating_;
    size_t cacheBytes_;
    int64_t updateBytes_;
    int64_t blockBytes_;
    bool begins_; // there are write indices
};

class CudaKVCacheUpdate final : public Kernel {
public:
    std::string_view name() const override { return "cuda_kv_cache_update"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<UpdatingCache>(args);
    }
};

constexpr CudaKVCacheUpdate kUpdate;
constexpr Kernel const* kKernels[]{&kUpdate};

} // namespace

KernelList kvCacheUpdateKernels() { return {KVCacheUpdate::kKind, kKernels}; }

} // namespace tenon::cuda

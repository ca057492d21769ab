// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/kv_cache_update/kv_cache_update.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

class UpdatingCache final : public Executable {
public:
    explicit UpdatingCache(PrepareArgs const& args)
        : space_(*as<KVCacheUpdate>(*args.node.layer), args.inputs[0], args.inputs[1]),
          blockBytes_(space_.inner * static_cast<int64_t>(elementBytes(args.variant.inputs[0].type))),
          cacheBytes_(static_cast<int64_t>(bytesOf(args.variant.inputs[0].type, args.inputs[0].volume()))) {
        for (size_t i = 0; i < args.variant.inputs.size(); ++i)
            wide_.push_back(args.variant.inputs[i].type == DataType::Int64);
    }

    void run(Pointers const& pointers) override {
        for (int64_t n = 0; n < space_.sequences; ++n) check(sequenceAt(pointers, n), n); // parallelFor must not throw
        auto const* cache = static_cast<std::byte const*>(pointers.inputs[KVCacheUpdate::kCache]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        parallelFor(y == cache ? 0 : cacheBytes_, kCopyGrain, [&](int64_t begin, int64_t end) {
            std::memcpy(y + begin, cache + begin, static_cast<size_t>(end - begin));
        });
        parallelFor(space_.sequences * space_.heads, 1, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) write(pointers, sequenceAt(pointers, row / space_.heads), row);
        });
    }

private:
    struct Sequence {
        int64_t begin; // in the cache
        int64_t first; // token of the update
        int64_t last;  // the one after its last token
    };

    int64_t numberAt(Pointers const& pointers, size_t input, int64_t i) const {
        void const* numbers = pointers.inputs[input];
        return wide_[input] ? static_cast<int64_t const*>(numbers)[i] : static_cast<int32_t const*>(numbers)[i];
    }

    Sequence sequenceAt(Pointers const& pointers, int64_t n) const {
        bool const begins = wide_.size() > KVCacheUpdate::kBegin && pointers.inputs[KVCacheUpdate::kBegin] != nullptr;
        Sequence sequence{begins ? numberAt(pointers, KVCacheUpdate::kBegin, n) : 0, 0, space_.tokens};
        if (space_.packed) {
            sequence.first = numberAt(pointers, KVCacheUpdate::kFrom, n);
            sequence.last = numberAt(pointers, KVCacheUpdate::kFrom, n + 1);
        }
        return sequence;
    }

    void check(Sequence const& one, int64_t n) const {
        if (one.first < 0 || one.last < one.first || one.last > space_.tokens)
            failOnPacking(one.first, one.last, n, space_.tokens);
        int64_t const tokens = one.last - one.first;
        bool const fits = one.begin >= 0 && one.begin <= space_.positions && tokens <= space_.positions - one.begin;
        if (!space_.circular && tokens != 0 && !fits) failOnPosition(one.begin, tokens, n, space_.positions);
    }

    /// One head of one sequence.
    void write(Pointers const& pointers, Sequence const& of, int64_t row) const {
        auto const* update = static_cast<std::byte const*>(pointers.inputs[KVCacheUpdate::kUpdate]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]) + row * space_.positions * blockBytes_;
        int64_t const begin = space_.circular ? of.begin % space_.positions + space_.positions : of.begin;
        for (int64_t token = 0; token < of.last - of.first; ++token) {
            int64_t const position = space_.circular ? (begin + token) % space_.positions : begin + token;
            int64_t const from =
                space_.packed ? (of.first + token) * space_.heads + row % space_.heads : row * space_.tokens + token;
            std::memcpy(y + position * blockBytes_, update + from * blockBytes_, static_cast<size_t>(blockBytes_));
        }
    }

    CacheSpace space_;
    int64_t blockBytes_;
    int64_t cacheBytes_;
    std::vector<bool> wide_; // by input: int64 rather than int32
};

class CpuKVCacheUpdate final : public Kernel {
public:
    std::string_view name() const override { return "kv_cache_update"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<UpdatingCache>(args);
    }
};

constexpr CpuKVCacheUpdate kUpdate;
constexpr Kernel const* kKernels[]{&kUpdate};

} // namespace

KernelList kvCacheUpdateKernels() { return {KVCacheUpdate::kKind, kKernels}; }

} // namespace tenon::cpu

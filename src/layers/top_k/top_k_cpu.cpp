// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "base/tensor_size.h"
#include "layers/top_k/selection_key.h"
#include "layers/top_k/top_k_loops_cpu.h"

#include <algorithm>
#include <array>

namespace tenon::cpu {
namespace {

constexpr int64_t kMostParts = 64;       // into which one row is divided
constexpr int64_t kLeastPart = 16 << 10; // elements
constexpr int64_t kBlock = 256;          // elements of a row whose keys are compared before their places matter

template <class Bits> KeyLoops<Bits> const& keyLoops() {
    auto const& loops = bestLoops<TopKLoops>();
    if constexpr (sizeof(Bits) == 1) return loops.of8;
    if constexpr (sizeof(Bits) == 2) return loops.of16;
    if constexpr (sizeof(Bits) == 4) return loops.of32;
    if constexpr (sizeof(Bits) == 8) return loops.of64;
}

/// X [O,n,J] → Y [O,k,J]: rows along the axis, with stride J.
struct Rows {
    int64_t n = 1;
    int64_t k = 1;
    int64_t inner = 1; // J
    int64_t count = 1; // O·J
    bool lastFirst = false;
    bool wide = false; // indices of int64

    explicit Rows(PrepareArgs const& args) {
        auto const& layer = *as<TopK>(*args.node.layer);
        Dims const& x = args.inputs[TopK::kX];
        int const axis = resolveAxis(layer.axis, x.rank());
        n = x[axis];
        expectCountable(layer.indicesType, n, "elements along the axis");
        k = args.outputs[0][axis];
        inner = x.volume(axis + 1, x.rank());
        count = x.volume() / n;
        lastFirst = layer.lastFirst;
        wide = args.variant.outputs[1].type == DataType::Int64;
    }

    int64_t startIn(int64_t row, int64_t length) const { return row / inner * length * inner + row % inner; }
    /// The order of equal elements; its own inverse.
    int64_t placeOf(int64_t index) const { return lastFirst ? n - 1 - index : index; }

    /// Writes entry `at` of the best of a row to the outputs.
    template <class Bits>
    void write(int64_t row, int64_t at, uint64_t place, Bits const* x, Pointers const& pointers) const {
        int64_t const index = placeOf(static_cast<int64_t>(place));
        int64_t const to = startIn(row, k) + at * inner;
        static_cast<Bits*>(pointers.outputs[0])[to] = x[startIn(row, n) + index * inner];
        if (wide)
            static_cast<int64_t*>(pointers.outputs[1])[to] = index;
        else
            static_cast<int32_t*>(pointers.outputs[1])[to] = static_cast<int32_t>(index);
    }
};

/// Keeps the k least of the added entries, in room for more than k of them (or for all).
template <class Entry> class Sieve {
public:
    Sieve(Entry* entries, int64_t room, int64_t k) : entries_(entries), room_(room), k_(k) {}

    void add(Entry entry) {
        if (!(entry < limit_)) return;
        entries_[count_++] = entry;
        if (count_ == room_) cut();
    }
    /// Whether entries with this key or a greater one would be discarded.
    bool excludes(uint64_t key) const { return key > limit_.key(); }
    /// Sorts the kept entries and returns their number.
    int64_t finish() {
        if (count_ > k_) cut();
        std::sort(entries_, entries_ + count_);
        return count_;
    }

private:
    void cut() {
        if (count_ < k_) return;
        std::nth_element(entries_, entries_ + k_ - 1, entries_ + count_);
        limit_ = entries_[k_ - 1];
        count_ = k_;
    }

    Entry* entries_;
    int64_t room_;
    int64_t k_;
    int64_t count_ = 0;
    Entry limit_ = Entry::worst();
};

/// Any k. A worker processes rows, or one part of a row, in its own memory. The sorted parts of a row are then merged,
/// a piece of the result at a time: the entries between two entries of one of the parts.
template <class Bits, class Entry> class Selecting final : public Executable {
public:
    explicit Selecting(PrepareArgs const& args)
        : rows_(args), rule_(keyRuleOf(args.variant.inputs[TopK::kX].type, *as<TopK>(*args.node.layer))) {
        int64_t const threads = defaultThreads();
        if (rows_.count < threads)
            parts_ = std::clamp<int64_t>(std::min(threads / rows_.count, rows_.n / kLeastPart), 1, kMostParts);
        length_ = (rows_.n + parts_ - 1) / parts_;
        room_ = std::min(length_, std::max(2 * rows_.k, rows_.k + 64));
        workers_ = parts_ == 1 ? std::min(rows_.count, threads) : rows_.count * parts_;
    }

    size_t workspaceBytes() const override {
        return static_cast<size_t>(workers_) * (static_cast<size_t>(room_) * sizeof(Entry) + sizeof(int64_t));
    }

    void run(Pointers const& pointers) override {
        if (parts_ == 1) {
            parallelForSlots(rows_.count, 1, static_cast<int>(workers_), [&](int64_t begin, int64_t end, int worker) {
                for (int64_t row = begin; row < end; ++row) sortRow(worker, row, pointers);
            });
            return;
        }
        parallelFor(workers_, 1, [&](int64_t begin, int64_t end) {
            for (int64_t part = begin; part < end; ++part) {
                int64_t const first = std::min(part % parts_ * length_, rows_.n);
                countOf(part, pointers) = sort(part, part / parts_, first, pointers);
            }
        });
        parallelFor(workers_, 1, [&](int64_t begin, int64_t end) {
            for (int64_t task = begin; task < end; ++task) merge(task / parts_, task % parts_, pointers);
        });
    }

private:
    Entry* roomOf(int64_t worker, Pointers const& pointers) const {
        return static_cast<Entry*>(pointers.workspace) + worker * room_;
    }
    int64_t& countOf(int64_t worker, Pointers const& pointers) const {
        return reinterpret_cast<int64_t*>(roomOf(workers_, pointers))[worker];
    }

    void sortRow(int64_t worker, int64_t row, Pointers const& pointers) const {
        auto const* x = static_cast<Bits const*>(pointers.inputs[TopK::kX]);
        Entry const* const best = roomOf(worker, pointers);
        int64_t const count = sort(worker, row, 0, pointers);
        for (int64_t i = 0; i < count; ++i) rows_.write(row, i, best[i].place(), x, pointers);
    }

    /// Sorts the best of a row's part that starts at `first`, in the worker's memory.
    int64_t sort(int64_t worker, int64_t row, int64_t first, Pointers const& pointers) const {
        auto const* x = static_cast<Bits const*>(pointers.inputs[TopK::kX]) + rows_.startIn(row, rows_.n);
        int64_t const last = std::min(first + length_, rows_.n);
        Sieve<Entry> sieve(roomOf(worker, pointers), room_, rows_.k);
        std::array<Bits, kBlock> keys;
        for (int64_t begin = first; begin < last; begin += kBlock) {
            int64_t const count = std::min(kBlock, last - begin);
            Bits const* const block = x + begin * rows_.inner;
            Bits const least = loops_.keys(keys.data(), block, rows_.inner, count, rule_);
            if (sieve.excludes(least)) continue;
            for (int64_t i = 0; i < count; ++i)
                sieve.add(Entry::of(keys[static_cast<size_t>(i)], static_cast<uint64_t>(rows_.placeOf(begin + i))));
        }
        return sieve.finish();
    }

    struct Run {
        Entry const* next;
        Entry const* end;
    };

    /// Piece `piece` of `parts_` of a row's result.
    void merge(int64_t row, int64_t piece, Pointers const& pointers) const {
        auto const* x = static_cast<Bits const*>(pointers.inputs[TopK::kX]);
        std::array<Run, kMostParts> runs;
        int64_t at = 0;
        for (int64_t part = 0; part < parts_; ++part) {
            int64_t const worker = row * parts_ + part;
            Entry const* const first = roomOf(worker, pointers);
            Entry const* const last = first + countOf(worker, pointers);
            Run& run = runs[static_cast<size_t>(part)];
            run.next = piece == 0 ? first : std::lower_bound(first, last, borderOf(row, piece, pointers));
            run.end = piece + 1 == parts_ ? last : std::lower_bound(first, last, borderOf(row, piece + 1, pointers));
            at += run.next - first;
        }
        for (; at < rows_.k; ++at) {
            Run* least = nullptr;
            for (Run& run : std::span(runs).first(static_cast<size_t>(parts_))) {
                if (run.next != run.end && (!least || *run.next < *least->next)) least = &run;
            }
            if (!least) return;
            rows_.write(row, at, least->next++->place(), x, pointers);
        }
    }

    Entry borderOf(int64_t row, int64_t piece, Pointers const& pointers) const {
        int64_t const worker = row * parts_;
        return roomOf(worker, pointers)[countOf(worker, pointers) * piece / parts_];
    }

    Rows rows_;
    KeyRule rule_;
    int64_t parts_ = 1;
    int64_t length_ = 1; // of a part
    int64_t room_ = 1;
    int64_t workers_ = 1;
    KeyLoops<Bits> const& loops_ = keyLoops<Bits>();
};

/// k = 1. A task finds the best of some adjacent rows in a part of the axis; then the parts are compared.
template <class Bits> class FindingBest final : public Executable {
public:
    explicit FindingBest(PrepareArgs const& args)
        : rows_(args), rule_(keyRuleOf(args.variant.inputs[TopK::kX].type, *as<TopK>(*args.node.layer))) {
        chunks_ = (rows_.inner + kChunk - 1) / kChunk;
        int64_t const tasks = rows_.count / rows_.inner * chunks_;
        int64_t const threads = defaultThreads();
        if (tasks < threads)
            parts_ = std::clamp<int64_t>(std::min(threads / tasks, rows_.n / kLeastPart), 1, kMostParts);
        length_ = (rows_.n + parts_ - 1) / parts_;
        tasks_ = tasks * parts_;
    }

    size_t workspaceBytes() const override { return static_cast<size_t>(rows_.count * parts_) * sizeof(WideEntry); }

    void run(Pointers const& pointers) override {
        int64_t const elements = length_ * std::min(rows_.inner, kChunk); // of a task
        parallelFor(tasks_, std::max<int64_t>(1, kLeastPart / elements), [&](int64_t begin, int64_t end) {
            for (int64_t task = begin; task < end; ++task) find(task, pointers);
        });
        auto const* x = static_cast<Bits const*>(pointers.inputs[TopK::kX]);
        auto const* found = static_cast<WideEntry const*>(pointers.workspace);
        parallelFor(rows_.count, kLeastPart, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                WideEntry const best = *std::min_element(found + row * parts_, found + (row + 1) * parts_);
                rows_.write(row, 0, best.place(), x, pointers);
            }
        });
    }

private:
    static constexpr int64_t kChunk = 128; // rows of a task, at most

    void find(int64_t task, Pointers const& pointers) const {
        int64_t const part = task % parts_;
        int64_t const chunk = task / parts_ % chunks_;
        int64_t const row = task / parts_ / chunks_ * rows_.inner + chunk * kChunk;
        int64_t const first = std::min(part * length_, rows_.n - 1); // an empty part repeats one element
        int64_t const last = std::max(first + 1, std::min(first + length_, rows_.n));
        auto const* x = static_cast<Bits const*>(pointers.inputs[TopK::kX]) + rows_.startIn(row, rows_.n);
        auto* found = static_cast<WideEntry*>(pointers.workspace) + row * parts_ + part;
        if (rows_.inner == 1)
            *found = bestOf(x, first, last);
        else
            findBeside(x, first, last, std::min(kChunk, rows_.inner - chunk * kChunk), found);
    }

    WideEntry bestOf(Bits const* x, int64_t first, int64_t last) const {
        std::array<Bits, kBlock> keys;
        WideEntry best = WideEntry::worst();
        for (int64_t begin = first; begin < last; begin += kBlock) {
            int64_t const count = std::min(kBlock, last - begin);
            Bits const least = loops_.keys(keys.data(), x + begin, 1, count, rule_);
            if (least > best.key() || (least == best.key() && !rows_.lastFirst && begin != first)) continue;
            int64_t i = rows_.lastFirst ? count - 1 : 0;
            while (keys[static_cast<size_t>(i)] != least) i += rows_.lastFirst ? -1 : 1;
            best = WideEntry::of(least, static_cast<uint64_t>(rows_.placeOf(begin + i)));
        }
        return best;
    }

    void findBeside(Bits const* x, int64_t first, int64_t last, int64_t count, WideEntry* found) const {
        std::array<Bits, kChunk> keys;
        std::array<int64_t, kChunk> at;
        auto const width = static_cast<size_t>(count);
        for (size_t j = 0; j < width; ++j)
            keys[j] = rule_.keyOf(x[first * rows_.inner + static_cast<int64_t>(j)]), at[j] = first;
        for (int64_t i = first + 1; i < last; ++i)
            loops_.best(keys.data(), at.data(), {x + i * rows_.inner, count, i, rows_.lastFirst}, rule_);
        for (size_t j = 0; j < width; ++j)
            found[static_cast<int64_t>(j) * parts_] =
                WideEntry::of(keys[j], static_cast<uint64_t>(rows_.placeOf(at[j])));
    }

    Rows rows_;
    KeyRule rule_;
    KeyLoops<Bits> const& loops_ = keyLoops<Bits>();
    int64_t chunks_ = 1;
    int64_t parts_ = 1;
    int64_t length_ = 1; // of a part
    int64_t tasks_ = 1;
};

template <class Bits> std::unique_ptr<Executable> prepareFor(PrepareArgs const& args) {
    Rows const rows(args);
    if (rows.k == 1) return std::make_unique<FindingBest<Bits>>(args);
    if (sizeof(Bits) == 8 || rows.n >= UINT32_MAX) return std::make_unique<Selecting<Bits, WideEntry>>(args);
    return std::make_unique<Selecting<Bits, NarrowEntry>>(args);
}

class CpuTopK final : public Kernel {
public:
    std::string_view name() const override { return "top_k"; }

    // numbers of any type, linear
    Offer offer(KernelQuery const& query) const override {
        constexpr double kNsAnElement = 1.5; // comparing takes longer than reading
        return offerMoving(query, {.ns = kNsAnElement * static_cast<double>(query.inputs[0].volume())});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        switch (bitsOf(args.variant.inputs[TopK::kX].type)) {
        case 8: return prepareFor<uint8_t>(args);
        case 16: return prepareFor<uint16_t>(args);
        case 32: return prepareFor<uint32_t>(args);
        }
        return prepareFor<uint64_t>(args);
    }
};

constexpr CpuTopK kTopK;
constexpr Kernel const* kKernels[]{&kTopK};

} // namespace

KernelList topKKernels() { return {TopK::kKind, kKernels}; }

} // namespace tenon::cpu

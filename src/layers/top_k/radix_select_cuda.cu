// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/top_k/selecting_cuda.cuh"

#include "backends/cuda/counted.h"

#include <bit>

namespace tenon::cuda {
namespace {

constexpr int kThreadsOfRow = 512;
constexpr int kDigitBits = 11;
constexpr int kDigits = 1 << kDigitBits;
constexpr int64_t kPart = 4096; // elements of a row that a block processes
constexpr int kFanIn = 16;      // sorted runs that are merged into one

/// The worst selected entry, as far as its digits are known. Zero before the first pass.
struct Threshold {
    uint64_t key;
    uint64_t place;
    uint32_t better;  // entries that are surely selected
    uint32_t arrived; // blocks of this pass that have counted
    uint32_t taken;   // entries that have been collected
    uint32_t isExact; // all digits are known
};

/// One digit of an entry: bits [shift, shift + width) of its key or, for equal keys, of its place.
struct Digit {
    int shift;
    int width;
    bool ofPlace;

    template <class Entry> __device__ bool isOpen(Entry entry, uint64_t key, uint64_t place) const {
        if (ofPlace) return entry.key() == key && isSameAbove(entry.place(), place);
        return isSameAbove(entry.key(), key);
    }
    __device__ bool isSameAbove(uint64_t a, uint64_t b) const {
        int const above = shift + width;
        return above >= 64 || a >> above == b >> above;
    }
    template <class Entry> __device__ uint32_t of(Entry entry) const {
        uint64_t const bits = ofPlace ? entry.place() : entry.key();
        return static_cast<uint32_t>(bits >> shift) & ((1U << width) - 1);
    }
};

/// Finds the digit at which k entries are reached, from the counts of each digit. By all threads of the last block.
__device__ void chooseDigit(Threshold& threshold, uint32_t* counts, Digit const& digit, uint32_t k) {
    constexpr int kEach = kDigits / kThreadsOfRow;
    __shared__ uint32_t sums[kThreadsOfRow];
    int const thread = static_cast<int>(threadIdx.x);
    uint32_t const wanted = k - threshold.better;
    uint32_t mine[kEach];
    uint32_t sum = 0;
    for (int i = 0; i < kEach; ++i) {
        mine[i] = __ldcg(counts + thread * kEach + i);
        counts[thread * kEach + i] = 0; // for the next pass
        sum += mine[i];
    }
    sums[thread] = sum;
    __syncthreads();
    for (int step = 1; step < kThreadsOfRow; step *= 2) { // sums of all threads up to this one
        uint32_t const before = thread >= step ? sums[thread - step] : 0;
        __syncthreads();
        sums[thread] += before;
        __syncthreads();
    }
    uint32_t passed = sums[thread] - sum;
    if (passed >= wanted || sums[thread] < wanted) return; // another thread has it
    int found = 0;
    while (passed + mine[found] < wanted) passed += mine[found++];
    auto const value = static_cast<uint64_t>(thread * kEach + found) << digit.shift;
    uint64_t const below = (uint64_t{1} << digit.shift) - 1;
    threshold.better += passed;
    threshold.isExact = mine[found] == wanted - passed; // all with this digit are selected
    uint64_t const rest = threshold.isExact ? below : 0;
    if (digit.ofPlace) {
        threshold.place |= value | rest;
    } else {
        threshold.key |= value | rest;
        if (threshold.isExact) threshold.place = ~uint64_t{0};
    }
}

/// Counts the digits of the entries whose previous digits are the threshold's; the last block of a row chooses.
template <class Source>
__global__ void __launch_bounds__(kThreadsOfRow)
    countDigits(__grid_constant__ Source const source, int64_t n, uint32_t k, unsigned parts, Threshold* thresholds,
                uint32_t* counts, Digit const digit) {
    __shared__ uint32_t bins[kDigits];
    __shared__ bool isLast;
    int64_t const row = blockIdx.x / parts;
    Threshold& threshold = thresholds[row];
    if (threshold.isExact) return; // set by an earlier launch: all blocks of the row see it
    uint64_t const key = threshold.key;
    uint64_t const place = threshold.place;
    for (int bin = static_cast<int>(threadIdx.x); bin < kDigits; bin += kThreadsOfRow) bins[bin] = 0;
    __syncthreads();
    int64_t const first = blockIdx.x % parts * kPart;
    int64_t const last = min(first + kPart, n);
#pragma unroll 4
    for (int64_t i = first + threadIdx.x; i < last; i += kThreadsOfRow) {
        auto const entry = source.at(row, i);
        if (digit.isOpen(entry, key, place)) atomicAdd(bins + digit.of(entry), 1U);
    }
    __syncthreads();
    uint32_t* const all = counts + row * kDigits;
    for (int bin = static_cast<int>(threadIdx.x); bin < kDigits; bin += kThreadsOfRow) {
        if (bins[bin] != 0) atomicAdd(all + bin, bins[bin]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) isLast = atomicAdd(&threshold.arrived, 1U) == parts - 1;
    __syncthreads();
    if (!isLast) return;
    __threadfence();
    if (threadIdx.x == 0) threshold.arrived = 0;
    chooseDigit(threshold, all, digit, k);
}

/// Collects all entries that are not worse than the threshold in the row's list, in any order.
template <class Source>
__global__ void __launch_bounds__(kThreadsOfRow)
    collect(__grid_constant__ Source const source, int64_t n, uint32_t k, unsigned parts, Threshold* thresholds,
            typename Source::Entry* list) {
    using Entry = typename Source::Entry;
    constexpr int kEach = kPart / kThreadsOfRow;
    __shared__ uint32_t count;
    __shared__ uint32_t start;
    int64_t const row = blockIdx.x / parts;
    Threshold& threshold = thresholds[row];
    uint64_t const key = threshold.key;
    uint64_t const place = threshold.place;
    int64_t const first = blockIdx.x % parts * kPart;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    Entry mine[kEach];
    uint32_t slots[kEach];
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        int64_t const i = first + j * kThreadsOfRow + threadIdx.x;
        mine[j] = i < n ? source.at(row, i) : Entry::worst();
    }
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        bool const isThere = first + j * kThreadsOfRow + threadIdx.x < n;
        bool const isTaken = mine[j].key() < key || (mine[j].key() == key && mine[j].place() <= place);
        slots[j] = isThere && isTaken ? atomicAdd(&count, 1U) : UINT32_MAX;
    }
    __syncthreads();
    if (threadIdx.x == 0) start = atomicAdd(&threshold.taken, count);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        uint32_t const at = start + slots[j];
        if (slots[j] != UINT32_MAX && at < k) list[row * k + at] = mine[j];
    }
}

/// Merges each kFanIn sorted runs of a row: an entry's position is the number of smaller ones in its own run and the
/// others.
template <class Entry, class Sink>
__global__ void __launch_bounds__(kThreads)
    mergeRuns(Entry const* __restrict__ list, __grid_constant__ Sink const sink, int64_t rows, int64_t k, int64_t run) {
    forEachElement(rows * k, [&](int64_t e) {
        int64_t const row = e / k;
        int64_t const i = e - row * k;
        Entry const* const entries = list + row * k;
        Entry const mine = entries[i];
        int64_t const group = i / (run * kFanIn) * (run * kFanIn);
        int64_t const end = min(group + run * kFanIn, k);
        int64_t const own = i / run * run;
        int64_t place = group + i - own;
        for (int64_t first = group; first < end; first += run) {
            if (first == own) continue;
            int64_t low = first;
            int64_t high = min(first + run, k);
            while (low < high) {
                int64_t const middle = (low + high) / 2;
                entries[middle] < mine ? low = middle + 1 : high = middle;
            }
            place += low - first;
        }
        sink.put(row, place, mine);
    });
}

class RadixSelector final : public Selector {
public:
    explicit RadixSelector(SelectionSpace const& space) : space_(space) {
        addDigits(bitsOf(space.type), false);
        addDigits(std::bit_width(static_cast<uint64_t>(space.n() - 1)), true);
        parts_ = static_cast<unsigned>((space.n() + kPart - 1) / kPart);
        counted(space.rows * parts_, "parts of rows"); // blocks of the grid
    }

    size_t workspaceBytes() const override { return listBytes() * (runs() > kFanIn ? 2 : 1) + zeroedBytes(); }

    void launch(Selection const& of) const override {
        dispatchSize(space_.type, [&]<class Bits>(TypeTag<Bits>) { select<Bits>(of); });
    }

private:
    /// The digits of a number of this many bits.
    void addDigits(int bits, bool ofPlace) {
        int const count = (bits + kDigitBits - 1) / kDigitBits;
        int end = bits;
        for (int left = count; left > 0; --left) {
            int const width = (end + left - 1) / left;
            end -= width;
            digits_.push_back({end, width, ofPlace});
        }
    }

    int64_t runs() const { return (space_.k() + kTile - 1) / kTile; }
    size_t listBytes() const {
        size_t const bytes = static_cast<size_t>(space_.rows * space_.k()) * space_.entryBytes();
        return (bytes + 15) / 16 * 16;
    }
    size_t zeroedBytes() const { // a multiple of 16
        return static_cast<size_t>(space_.rows) * (sizeof(Threshold) + kDigits * sizeof(uint32_t));
    }

    template <class Bits> void select(Selection const& of) const {
        using Entry = EntryOf<Bits>;
        auto* const thresholds = reinterpret_cast<Threshold*>(of.workspace);
        auto* const counts = reinterpret_cast<uint32_t*>(thresholds + space_.rows);
        auto* const list = reinterpret_cast<Entry*>(of.workspace + zeroedBytes());
        check(cudaMemsetAsync(of.workspace, 0, zeroedBytes(), of.stream), "cudaMemsetAsync");
        auto const source = space_.elements<Bits>(of);
        auto const blocks = static_cast<unsigned>(space_.rows) * parts_;
        auto const k = static_cast<uint32_t>(space_.k());
        for (Digit const& digit : digits_)
            countDigits<<<blocks, kThreadsOfRow, 0, of.stream>>>(source, space_.n(), k, parts_, thresholds, counts,
                                                                 digit);
        collect<<<blocks, kThreadsOfRow, 0, of.stream>>>(source, space_.n(), k, parts_, thresholds, list);
        checkLaunch("top k by digits");
        sort<Bits>(list, of);
    }

    template <class Bits> void sort(EntryOf<Bits>* list, Selection const& of) const {
        using Entry = EntryOf<Bits>;
        int64_t const k = space_.k();
        auto const results = space_.results<Bits>(of);
        if (runs() == 1) {
            Entries<Entry> const whole{list, k, k};
            return launchSortRows(whole, results, {space_.rows, static_cast<int>(k), static_cast<int>(k)}, of.stream);
        }
        Entries<Entry> const inRuns{list, k, kTile, runs()};
        launchSortRows(inRuns, inRuns, {space_.rows * runs(), kTile, kTile}, of.stream);
        Entry* other = reinterpret_cast<Entry*>(reinterpret_cast<std::byte*>(list) + listBytes());
        int64_t run = kTile;
        unsigned const blocks = blocksFor(space_.rows * k);
        for (; run * kFanIn < k; run *= kFanIn) {
            Entries<Entry> const merged{other, k, k};
            mergeRuns<<<blocks, kThreads, 0, of.stream>>>(list, merged, space_.rows, k, run);
            std::swap(list, other);
        }
        mergeRuns<<<blocks, kThreads, 0, of.stream>>>(list, results, space_.rows, k, run);
        checkLaunch("merge of sorted runs");
    }

    SelectionSpace space_;
    std::vector<Digit> digits_; // most significant first, those of the place last
    unsigned parts_ = 1;        // of a row
};

} // namespace

std::unique_ptr<Selector> radixSelector(SelectionSpace const& space) { return std::make_unique<RadixSelector>(space); }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "layers/top_k/selection_key.h"

namespace tenon::cuda {

// Common parts of the kernels that select from rows: sources and sinks of entries, and sorting in a block. A source has
// `Entry at(int64_t row, int64_t i)`, a sink `void put(int64_t row, int64_t i, Entry entry)`.

template <class Bits> using EntryOf = std::conditional_t<sizeof(Bits) == 8, WideEntry, NarrowEntry>;

/// Rows of a tensor along one axis: [O,n,J], with stride J.
struct RowSpace {
    int64_t length = 1; // n
    int64_t inner = 1;  // J

    __device__ int64_t offset(int64_t row, int64_t i) const {
        if (inner == 1) return row * length + i;
        return (row / inner * length + i) * inner + row % inner;
    }
};

/// The elements of X.
template <class Bits> struct RowElements {
    using Entry = EntryOf<Bits>;
    Bits const* x;
    RowSpace space;
    KeyRule rule;
    bool lastFirst;

    __device__ Entry at(int64_t row, int64_t i) const {
        Bits const bits = x[space.offset(row, i)];
        return Entry::of(rule.keyOf(bits), static_cast<uint64_t>(placeOf(i)));
    }
    /// The order of equal elements; its own inverse.
    __device__ int64_t placeOf(int64_t index) const { return lastFirst ? space.length - 1 - index : index; }
};

/// Values and indices of the best elements.
template <class Bits> struct Results {
    using Entry = EntryOf<Bits>;
    RowElements<Bits> elements;
    RowSpace space;
    Bits* values;
    void* indices;
    bool wide; // int64

    __device__ void put(int64_t row, int64_t i, Entry entry) const {
        int64_t const index = elements.placeOf(static_cast<int64_t>(entry.place()));
        int64_t const to = space.offset(row, i);
        values[to] = elements.x[elements.space.offset(row, index)];
        if (wide)
            static_cast<int64_t*>(indices)[to] = index;
        else
            static_cast<int32_t*>(indices)[to] = static_cast<int32_t>(index);
    }
};

/// Entries in the workspace, `length` per row; a row is read and written as `runs` rows of `run` entries.
template <class Entry_> struct Entries {
    using Entry = Entry_;
    Entry* entries;
    int64_t length;
    int64_t run;
    int64_t runs = 1;

    __device__ bool isInside(int64_t row, int64_t i) const { return row % runs * run + i < length; }
    __device__ Entry* place(int64_t row, int64_t i) const {
        return entries + row / runs * length + row % runs * run + i;
    }
    __device__ Entry at(int64_t row, int64_t i) const { return isInside(row, i) ? *place(row, i) : Entry::worst(); }
    __device__ void put(int64_t row, int64_t i, Entry entry) const {
        if (isInside(row, i)) *place(row, i) = entry;
    }
};

/// Sorts each `size` of `total` entries in shared memory; both are powers of two. For all threads of the block.
template <class Entry> __device__ void sortInBlock(Entry* entries, int size, int total) {
    __syncthreads();
    for (int length = 2; length <= size; length *= 2) { // bitonic: sequences of this length become sorted
        for (int step = length / 2; step > 0; step /= 2) {
            for (int pair = static_cast<int>(threadIdx.x); pair < total / 2; pair += static_cast<int>(blockDim.x)) {
                int const low = 2 * pair - (pair & (step - 1));
                int const high = low + step;
                bool const ascending = length == size || (low & length) == 0;
                Entry const a = entries[low];
                Entry const b = entries[high];
                if ((b < a) == ascending) entries[low] = b, entries[high] = a;
            }
            __syncthreads();
        }
    }
}

inline constexpr int kTile = 1024;       // entries that a block sorts at once
inline constexpr int kSortThreads = 512; // threads for that

/// Short rows that are sorted: `n` elements each, of which the best k are wanted.
struct ShortRows {
    int64_t rows;
    int n; // up to kTile
    int k;
    bool beside = false; // adjacent rows are adjacent in memory

    int size() const { // of a row in a block, a power of two
        int power = 2;
        while (power < n) power *= 2;
        return power;
    }
};

/// Several rows per block, `size` entries each.
template <class Source, class Sink>
__global__ void __launch_bounds__(kSortThreads)
    sortRows(__grid_constant__ Source const source, __grid_constant__ Sink const sink, ShortRows const all, int size) {
    using Entry = typename Source::Entry;
    __shared__ Entry entries[kTile];
    int const perBlock = kTile / size;
    int64_t const first = int64_t{blockIdx.x} * perBlock;
    for (int e = static_cast<int>(threadIdx.x); e < kTile; e += kSortThreads) {
        int const row = all.beside ? e % perBlock : e / size; // adjacent threads read adjacent elements
        int const i = all.beside ? e / perBlock : e % size;
        bool const isThere = first + row < all.rows && i < all.n;
        entries[row * size + i] = isThere ? source.at(first + row, i) : Entry::worst();
    }
    sortInBlock(entries, size, kTile);
    for (int e = static_cast<int>(threadIdx.x); e < perBlock * all.k; e += kSortThreads) {
        int const row = all.beside ? e % perBlock : e / all.k;
        int const i = all.beside ? e / perBlock : e % all.k;
        if (first + row < all.rows) sink.put(first + row, i, entries[row * size + i]);
    }
}

template <class Source, class Sink>
void launchSortRows(Source const& source, Sink const& sink, ShortRows const& all, cudaStream_t stream) {
    int const size = all.size();
    sortRows<<<blocksFor(all.rows, kTile / size), kSortThreads, 0, stream>>>(source, sink, all, size);
    checkLaunch("top k of short rows");
}

/// A prepared selection: the memory that its kernels read and write, and the rest of the workspace.
struct Selection {
    void const* x;
    void* values;
    void* indices;
    std::byte* workspace;
    cudaStream_t stream;
};

/// The shape of a selection: X [O,n,J] → [O,k,J].
struct SelectionSpace {
    DataType type = DataType::Float32;
    KeyRule rule;
    bool lastFirst = false;
    bool wide = false; // indices of int64
    int64_t rows = 1;  // O·J
    RowSpace from = {};
    RowSpace to = {};

    int64_t n() const { return from.length; }
    int64_t k() const { return to.length; }
    template <class Bits> RowElements<Bits> elements(Selection const& of) const {
        return {static_cast<Bits const*>(of.x), from, rule, lastFirst};
    }
    template <class Bits> Results<Bits> results(Selection const& of) const {
        return {elements<Bits>(of), to, static_cast<Bits*>(of.values), of.indices, wide};
    }
    size_t entryBytes() const { return bitsOf(type) == 64 ? sizeof(WideEntry) : sizeof(NarrowEntry); }
};

/// One algorithm for selections.
class Selector {
public:
    virtual ~Selector() = default;
    virtual size_t workspaceBytes() const = 0;
    virtual void launch(Selection const& of) const = 0;
};

/// For any k of long rows: the digits of the worst selected key are found one after the other, most significant first;
/// entries that are not worse are collected, and sorted.
std::unique_ptr<Selector> radixSelector(SelectionSpace const& space);

} // namespace tenon::cuda

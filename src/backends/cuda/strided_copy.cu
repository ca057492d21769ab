// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/strided_copy.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/hopper_launch.h"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tenon::cuda {
namespace {

constexpr int kEach = 4;     // words per thread, so that as many loads are in flight at once
constexpr int kLanes = 32;   // words along the side of a tile
constexpr int kTileRows = 8; // of these, covered by a block's threads at once

/// X [i·fromStrides] → Y [i·toStrides], word by word; adjacent threads write adjacent words.
template <class Word>
__global__ void copyWords(Word const* from, Word* to, uint32_t count, __grid_constant__ Indexer<2> const indexer) {
    letNextKernelBegin();
    uint32_t const first = blockIdx.x * (kThreads * kEach) + threadIdx.x;
    Word words[kEach];
    int64_t targets[kEach];
    awaitEarlierKernels();
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
        if (first + k * kThreads >= count) break;
        int64_t at[2];
        indexer.offsets(first + k * kThreads, at);
        words[k] = from[at[0]];
        targets[k] = at[1];
    }
#pragma unroll
    for (uint32_t k = 0; k < kEach; ++k) {
        if (first + k * kThreads < count) to[targets[k]] = words[k];
    }
}

/// A matrix whose rows are contiguous in `from` and whose columns are contiguous in `to`, in elements.
struct Turned {
    uint32_t rows = 0;
    uint32_t columns = 0;
    int64_t fromRow = 0; // between rows
    int64_t toColumn = 0;
    Divider tilesAcross;
    Divider tiles; // of one matrix
};

/// X [rows, columns] → Y [columns, rows] for many matrices; `outer` gives their offsets. A thread transposes squares of
/// `side` elements, words on both sides, in its registers; the tile is transposed word by word.
template <class T, int side>
__global__ void turnTiles(T const* from, T* to, __grid_constant__ Turned const m,
                          __grid_constant__ Indexer<2> const outer) {
    using Word = Pack<T, side>;
    constexpr uint32_t kTile = kLanes * side;
    constexpr uint32_t kSquares = kLanes / kTileRows;
    __shared__ Word tile[kTile][kLanes + 1]; // [column][word of rows]; plus one: avoids bank conflicts along a column
    letNextKernelBegin();
    uint32_t const matrix = m.tiles.divide(blockIdx.x);
    uint32_t const inMatrix = blockIdx.x - matrix * m.tiles.divisor();
    uint32_t const tileRow = m.tilesAcross.divide(inMatrix);
    uint32_t const row0 = tileRow * kTile;
    uint32_t const column0 = (inMatrix - tileRow * m.tilesAcross.divisor()) * kTile;
    int64_t base[2];
    outer.offsets(matrix, base);

    uint32_t const column = column0 + threadIdx.x * side;
    awaitEarlierKernels();
    Word read[kSquares][side];
#pragma unroll
    for (uint32_t k = 0; k < kSquares; ++k) {
#pragma unroll
        for (uint32_t j = 0; j < side; ++j) {
            uint32_t const row = row0 + (threadIdx.y + k * kTileRows) * side + j;
            if (row >= m.rows || column >= m.columns) continue;
            read[k][j] = *reinterpret_cast<Word const*>(from + base[0] + row * m.fromRow + column);
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < kSquares; ++k) {
#pragma unroll
        for (uint32_t j = 0; j < side; ++j) {
            Word turned;
#pragma unroll
            for (uint32_t i = 0; i < side; ++i) turned.at[i] = read[k][i].at[j];
            tile[threadIdx.x * side + j][threadIdx.y + k * kTileRows] = turned;
        }
    }
    __syncthreads();
    uint32_t const row = row0 + threadIdx.x * side;
#pragma unroll
    for (uint32_t down = threadIdx.y; down < kTile; down += kTileRows) {
        if (column0 + down >= m.columns || row >= m.rows) continue;
        *reinterpret_cast<Word*>(to + base[1] + (column0 + down) * m.toColumn + row) = tile[down][threadIdx.x];
    }
}

void removeAxis(StridedCopy& copy, int axis) {
    for (Dims* list : {&copy.dims, &copy.fromStrides, &copy.toStrides}) {
        Dims rest;
        for (int i = 0; i < list->rank(); ++i) {
            if (i != axis) rest.push((*list)[i]);
        }
        *list = rest;
    }
}

/// The same copy with its axes in the memory order of the target, merged where possible.
StridedCopy arranged(StridedCopy copy) {
    for (int axis = copy.dims.rank() - 1; axis >= 0; --axis) {
        if (copy.dims[axis] == 1) removeAxis(copy, axis);
    }
    for (int i = 1; i < copy.dims.rank(); ++i) {
        for (int j = i; j > 0 && copy.toStrides[j - 1] < copy.toStrides[j]; --j) {
            for (Dims* list : {&copy.dims, &copy.fromStrides, &copy.toStrides}) std::swap((*list)[j - 1], (*list)[j]);
        }
    }
    for (int axis = copy.dims.rank() - 2; axis >= 0; --axis) {
        int64_t const next = copy.dims[axis + 1];
        bool const goesOn = copy.fromStrides[axis] == copy.fromStrides[axis + 1] * next &&
                            copy.toStrides[axis] == copy.toStrides[axis + 1] * next;
        if (!goesOn) continue;
        copy.dims[axis + 1] *= copy.dims[axis];
        removeAxis(copy, axis);
    }
    return copy;
}

/// The axis along which a tensor's elements are contiguous; -1 if there is none.
int innermost(StridedCopy const& copy, Dims const& strides) {
    for (int axis = copy.dims.rank() - 1; axis >= 0; --axis) {
        if (strides[axis] == 1) return axis;
    }
    return -1;
}

/// The common divisor of all offsets, and of all strides but those of the axes `a` and `b`.
int64_t commonFactor(StridedCopy const& copy, int a, int b) {
    int64_t common = std::gcd(copy.fromOffset, copy.toOffset);
    for (int i = 0; i < copy.dims.rank(); ++i) {
        if (i != a) common = std::gcd(common, copy.fromStrides[i]);
        if (i != b) common = std::gcd(common, copy.toStrides[i]);
    }
    return common;
}

/// The largest number of elements, up to 16 bytes, that can be moved at once because both sides have them contiguous.
int64_t wordOf(StridedCopy const& copy, int axis, int64_t bytes) {
    int64_t const common = std::gcd(copy.dims[axis], commonFactor(copy, axis, axis));
    int64_t elements = 1;
    while (elements * bytes < 16 && common % (elements * 2) == 0) elements *= 2;
    return elements;
}

StridedCopy inWords(StridedCopy copy, int axis, int64_t elements) {
    copy.dims[axis] /= elements;
    copy.fromOffset /= elements;
    copy.toOffset /= elements;
    for (int i = 0; i < copy.dims.rank(); ++i) {
        if (i == axis) continue;
        copy.fromStrides[i] /= elements;
        copy.toStrides[i] /= elements;
    }
    return copy;
}

/// One launch: of words, one by one or transposed in tiles.
struct Way {
    int64_t bytes = 1; // of a word; of an element if tiles are transposed
    int64_t side = 1;  // elements of a word of a tile
    int64_t fromOffset = 0;
    int64_t toOffset = 0;
    Indexer<2> indexer; // of the words, or of the axes other than a matrix's
    uint32_t count = 0; // words, or matrices
    std::optional<Turned> turned = {};
};

/// The number of elements of a square's side that fit tiles of words of 4 or 8 bytes.
int64_t sideOf(StridedCopy const& copy, int reads, int writes, int64_t bytes) {
    int64_t const side = bytes > 4 ? 1 : std::max<int64_t>(4 / bytes, 2);
    bool const fits = copy.dims[reads] >= kLanes * side && copy.dims[writes] >= kLanes * side;
    int64_t const common = std::gcd(std::gcd(copy.dims[reads], copy.dims[writes]), commonFactor(copy, reads, writes));
    return fits && common % side == 0 ? side : 1;
}

Way inTiles(StridedCopy const& copy, int reads, int writes, Way way) {
    auto const tile = static_cast<uint32_t>(kLanes * way.side);
    Turned m;
    m.rows = static_cast<uint32_t>(copy.dims[writes]);
    m.columns = static_cast<uint32_t>(copy.dims[reads]);
    m.fromRow = copy.fromStrides[writes];
    m.toColumn = copy.toStrides[reads];
    uint32_t const across = (m.columns + tile - 1) / tile;
    m.tilesAcross = Divider(across);
    m.tiles = Divider(across * ((m.rows + tile - 1) / tile));
    Dims outer = copy.dims;
    outer[reads] = outer[writes] = 1;
    way.indexer = Indexer<2>(outer, {copy.fromStrides, copy.toStrides});
    way.count = static_cast<uint32_t>(outer.volume());
    way.turned = m;
    return way;
}

/// `bytes`: of an element. Unless `widens`, addresses need not be aligned to more than that.
Way wayOf(StridedCopy copy, int64_t bytes, bool widens) {
    copy = arranged(copy);
    int reads = innermost(copy, copy.fromStrides);
    int writes = innermost(copy, copy.toStrides);
    if (widens && reads >= 0 && reads == writes) {
        int64_t const elements = wordOf(copy, reads, bytes);
        bytes *= elements;
        copy = arranged(inWords(copy, reads, elements)); // a run that became one word makes another axis innermost
        reads = innermost(copy, copy.fromStrides);
        writes = innermost(copy, copy.toStrides);
    }
    Way way{.bytes = bytes, .fromOffset = copy.fromOffset, .toOffset = copy.toOffset, .indexer = {}};
    constexpr int kLeastTurned = 8; // narrower matrices leave most of a tile empty
    bool const turns = reads >= 0 && writes >= 0 && reads != writes && copy.dims[reads] >= kLeastTurned &&
                       copy.dims[writes] >= kLeastTurned;
    if (turns) {
        if (widens) way.side = sideOf(copy, reads, writes, bytes);
        return inTiles(copy, reads, writes, way);
    }
    way.indexer = Indexer<2>(copy.dims, {copy.fromStrides, copy.toStrides});
    way.count = static_cast<uint32_t>(copy.dims.volume());
    return way;
}

/// Pieces of less than 2^31 elements each, the limit of a kernel's counters.
std::vector<StridedCopy> pieces(StridedCopy const& copy) {
    std::vector<StridedCopy> all{copy};
    while (all.front().dims.volume() >= int64_t{1} << 31) {
        std::vector<StridedCopy> halves;
        for (StridedCopy const& one : all) {
            auto const axis = static_cast<int>(std::ranges::max_element(one.dims.span()) - one.dims.span().begin());
            int64_t const first = (one.dims[axis] + 1) / 2;
            StridedCopy low = one;
            StridedCopy high = one;
            low.dims[axis] = first;
            high.dims[axis] -= first;
            high.fromOffset += first * one.fromStrides[axis];
            high.toOffset += first * one.toStrides[axis];
            halves.insert(halves.end(), {low, high});
        }
        all = halves;
    }
    return all;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, dim3 threads, cudaStream_t stream,
            Arguments const&... arguments) {
    Launch const start{.blocks = blocks, .threads = threads, .stream = stream, .beginsEarly = isHopper()};
    start("strided copy", kernel, arguments...);
}

template <class T> void launchWords(Way const& way, void const* from, void* to, cudaStream_t stream) {
    launch(copyWords<T>, blocksFor(way.count, kThreads * kEach), kThreads, stream,
           static_cast<T const*>(from) + way.fromOffset, static_cast<T*>(to) + way.toOffset, way.count, way.indexer);
}

template <class T, int side> void launchTiles(Way const& way, void const* from, void* to, cudaStream_t stream) {
    launch(turnTiles<T, side>, way.turned->tiles.divisor() * way.count, dim3(kLanes, kTileRows), stream,
           static_cast<T const*>(from) + way.fromOffset, static_cast<T*>(to) + way.toOffset, *way.turned, way.indexer);
}

template <class T> void launchWay(Way const& way, void const* from, void* to, cudaStream_t stream) {
    constexpr int kSide = sizeof(T) > 4 ? 1 : sizeof(T) == 1 ? 4 : 2;
    if (!way.turned) return launchWords<T>(way, from, to, stream);
    way.side == 1 ? launchTiles<T, 1>(way, from, to, stream) : launchTiles<T, kSide>(way, from, to, stream);
}

void launchWay(Way const& way, void const* from, void* to, cudaStream_t stream) {
    switch (way.bytes) {
    case 1: return launchWay<uint8_t>(way, from, to, stream);
    case 2: return launchWay<uint16_t>(way, from, to, stream);
    case 4: return launchWay<uint32_t>(way, from, to, stream);
    case 8: return launchWay<uint64_t>(way, from, to, stream);
    default: return launchWay<uint4>(way, from, to, stream);
    }
}

bool isAligned(Way const& way, void const* from, void const* to) {
    auto const addresses = reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to);
    return addresses % static_cast<uintptr_t>(way.bytes * way.side) == 0;
}

} // namespace

struct StridedCopier::Plan {
    struct Piece {
        Way wide;
        Way narrow; // for unaligned memory of the application
    };
    std::vector<Piece> pieces;
};

StridedCopier::StridedCopier(StridedCopy const& copy) {
    Plan plan;
    int64_t const bytes = bitsOf(copy.type) / 8;
    if (copy.dims.volume() != 0) {
        for (StridedCopy const& piece : pieces(copy))
            plan.pieces.push_back({wayOf(piece, bytes, true), wayOf(piece, bytes, false)});
    }
    plan_ = std::make_unique<Plan const>(std::move(plan));
}

StridedCopier::~StridedCopier() = default;
StridedCopier::StridedCopier(StridedCopier&&) noexcept = default;

void StridedCopier::launch(void const* from, void* to, void* stream) const {
    for (Plan::Piece const& piece : plan_->pieces)
        launchWay(isAligned(piece.wide, from, to) ? piece.wide : piece.narrow, from, to, streamOf(stream));
}

std::vector<int> axesInMemory(Format const& format, int rank) {
    std::vector<int> axes;
    for (int axis = 0; axis < rank; ++axis) {
        if (!format.channelsLast || axis != format.axis) axes.push_back(axis);
    }
    if (format.channelsLast) axes.push_back(format.axis);
    return axes;
}

Dims stridesIn(Format const& format, Dims const& dims) {
    Dims strides = dims;
    auto const axes = axesInMemory(format, dims.rank());
    int64_t step = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        strides[*axis] = step;
        step *= dims[*axis];
    }
    return strides;
}

} // namespace tenon::cuda

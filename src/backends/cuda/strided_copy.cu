// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/strided_copy.h"

#include <numeric>
#include <optional>

namespace tenon::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8; // rows that a block's threads cover at once

template <class T> __global__ void copyElements(T const* from, T* to, uint32_t count, Indexer<2> const indexer) {
    forEachElement(count, [&](int64_t i) {
        int64_t at[2];
        indexer.offsets(static_cast<uint32_t>(i), at);
        to[at[1]] = from[at[0]];
    });
}

/// A matrix whose rows lie together in `from` and whose columns lie together in `to`.
struct Turned {
    int rows = 0;
    int columns = 0;
    int64_t fromRow = 0; // from one row to the next
    int64_t toColumn = 0;
};

/// Tiles of many such matrices: the grid's second and third extent count them, `outer` tells where they begin.
template <class T> __global__ void turnTiles(T const* from, T* to, Turned const m, Indexer<2> const outer) {
    __shared__ T tile[kTile][kTile + 1]; // one more: a column lies in all banks
    int64_t base[2];
    outer.offsets(blockIdx.z * gridDim.y + blockIdx.y, base);
    int const tilesAcross = (m.columns + kTile - 1) / kTile;
    int const row0 = static_cast<int>(blockIdx.x) / tilesAcross * kTile;
    int const column0 = static_cast<int>(blockIdx.x) % tilesAcross * kTile;
    int const across = static_cast<int>(threadIdx.x);
    for (int down = static_cast<int>(threadIdx.y); down < kTile; down += kTileRows) {
        bool const inside = row0 + down < m.rows && column0 + across < m.columns;
        if (inside) tile[down][across] = from[base[0] + (row0 + down) * m.fromRow + column0 + across];
    }
    __syncthreads();
    for (int down = static_cast<int>(threadIdx.y); down < kTile; down += kTileRows) {
        bool const inside = column0 + down < m.columns && row0 + across < m.rows;
        if (inside) to[base[1] + (column0 + down) * m.toColumn + row0 + across] = tile[across][down];
    }
}

/// The axis along which a tensor's elements lie together, where it has two elements or more; -1 when there is none.
int innermost(Dims const& dims, Dims const& strides) {
    for (int axis = dims.rank() - 1; axis >= 0; --axis) {
        if (dims[axis] > 1 && strides[axis] == 1) return axis;
    }
    return -1;
}

/// The most bytes, up to 16, that can be moved at once since both sides have them together and aligned.
int64_t wordBytes(StridedCopy const& c, int axis) {
    int64_t const element = bitsOf(c.type) / 8;
    int64_t common = std::gcd(c.dims[axis], std::gcd(c.fromOffset, c.toOffset));
    for (int i = 0; i < c.dims.rank(); ++i) {
        if (i != axis && c.dims[i] > 1) common = std::gcd(common, std::gcd(c.fromStrides[i], c.toStrides[i]));
    }
    int64_t bytes = element;
    while (bytes < 16 && common % (bytes / element * 2) == 0) bytes *= 2;
    return bytes;
}

} // namespace

struct StridedCopier::Plan {
    StridedCopy copy;
    int64_t bytes;                     // that one thread moves
    Indexer<2> indexer;                // of what is left: all elements, or the axes besides a matrix
    uint32_t count;                    // elements, or matrices
    std::optional<Turned> turned = {}; // rows lie together on one side, columns on the other
};

namespace {

void checkCount(int64_t count) {
    if (count >= int64_t{1} << 31)
        fail(ErrorCode::Unsupported, "a copy of ", count, " elements; expected less than 2^31");
}

/// The same copy in words of several elements each.
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

} // namespace

StridedCopier::StridedCopier(StridedCopy const& asked) {
    checkCount(asked.dims.volume());
    int const reads = innermost(asked.dims, asked.fromStrides);
    int const writes = innermost(asked.dims, asked.toStrides);
    StridedCopy copy = asked;
    int64_t const element = bitsOf(asked.type) / 8;
    int64_t bytes = element;
    if (reads >= 0 && reads == writes) {
        bytes = wordBytes(asked, reads);
        copy = inWords(asked, reads, bytes / element);
    }
    constexpr int kLeastTurned = 8; // narrower matrices leave most of a tile empty
    bool const turns = reads >= 0 && writes >= 0 && reads != writes && asked.dims[reads] >= kLeastTurned &&
                       asked.dims[writes] >= kLeastTurned;
    Dims outer = copy.dims;
    if (turns) outer[reads] = outer[writes] = 1;
    Plan plan{copy, bytes, Indexer<2>(outer, {copy.fromStrides, copy.toStrides}), 0};
    plan.count = static_cast<uint32_t>(outer.volume());
    if (turns)
        plan.turned = {static_cast<int>(copy.dims[writes]), static_cast<int>(copy.dims[reads]),
                       copy.fromStrides[writes], copy.toStrides[reads]};
    plan_ = std::make_unique<Plan const>(plan);
}

StridedCopier::~StridedCopier() = default;
StridedCopier::StridedCopier(StridedCopier&&) noexcept = default;

namespace {

/// A grid's second and third extent whose product is `count`, where one alone may be too large.
dim3 gridOf(unsigned tiles, uint32_t count) {
    constexpr uint32_t kMost = 65535;
    uint32_t y = count;
    while (y > kMost || count % y != 0) --y;
    return {tiles, y, count / y};
}

} // namespace

void StridedCopier::launch(void const* from, void* to, void* stream) const {
    Plan const& plan = *plan_;
    if (plan.copy.dims.volume() == 0) return;
    auto const run = [&]<class T>(TypeTag<T>) {
        auto const* source = static_cast<T const*>(from) + plan.copy.fromOffset;
        auto* target = static_cast<T*>(to) + plan.copy.toOffset;
        if (plan.turned) {
            unsigned const tiles = blocksFor(plan.turned->rows, kTile) * blocksFor(plan.turned->columns, kTile);
            turnTiles<<<gridOf(tiles, plan.count), dim3(kTile, kTileRows), 0, streamOf(stream)>>>(
                source, target, *plan.turned, plan.indexer);
        } else {
            copyElements<<<blocksFor(plan.count), kThreads, 0, streamOf(stream)>>>(source, target, plan.count,
                                                                                   plan.indexer);
        }
    };
    switch (plan.bytes) {
    case 1: run(TypeTag<uint8_t>{}); break;
    case 2: run(TypeTag<uint16_t>{}); break;
    case 4: run(TypeTag<uint32_t>{}); break;
    case 8: run(TypeTag<uint64_t>{}); break;
    default: run(TypeTag<uint4>{}); break;
    }
    checkLaunch("strided copy");
}

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/nms/nms.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/sum_up.cuh"
#include "backends/cuda/workspace_parts.h"
#include "layers/nms/nms_box.h"

#include <cub/device/device_segmented_radix_sort.cuh>

#include <limits>

namespace tenon::cuda {
namespace {

// The boxes of each class of each batch item (a "pair") are sorted by score, and one block processes them tile by tile:
// its threads compare their boxes with all that were selected before, and with earlier ones of the tile; then a warp
// selects among the tile in order. The matrix of all overlaps, which for 25,000 boxes would take 80 MB per class, is
// never stored.

constexpr int kTile = 256; // boxes, and threads
constexpr int kWarpSize = 32;
constexpr int kWords = kTile / kWarpSize;

/// The inputs of one element, which are on the device.
struct Wish {
    void const* most;
    bool wideMost;
    float const* overlap;
    float const* least;
    Nms::Format format;

    __device__ int64_t count() const {
        return wideMost ? *static_cast<int64_t const*>(most) : *static_cast<int32_t const*>(most);
    }
    __device__ bool takes(float score) const { return least == nullptr || score > *least; }
};

template <class T>
__global__ void listCandidates(T const* __restrict__ scores, uint32_t* __restrict__ ranks, int* __restrict__ boxes,
                               NmsExtents const extents, Wish const wish) {
    forEachElement(extents.pairs() * extents.boxes, [&](int64_t i) {
        int64_t const pair = i / extents.boxes;
        int64_t const box = i - pair * extents.boxes;
        float const score = toFloat(scores[extents.scoreAt(pair, box)]);
        ranks[i] = wish.takes(score) ? rankOf(score) : kNoCandidate;
        boxes[i] = static_cast<int>(box);
    });
}

/// Boxes whose rank in a batch item's order is beyond the limit are not candidates.
__global__ void limitCandidates(int const* __restrict__ order, uint32_t* __restrict__ ranks, int64_t count,
                                int64_t perItem, int64_t limit) {
    forEachElement(count, [&](int64_t i) {
        int64_t const item = i / perItem;
        if (i - item * perItem >= limit) ranks[item * perItem + order[i]] = kNoCandidate;
    });
}

template <class T> __device__ NmsBox boxAt(T const* boxes, int64_t at, Nms::Format format) {
    return nmsBox(format, toFloat(boxes[at]), toFloat(boxes[at + 1]), toFloat(boxes[at + 2]), toFloat(boxes[at + 3]));
}

/// The state of a block's tile.
struct Tile {
    NmsBox boxes[kTile];
    NmsBox others[kTile];          // selected before, a tile of them at a time
    unsigned masks[kTile][kWords]; // of each box, the earlier ones of the tile that overlap it
    unsigned char isFree[kTile];   // of boxes selected in earlier tiles
    unsigned chosen[kWords];
};

/// By one warp, box after box: selects free boxes that do not overlap one selected in this tile.
__device__ void chooseInTile(Tile& tile, int64_t most) {
    int const lane = threadIdx.x;
    unsigned mine = 0; // a word of tile.chosen
    int64_t count = 0;
    for (int i = 0; i < kTile; ++i) {
        bool const overlaps = lane < kWords && (tile.masks[i][lane] & mine) != 0;
        bool const isChosen = __any_sync(0xffffffffU, overlaps) == 0 && tile.isFree[i] != 0 && count < most;
        if (isChosen && lane == i / kWarpSize) mine |= 1U << (i % kWarpSize);
        count += isChosen ? 1 : 0;
    }
    if (lane < kWords) tile.chosen[lane] = mine;
}

/// `sorted`: the boxes of each pair, the best first; the selected ones are moved to the front, `counts` of them.
template <class T>
__global__ void suppress(T const* __restrict__ boxes, uint32_t const* __restrict__ ranks, int* sorted,
                         int64_t* __restrict__ counts, NmsExtents const extents, Wish const wish) {
    __shared__ Tile tile;
    int const thread = threadIdx.x;
    int64_t const pair = blockIdx.x;
    int64_t const base = pair * extents.boxes;
    int64_t const most = wish.count();
    float const mostOverlap = wish.overlap == nullptr ? 0.F : *wish.overlap;
    int64_t chosen = 0;
    for (int64_t first = 0; first < extents.boxes && chosen < most && ranks[base + first] != kNoCandidate;
         first += kTile) {
        int64_t const i = first + thread;
        bool isFree = i < extents.boxes && ranks[base + i] != kNoCandidate;
        int const own = isFree ? sorted[base + i] : 0;
        NmsBox const box = boxAt(boxes, extents.boxAt(pair, own), wish.format);
        tile.boxes[thread] = box;
        for (int64_t before = 0; before < chosen; before += kTile) {
            auto const count = static_cast<int>(chosen - before < kTile ? chosen - before : kTile);
            if (thread < count)
                tile.others[thread] = boxAt(boxes, extents.boxAt(pair, sorted[base + before + thread]), wish.format);
            __syncthreads();
            for (int other = 0; other < count && isFree; ++other)
                isFree = !overlap(tile.others[other], box, mostOverlap);
            __syncthreads();
        }
        tile.isFree[thread] = isFree ? 1 : 0;
        __syncthreads();
        for (int word = 0; word < kWords; ++word) {
            unsigned mask = 0;
            for (int bit = 0; bit < kWarpSize && word * kWarpSize + bit < thread; ++bit)
                mask |= isFree && overlap(tile.boxes[word * kWarpSize + bit], box, mostOverlap) ? 1U << bit : 0U;
            tile.masks[thread][word] = mask;
        }
        __syncthreads();
        if (thread < kWarpSize) chooseInTile(tile, most - chosen);
        __syncthreads();
        unsigned const mine = tile.chosen[thread / kWarpSize];
        int const bit = thread % kWarpSize;
        int64_t to = chosen + __popc(mine & ((1U << bit) - 1U));
        for (int word = 0; word < kWords; ++word) {
            if (word < thread / kWarpSize) to += __popc(tile.chosen[word]);
            chosen += __popc(tile.chosen[word]);
        }
        if ((mine >> bit & 1U) != 0) sorted[base + to] = own;
        __syncthreads(); // the next tile is compared with these, and overwrites this one
    }
    if (thread == 0) counts[pair] = chosen;
}

template <class Index>
__global__ void writeChosen(int const* __restrict__ sorted, int64_t const* __restrict__ starts, Index* __restrict__ y,
                            NmsExtents const extents) {
    int64_t const pair = blockIdx.x;
    int64_t const count = starts[pair + 1] - starts[pair];
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        Index* const row = y + 3 * (starts[pair] + i);
        row[0] = static_cast<Index>(pair / extents.classes);
        row[1] = static_cast<Index>(pair % extents.classes);
        row[2] = static_cast<Index>(sorted[pair * extents.boxes + i]);
    }
}

/// The arrays to sort: indices by their ranks, and the ends of their segments.
struct Order {
    int* ends;
    uint32_t const* ranks;
    uint32_t* sortedRanks;
    int const* numbers;
    int* sorted;
};

/// Sorts `segments` segments of equal length separately.
struct Sorting {
    int64_t count = 0;
    int64_t segments = 0;
    size_t temporaryBytes = 0;

    Sorting(int64_t elements, int64_t pieces) : count(elements), segments(pieces) {
        sort(nullptr, temporaryBytes, {}, nullptr);
    }

    void run(void* temporary, Order const& order, cudaStream_t stream) const {
        auto const length = static_cast<int>(count / segments);
        launchForEach(segments + 1, stream, "ends of pieces",
                      [=] __device__(int64_t i) { order.ends[i] = static_cast<int>(i) * length; });
        size_t bytes = temporaryBytes;
        sort(temporary, bytes, order, stream);
    }

private:
    void sort(void* temporary, size_t& bytes, Order const& order, cudaStream_t stream) const {
        constexpr int kBits = 32;
        check(cub::DeviceSegmentedRadixSort::SortPairs(
                  temporary, bytes, order.ranks, order.sortedRanks, order.numbers, order.sorted,
                  static_cast<int>(count), static_cast<int>(segments), order.ends, order.ends + 1, 0, kBits, stream),
              "cub::DeviceSegmentedRadixSort");
    }
};

class Suppressing final : public Executable {
public:
    explicit Suppressing(PrepareArgs const& args)
        : layer_(*as<Nms>(*args.node.layer)), type_(args.variant.inputs[0].type),
          wideMost_(args.variant.inputs[Nms::kMost].type == DataType::Int64), inputs_(args.inputs.size()),
          extents_(layer_, args.inputs[Nms::kBoxes], args.inputs[Nms::kScores]),
          all_(counted(extents_.pairs() * extents_.boxes)), byPair_(all_, extents_.pairs()),
          byItem_(all_, extents_.batch) {}

    size_t workspaceBytes() const override {
        WorkspaceParts none(nullptr);
        take(none);
        return none.bytes();
    }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            layer_.indices == DataType::Int64 ? find<T, int64_t>(pointers) : find<T, int32_t>(pointers);
        });
    }

private:
    /// Pieces of the workspace.
    struct Parts {
        uint32_t* ranks;
        uint32_t* sortedRanks;
        int* boxes;
        int* sorted;
        int* ends;
        int64_t* counts;
        std::byte* temporary;

        Order order() const { return {ends, ranks, sortedRanks, boxes, sorted}; }
    };

    static int64_t counted(int64_t all) {
        if (all > INT32_MAX)
            fail(ErrorCode::Unsupported, "selects among ", all, " boxes of all classes; expected fewer than 2^31");
        return all;
    }

    Parts take(WorkspaceParts& from) const {
        Parts parts{};
        auto const all = static_cast<size_t>(all_);
        auto const pairs = static_cast<size_t>(extents_.pairs());
        from.take(parts.ranks, all);
        from.take(parts.sortedRanks, all);
        from.take(parts.boxes, all);
        from.take(parts.sorted, all);
        from.take(parts.ends, pairs + 1);
        from.take(parts.counts, pairs + 1);
        from.take(parts.temporary, std::max(byPair_.temporaryBytes, byItem_.temporaryBytes));
        return parts;
    }

    Wish wishOf(Pointers const& pointers) const {
        auto const scalar = [&](size_t input) {
            return input < inputs_ ? static_cast<float const*>(pointers.inputs[input]) : nullptr;
        };
        return {pointers.inputs[Nms::kMost], wideMost_, scalar(Nms::kOverlap), scalar(Nms::kLeast), layer_.format};
    }

    template <class T, class Index> void find(Pointers const& pointers) const {
        cudaStream_t const stream = streamOf(pointers.stream);
        WorkspaceParts workspace(pointers.workspace);
        Parts const at = take(workspace);
        Wish const wish = wishOf(pointers);
        auto const pairs = static_cast<unsigned>(extents_.pairs());
        listCandidates<<<blocksFor(all_), kThreads, 0, stream>>>(static_cast<T const*>(pointers.inputs[Nms::kScores]),
                                                                 at.ranks, at.boxes, extents_, wish);
        checkLaunch("candidates");
        int64_t const perItem = extents_.classes * extents_.boxes;
        if (layer_.boxLimit > 0 && layer_.boxLimit < perItem) limit(at, perItem, stream);
        byPair_.run(at.temporary, at.order(), stream);
        suppress<<<pairs, kTile, 0, stream>>>(static_cast<T const*>(pointers.inputs[Nms::kBoxes]), at.sortedRanks,
                                              at.sorted, at.counts, extents_, wish);
        checkLaunch("suppression");
        sumUp(at.counts, extents_.pairs(), static_cast<Index*>(pointers.outputs[1]), stream);
        writeChosen<<<pairs, kThreads, 0, stream>>>(at.sorted, at.counts, static_cast<Index*>(pointers.outputs[0]),
                                                    extents_);
        checkLaunch("chosen boxes");
    }

    /// Sorts all classes of a batch item together, and keeps the first candidates.
    void limit(Parts const& at, int64_t perItem, cudaStream_t stream) const {
        countUp(at.boxes, all_, perItem, stream);
        byItem_.run(at.temporary, at.order(), stream);
        limitCandidates<<<blocksFor(all_), kThreads, 0, stream>>>(at.sorted, at.ranks, all_, perItem, layer_.boxLimit);
        checkLaunch("limit");
        countUp(at.boxes, all_, extents_.boxes, stream);
    }

    Nms const& layer_; // owned by the engine's graph
    DataType type_;
    bool wideMost_;
    size_t inputs_;
    NmsExtents extents_;
    int64_t all_;
    Sorting byPair_;
    Sorting byItem_;
};

class CudaNms final : public Kernel {
public:
    std::string_view name() const override { return "cuda_nms"; }

    // float, linear, in the network's type: rounded coordinates would change what overlaps
    Offer offer(KernelQuery const& query) const override {
        auto const plain = [](Tensor const* tensor) {
            return Label{tensor ? tensor->type : DataType::Float32, Format::linear(), kCuda};
        };
        Variant variant;
        for (Tensor const* input : query.node.inputs()) variant.inputs.push_back(plain(input));
        for (Tensor const* output : query.node.outputs()) variant.outputs.push_back(plain(output));
        constexpr double kLaunches = 6;
        variant.cost = kLaunches * kernelCost(0) + kernelCost(64.0 * static_cast<double>(query.inputs[1].volume()));
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Suppressing>(args);
    }
};

constexpr CudaNms kNms;
constexpr Kernel const* kKernels[]{&kNms};

} // namespace

KernelList nmsKernels() { return {Nms::kKind, kKernels}; }

} // namespace tenon::cuda

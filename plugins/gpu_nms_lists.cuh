// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The second step of a suppression on a GPU: lists are sorted and suppressed.
#pragma once

#include "gpu_nms_keys.cuh"

#include <algorithm>

namespace tenon::plugins::gpu_nms {

constexpr int kLongThreads = kJoinThreads;

// Candidates of a list that one block suppresses, and of a tile of a long list: their shapes must fit in 48 KB of
// shared memory.
template <typename Shape> constexpr int kShort = sizeof(Shape) <= 20 ? 512 : 256;
template <typename Shape> constexpr int kTile = sizeof(Shape) <= 20 ? 1024 : 256;

// ---- tiles

// A bit mask of those of up to 32 requested shapes that overlap `mine`.
template <typename Shapes, typename ShapeAt>
__device__ uint32_t overlapping(Shapes const& shapes, ShapeAt const& shapeAt, int first, int count, uint32_t wanted,
                                typename Shapes::Shape const& mine) {
    uint32_t may = 0, found = 0;
    if (count == kWarp) {
#pragma unroll
        for (int q = 0; q < kWarp; ++q) may |= shapes.mayOverlap(shapeAt(first + q), mine) ? 1U << q : 0;
    } else {
        for (int q = 0; q < count; ++q) may |= shapes.mayOverlap(shapeAt(first + q), mine) ? 1U << q : 0;
    }
    for (may &= wanted; may != 0; may &= may - 1) {
        int const q = __ffs(int(may)) - 1;
        if (shapes.overlaps(shapeAt(first + q), mine)) found |= 1U << q;
    }
    return found;
}

// For a tile of candidates by falling score: bit q of word w of row r is whether candidate 32 * w + q overlaps
// candidate r, which follows it. Words without a candidate before r are not written. A warp computes 32 rows of a word,
// with a stride. \param droppedOf the bits of the rows of a word that are not needed
template <int kWords, typename Shapes, typename ShapeAt, typename DroppedOf>
__device__ void compareInTile(Shapes const& shapes, ShapeAt const& shapeAt, int size, int first, int step,
                              DroppedOf const& droppedOf, uint32_t* rows) {
    int const words = (size + kWarp - 1) / kWarp, units = words * (words + 1) / 2;
    int last = 0, begin = 0; // the word of the rows, and its first unit
    for (int unit = first; unit < units; unit += step) {
        for (; unit > begin + last; ++last) begin += last + 1;
        int const w = unit - begin, r = last * kWarp + lane();
        bool const isWanted = r < size && (droppedOf(last) >> lane() & 1) == 0;
        uint32_t const before = w < last ? ~0U : (1U << lane()) - 1;
        int const count = min(kWarp, size - w * kWarp);
        uint32_t const row = isWanted ? overlapping(shapes, shapeAt, w * kWarp, count, before, shapeAt(r)) : 0;
        rows[w * kWords * kWarp + r] = row;
    }
}

// The candidates of a tile to keep, a thread for each: those that no kept one overlaps. A warp waits for the results of
// the warps before it, and then resolves its own.
// \param rowOf the result of compareInTile(), by index
// \param settled for each warp, the kept candidates in the lower half, and in the upper one, that they are known;
// initially zero. A volatile access is a relaxed one in PTX's memory model, and one access reads both halves: the race
// that compute-sanitizer reports here is benign.
template <int kWords, typename RowOf>
__device__ bool resolveTile(RowOf const& rowOf, bool isAlive, uint64_t volatile* settled) {
    int const own = warp(), r = int(threadIdx.x);
    uint32_t const ofOwn = isAlive ? rowOf(own * kWords * kWarp + r) : 0, self = 1U << lane();
    uint32_t row[kWords], overlapping = 0;
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
        row[w] = w < own && isAlive ? rowOf(w * kWords * kWarp + r) : 0;
    }
#pragma unroll
    for (int w = 0; w < kWords; ++w) asm volatile("" : "+r"(row[w])); // read now, not when the others are known
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
        if (w >= own) break;
        uint64_t known = settled[w];
        while ((known >> 32) == 0) known = settled[w]; // a sleep would take longer than the wait
        overlapping |= row[w] & uint32_t(known);
    }
    uint32_t open = __ballot_sync(~0U, isAlive && overlapping == 0), kept = 0;
    while (open != 0) { // the first of them is resolved in each iteration
        bool const isDropped = (ofOwn & kept) != 0, isFirst = (ofOwn & open) == 0;
        uint32_t const stay = __ballot_sync(~0U, (open & self) != 0 && !isDropped && isFirst);
        uint32_t const go = __ballot_sync(~0U, (open & self) != 0 && isDropped);
        kept |= stay;
        open &= ~(stay | go);
    }
    if (lane() == 0) settled[own] = (uint64_t(1) << 32) | kept;
    return (kept & self) != 0;
}

// The number of kept candidates of a tile before this thread's.
__device__ inline int keptBefore(uint64_t const volatile* settled) {
    int count = __popc(uint32_t(settled[warp()]) & ((1U << lane()) - 1));
    for (int w = 0; w < warp(); ++w) count += __popc(uint32_t(settled[w]));
    return count;
}

// ---- short lists

template <typename Shapes> struct ShortList {
    static constexpr int kMost = kShort<typename Shapes::Shape>, kWords = kMost / kWarp;

    Key keys[kMost];
    typename Shapes::Shape shapes[kMost];
    uint32_t rows[kWords * kMost];
    uint64_t settled[kWords];
};

template <typename Shapes>
__device__ void suppressShort(GpuLists const& lists, Shapes const& shapes, int64_t list, ShortList<Shapes>& room) {
    constexpr int kWords = ShortList<Shapes>::kWords;
    int const i = int(threadIdx.x), count = int(std::min<int64_t>(lists.found[list], lists.rules.candidates));
    int64_t const picture = lists.pictureOf(list);
    Key const key = i < count ? room.keys[i] : 0;
    if (i < count) room.shapes[i] = shapes.at(picture, lists.coding().candidate(key));
    if (i < kWords) room.settled[i] = 0;
    __syncthreads();
    auto const shapeAt = [&](int q) -> typename Shapes::Shape const& { return room.shapes[q]; };
    compareInTile<kWords>(
        shapes, shapeAt, count, warp(), kSortThreads / kWarp, [](int) { return 0U; }, room.rows);
    __syncthreads();
    bool stays = false;
    if (warp() * kWarp < count) {
        bool const isAlive = i < count && shapes.isThere(room.shapes[i]);
        stays = resolveTile<kWords>([&](int place) { return room.rows[place]; }, isAlive, room.settled);
    }
    __syncthreads();
    int const place = stays ? keptBefore(room.settled) : 0;
    if (stays && place < lists.most()) lists.keys[list * lists.room + place] = key;
    if (i == 0) {
        int64_t all = 0;
        for (int w = 0; w < kWords; ++w) all += __popc(uint32_t(room.settled[w]));
        lists.kept[list] = int32_t(std::min(all, lists.most()));
    }
}

// Appends a list that is too long for a block.
__device__ inline void addLong(GpuLists const& lists, int32_t list, int32_t found) {
    __shared__ int32_t slot, firstPart;
    int32_t const parts = (found + kPartOfRun - 1) / kPartOfRun;
    if (threadIdx.x == 0) {
        slot = atomicAdd(lists.longCount, 1);
        firstPart = atomicAdd(lists.partCount, parts);
        lists.longLists[slot] = {list, found, firstPart};
    }
    __syncthreads();
    for (int32_t part = int32_t(threadIdx.x); part < parts; part += kSortThreads) lists.parts[firstPart + part] = slot;
}

// A block sorts a run, and suppresses a list that fits in one block.
template <typename Shapes>
__global__ void __launch_bounds__(kSortThreads) sortLists(__grid_constant__ GpuLists const lists, Shapes shapes) {
    using OfShort = ShortList<Shapes>;
    __shared__ alignas(16) unsigned char memory[std::max(sizeof(OfShort), kRun * sizeof(Key))];
    auto* const room = reinterpret_cast<Key*>(memory); // which a short list has at its beginning, too
    int64_t const runs = (lists.room + kRun - 1) / kRun, units = lists.count() * runs;
    for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        int64_t const list = unit / runs, first = unit % runs * kRun;
        int32_t const found = lists.found[list];
        if (first >= found) continue;
        int const count = min(kRun, int(found - first)), begin = int(threadIdx.x) * kKeysOfThread;
        Key* const keys = lists.keys + list * lists.room + first;
        Key mine[kKeysOfThread];
        for (int k = 0; k < kKeysOfThread; ++k) mine[k] = begin + k < count ? keys[begin + k] : ~Key(0);
        int size = 2;
        while (size < count) size *= 2;
        sortInBlock(mine, size, room);
        __syncthreads();
        for (int k = 0; k < kKeysOfThread; ++k) room[begin + k] = mine[k];
        __syncthreads();
        if (found <= OfShort::kMost) {
            suppressShort(lists, shapes, list, *reinterpret_cast<OfShort*>(memory));
        } else {
            for (int i = int(threadIdx.x); i < count; i += kSortThreads) keys[i] = room[i];
            if (first == 0) addLong(lists, int32_t(list), found);
        }
        __syncthreads();
    }
}

// ---- long lists

// Blocks that synchronize; all of the grid run at once.
class Group {
public:
    __device__ Group(int32_t* arrivals, int members) : arrivals_(arrivals), members_(members) {}

    /// All earlier writes of any thread are visible to all afterwards.
    __device__ void wait() {
        __syncthreads();
        if (members_ > 1 && threadIdx.x == 0) {
            expected_ += members_;
            __threadfence();
            atomicAdd(arrivals_, 1);
            while (*static_cast<int32_t volatile*>(arrivals_) < expected_) {
            }
            __threadfence();
        }
        __syncthreads();
    }

private:
    int32_t* arrivals_;
    int members_, expected_ = 0;
};

template <typename Shapes> class LongLists {
public:
    using Shape = typename Shapes::Shape;
    static constexpr int kSize = kTile<Shape>, kWords = kSize / kWarp, kWarps = kLongThreads / kWarp;
    static constexpr int kBefore = kSize / 2;

    struct Room {
        struct alignas(16) {
            Shape shape;
        } before[kBefore];
        Shape tile[kSize];
        uint64_t settled[kWords];
    };

    __device__ LongLists(GpuLists const& lists, Shapes const& shapes, Group& group, int members, int member,
                         uint32_t* rows, Room& room)
        : lists_(lists), shapes_(shapes), group_(group), members_(members), member_(member), rows_(rows),
          dropped_(rows + kWords * kSize), room_(room) {}

    __device__ void suppress(GpuLists::Long const& of) {
        list_ = of.list;
        int64_t const count = std::min<int64_t>(of.found, lists_.rules.candidates);
        int64_t kept = 0;
        for (int64_t first = 0; first < count && kept < lists_.most(); first += size_) {
            size_ = int(std::min(count - first, sizeFor(lists_.most() - kept)));
            int const i = int(threadIdx.x);
            Key const key = i < size_ ? __ldcg(lists_.sorted + list_ * lists_.room + first + i) : 0;
            if (i < size_) room_.tile[i] = shapeOf(key);
            compareWithKept(int(kept));
            __syncthreads();
            compareInOwnTile(kept > 0);
            group_.wait();
            if (member_ == 0) resolve(key, kept);
            group_.wait();
            kept = __ldcg(lists_.kept + list_);
        }
    }

private:
    // The tile size for a limit on kept candidates: a larger tile would compare many in vain.
    __device__ static int64_t sizeFor(int64_t wanted) {
        constexpr int64_t kLeast = kSize / 4;
        int64_t const words = (std::min<int64_t>(wanted, kSize) * 5 / 4 + kWarp - 1) / kWarp;
        return std::clamp<int64_t>(words * kWarp, kLeast, kSize);
    }

    __device__ Shape shapeOf(Key key) const {
        return shapes_.at(lists_.pictureOf(list_), lists_.coding().candidate(key));
    }

    // The blocks of a group share the words of the tile; those with the same words share the kept candidates before it.
    __device__ void compareWithKept(int kept) {
        int const words = (size_ + kWarp - 1) / kWarp, parts = min(members_, kMostParts), part = member_ % parts;
        int const slices = members_ / parts, slice = member_ / parts; // the remaining blocks have none
        int const ofPart = (words - part + parts - 1) / parts;
        if (ofPart <= 0 || slice >= slices) return;
        int const begin = int(int64_t(kept) * slice / slices), end = int(int64_t(kept) * (slice + 1) / slices);
        int const shared = max(1, kWarps / ofPart); // the number of warps with the same word
        int const word = part + warp() % ofPart * parts, i = int(threadIdx.x);
        bool isDropped = false;
        for (int first = begin; first < end; first += kBefore) {
            int const count = min(kBefore, end - first);
            __syncthreads();
            if (i < count) room_.before[i].shape = shapeOf(__ldcg(lists_.keys + list_ * lists_.room + first + i));
            __syncthreads();
            if (warp() / ofPart < shared) isDropped = compareWord(word, warp() / ofPart, shared, count, isDropped);
        }
        uint32_t const dropped = __ballot_sync(~0U, isDropped);
        if (dropped != 0 && lane() == 0) atomicOr(dropped_ + word, dropped);
    }

    // A candidate for each lane, compared with the kept ones, 32 at a time with a stride.
    __device__ bool compareWord(int word, int first, int step, int count, bool isDropped) const {
        int const r = word * kWarp + lane();
        if (isDropped || r >= size_) return isDropped;
        Shape const mine = room_.tile[r];
        auto const shapeAt = [&](int q) -> Shape const& { return room_.before[q].shape; };
        for (int q = first * kWarp; q < count && !isDropped; q += step * kWarp)
            isDropped = overlapping(shapes_, shapeAt, q, min(kWarp, count - q), ~0U, mine) != 0;
        return isDropped;
    }

    __device__ void compareInOwnTile(bool someAreDropped) const {
        auto const shapeAt = [&](int q) -> Shape const& { return room_.tile[q]; };
        // another block may be about to set it: then the row is not read
        auto const droppedOf = [&](int word) { return someAreDropped ? __ldcg(dropped_ + word) : 0; };
        compareInTile<kWords>(shapes_, shapeAt, size_, warp() * members_ + member_, kWarps * members_, droppedOf,
                              rows_);
    }

    __device__ void resolve(Key key, int64_t kept) {
        int const i = int(threadIdx.x);
        bool isAlive = i < size_ && shapes_.isThere(room_.tile[i]);
        if (isAlive && kept > 0) isAlive = (__ldcg(dropped_ + warp()) >> lane() & 1) == 0;
        __syncthreads();
        if (i < kWords) room_.settled[i] = dropped_[i] = 0;
        __syncthreads();
        bool stays = false;
        if (warp() * kWarp < size_)
            stays = resolveTile<kWords>([&](int place) { return __ldcg(rows_ + place); }, isAlive, room_.settled);
        __syncthreads();
        int64_t const place = kept + (stays ? keptBefore(room_.settled) : 0);
        if (stays && place < lists_.most()) lists_.keys[list_ * lists_.room + place] = key;
        if (i == 0) {
            for (int w = 0; w < kWords; ++w) kept += __popc(uint32_t(room_.settled[w]));
            lists_.kept[list_] = int32_t(std::min(kept, lists_.most()));
        }
    }

    static constexpr int kMostParts = 8; // of a tile, for the blocks of a group

    GpuLists const& lists_;
    Shapes const& shapes_;
    Group& group_;
    int members_, member_;
    uint32_t *rows_, *dropped_; // in the workspace, of the group
    Room& room_;
    int size_ = 0;
    int64_t list_ = 0;
};

// Several blocks process a list if there are few, and one processes several if there are many.
template <typename Shapes>
__global__ void __launch_bounds__(kLongThreads, 1) suppressLong(__grid_constant__ GpuLists const lists, Shapes shapes) {
    using Of = LongLists<Shapes>;
    __shared__ alignas(16) unsigned char memory[sizeof(typename Of::Room)];
    int const longCount = *lists.longCount;
    if (longCount == 0) return;
    Group all(lists.arrivals, int(gridDim.x));
    joinRuns(lists);
    all.wait();
    int const members = max(1, int(gridDim.x) / longCount), groups = min(longCount, int(gridDim.x) / members);
    int const number = int(blockIdx.x) / members;
    if (number >= groups) return;
    Group group(lists.arrivals + 1 + number, members);
    Of ofGroup(lists, shapes, group, members, int(blockIdx.x) % members, lists.tiles + number * kTileWords,
               *reinterpret_cast<typename Of::Room*>(memory));
    for (int each = number; each < longCount; each += groups) ofGroup.suppress(lists.longLists[each]);
}

} // namespace tenon::plugins::gpu_nms

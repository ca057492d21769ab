// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The boxes of text on a GPU. A core, a set of connected text pixels, is identified by its first pixel in reading
// order, which is the root of its tree in a union-find over all pixels. The order of atomics is undefined, but their
// results (the first pixel, the lowest row, the ends of a row) do not depend on it, and so neither do the boxes.
#include "text_boxes_gpu.h"

#include "launch.cuh"

#include <climits>

namespace ocr {
namespace {

constexpr int kTile = 1024; // pixels, or other items, of a block: one per thread
constexpr int kThreadsPerCore = 128;
constexpr int32_t kNoText = -1; // instead of a parent
constexpr int64_t kMostPixels = int64_t{1} << 30;

struct Core {
    int32_t top, bottom; // its rows
    int32_t firstRow;    // their start in Search::rows
};

struct Candidate {
    TextBox box;
    int32_t isKept;
};

// A running search: its arguments, and its workspace.
struct Search {
    ProbabilityMap map;
    BoxRules rules;
    int32_t pixels;
    int32_t tiles;
    int32_t mostCores;
    int32_t mostRows;

    int32_t* parents;     // [pixels] leads to the core's first pixel
    int32_t* numbers;     // [pixels] the core's index, at its first pixel
    int32_t* coresBefore; // [tiles] the number of cores that start in a tile, then the number before it
    int32_t* coreCount;   // [1] at most mostCores
    Core* cores;          // [mostCores]
    Span* rows;   // [mostRows] the columns that each core covers in each of its rows, from its first to its last pixel
    Point* hulls; // [2 * mostRows] corners, of a core from 2 * firstRow on
    Candidate* candidates; // [mostCores]
};

// Allocates the workspace piece by piece.
class Workspace {
public:
    explicit Workspace(void* memory) : memory_(reinterpret_cast<uintptr_t>(memory)) {}

    template <typename T> void give(T*& piece, int64_t count) {
        constexpr size_t kAlignment = 256;
        piece = reinterpret_cast<T*>(memory_ + used_);
        used_ += (size_t(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    }

    size_t used() const { return used_; }

private:
    uintptr_t memory_;
    size_t used_ = 0;
};

// Every other pixel of every other row could be a core of its own, and every other pixel of a row could be in another
// core.
void layOut(Search& search, Workspace& workspace) {
    int64_t const height = search.map.height, width = search.map.width, pixels = height * width;
    int64_t const mostCores = std::min<int64_t>(search.rules.maxCandidates, (height + 1) / 2 * ((width + 1) / 2));
    int64_t const mostRows = height * ((width + 1) / 2);
    search.pixels = int32_t(pixels);
    search.tiles = int32_t(blocksFor(pixels, kTile));
    search.mostCores = int32_t(mostCores);
    search.mostRows = int32_t(mostRows);
    workspace.give(search.parents, pixels);
    workspace.give(search.numbers, pixels);
    workspace.give(search.coresBefore, search.tiles);
    workspace.give(search.coreCount, 1);
    workspace.give(search.cores, mostCores);
    workspace.give(search.rows, mostRows);
    workspace.give(search.hulls, 2 * mostRows);
    workspace.give(search.candidates, mostCores);
}

// ---- pixels → cores

__device__ bool isBright(Search const& s, int32_t pixel) { return s.map.values[pixel] > s.rules.threshold; }

// A bright pixel or, with dilation, one right of or below one.
__device__ bool isBrightOrBeside(Search const& s, int32_t pixel) {
    if (isBright(s, pixel)) return true;
    if (s.rules.useDilation == 0) return false;
    int32_t const width = s.map.width;
    bool const hasLeft = pixel % width > 0, hasAbove = pixel >= width;
    return (hasLeft && isBright(s, pixel - 1)) || (hasAbove && isBright(s, pixel - width)) ||
           (hasLeft && hasAbove && isBright(s, pixel - width - 1));
}

// Neighbours of a text pixel; there is no text beyond the map's edge.
struct Neighbours {
    Search const& s;
    int32_t pixel;
    int32_t x, y;

    __device__ Neighbours(Search const& search, int32_t pixel)
        : s(search), pixel(pixel), x(pixel % search.map.width), y(pixel / search.map.width) {}

    __device__ bool left() const { return x > 0 && isText(pixel - 1); }
    __device__ bool right() const { return x + 1 < s.map.width && isText(pixel + 1); }
    __device__ bool above() const { return y > 0 && isText(pixel - s.map.width); }
    __device__ bool aboveLeft() const { return y > 0 && x > 0 && isText(pixel - s.map.width - 1); }
    __device__ bool aboveRight() const { return y > 0 && x + 1 < s.map.width && isText(pixel - s.map.width + 1); }

private:
    __device__ bool isText(int32_t at) const { return s.parents[at] != kNoText; }
};

// The root of a pixel's tree. Others may be joining trees at the same time: then it is the root of a moment ago.
__device__ int32_t rootOf(int32_t volatile* parents, int32_t pixel) {
    for (int32_t parent = parents[pixel]; parent != pixel; parent = parents[pixel]) {
        int32_t const next = parents[parent];
        parents[pixel] = next; // halves the path for the next caller
        pixel = next;
    }
    return pixel;
}

// Only roots get a parent, an earlier pixel, and only once. If it is no longer a root, this is tried again.
__device__ void join(int32_t* parents, int32_t a, int32_t b) {
    while (true) {
        a = rootOf(parents, a);
        b = rootOf(parents, b);
        if (a == b) return;
        int32_t const earlier = min(a, b), later = max(a, b);
        if (atomicCAS(&parents[later], later, earlier) == later) return;
    }
}

// map → parents. Of adjacent text pixels of a row in a warp, the first is the parent.
__global__ void markText(Search s) {
    auto const pixel = int32_t(globalThread());
    if (pixel < s.mostRows) s.rows[pixel] = {INT_MAX, -1}; // there are at most as many rows as pixels
    bool const isText = pixel < s.pixels && isBrightOrBeside(s, pixel);
    unsigned const text = __ballot_sync(kAllLanes, isText);
    bool const isFirst = laneId() == 0 || pixel % s.map.width == 0 || (text >> (laneId() - 1) & 1) == 0;
    unsigned const firsts = __ballot_sync(kAllLanes, isText && isFirst);
    if (pixel >= s.pixels) return;
    unsigned const upToMine = kAllLanes >> (kWarp - 1 - laneId());
    int const first = kWarp - 1 - __clz(int(firsts & upToMine));
    s.parents[pixel] = isText ? pixel - laneId() + first : kNoText;
}

// Joins pixels that touch, also diagonally. Two rows that touch along several pixels are joined at the first of these.
__global__ void joinNeighbours(Search s) {
    auto const pixel = int32_t(globalThread());
    if (pixel >= s.pixels || s.parents[pixel] == kNoText) return;
    Neighbours const has(s, pixel);
    bool const left = has.left();
    if (left && laneId() == 0) join(s.parents, pixel, pixel - 1);
    int32_t const above = pixel - s.map.width;
    if (has.above()) {
        if (!left || !has.aboveLeft()) join(s.parents, pixel, above);
        return;
    }
    if (!left && has.aboveLeft()) join(s.parents, pixel, above - 1);
    if (!has.right() && has.aboveRight()) join(s.parents, pixel, above + 1);
}

// ---- cores in order

__device__ bool isRoot(Search const& s, int32_t pixel) { return pixel < s.pixels && s.parents[pixel] == pixel; }

__global__ void countCores(Search s) {
    int const count = __syncthreads_count(isRoot(s, int32_t(globalThread())));
    if (threadIdx.x == 0) s.coresBefore[blockIdx.x] = count;
}

// One block: start(i, sum of count(j) for all j < i) for each i < size. Returns the sum of all.
template <typename Count, typename Start> __device__ int32_t addUp(int32_t size, Count count, Start start) {
    int32_t before = 0;
    for (int32_t first = 0; first < size; first += int32_t(blockDim.x)) {
        int32_t const i = first + int32_t(threadIdx.x);
        SumBefore const sum = sumBefore(i < size ? count(i) : 0);
        if (i < size) start(i, before + sum.before);
        before += sum.all;
    }
    return before;
}

// One block.
__global__ void addUpCores(Search s) {
    int32_t const all = addUp(
        s.tiles, [&](int32_t tile) { return s.coresBefore[tile]; },
        [&](int32_t tile, int32_t before) { s.coresBefore[tile] = before; });
    if (threadIdx.x == 0) *s.coreCount = min(all, s.mostCores);
}

__global__ void numberCores(Search s) {
    auto const pixel = int32_t(globalThread());
    bool const isCore = isRoot(s, pixel);
    int32_t const number = s.coresBefore[blockIdx.x] + sumBefore(isCore ? 1 : 0).before;
    if (!isCore) return;
    s.numbers[pixel] = number;
    int32_t const row = pixel / s.map.width;
    if (number < s.mostCores) s.cores[number] = {row, row, 0};
}

// ---- cores → their rows

// Calls visit(core, neighbours) at the text pixels without text on one of their sides; only for counted cores.
template <typename Visit> __device__ void atEnds(Search const& s, Visit visit) {
    auto const pixel = int32_t(globalThread());
    if (pixel >= s.pixels || s.parents[pixel] == kNoText) return;
    Neighbours const has(s, pixel);
    if (has.left() && has.right()) return;
    int32_t const number = s.numbers[rootOf(s.parents, pixel)];
    if (number < s.mostCores) visit(s.cores[number], has);
}

__global__ void findBottoms(Search s) {
    atEnds(s, [](Core& core, Neighbours const& at) {
        if (!at.left()) atomicMax(&core.bottom, at.y);
    });
}

// One block.
__global__ void addUpRows(Search s) {
    addUp(
        *s.coreCount, [&](int32_t i) { return s.cores[i].bottom - s.cores[i].top + 1; },
        [&](int32_t i, int32_t before) { s.cores[i].firstRow = before; });
}

__global__ void findRows(Search s) {
    atEnds(s, [&](Core const& core, Neighbours const& at) {
        Span& row = s.rows[core.firstRow + at.y - core.top];
        if (!at.left()) atomicMin(&row.first, at.x);
        if (!at.right()) atomicMax(&row.last, at.x);
    });
}

// ---- rows → boxes

struct Side {
    float area; // of the rectangle on it
    int32_t index;

    // Of equal ones the first counts, as on the host.
    __device__ void meet(Side other) {
        bool const isFirst = other.area == area && other.index < index;
        if (other.area < area || isFirst) *this = other;
    }
};

// The side of a hull of the rectangle of smallest area, the same in all threads of a block; -1 if all of it is one
// point.
__device__ int32_t sideOfLeastRect(Polygon hull) {
    __shared__ Side bests[kWarp];
    Side best{INFINITY, -1};
    for (int32_t i = int32_t(threadIdx.x); i < hull.count; i += int32_t(blockDim.x))
        best.meet({rectOnSide(hull, i).area(), i});
    for (int step = kWarp / 2; step > 0; step /= 2)
        best.meet({__shfl_xor_sync(kAllLanes, best.area, step), __shfl_xor_sync(kAllLanes, best.index, step)});
    if (laneId() == 0) bests[warpOfBlock()] = best;
    __syncthreads();
    for (int warp = 0; warp < warpsOfBlock(); ++warp) best.meet(bests[warp]);
    return best.index;
}

// The mean of the map's pixels whose centres are in the quad, the same in all threads of a block; 0 if there are none.
__device__ float meanInside(ProbabilityMap map, Quad const& quad) {
    Span const rows = rowsInside(quad, map.height);
    double sum = 0;
    int32_t count = 0;
    for (int32_t y = rows.first + warpOfBlock(); y <= rows.last; y += warpsOfBlock()) {
        Span const columns = columnsInside(quad, y, map.width);
        for (int32_t x = columns.first + laneId(); x <= columns.last; x += kWarp, ++count)
            sum += map.values[int64_t{y} * map.width + x];
    }
    sum = sumOverBlock(sum);
    count = sumOverBlock(count);
    return count == 0 ? 0 : float(sum / double(count));
}

// A block processes one core.
__global__ void judgeCores(Search s) {
    auto const number = int32_t(blockIdx.x);
    if (number >= *s.coreCount) return;
    Core const core = s.cores[number];
    Point* const hull = s.hulls + 2 * int64_t{core.firstRow};
    __shared__ int32_t corners;
    if (threadIdx.x == 0) corners = convexHull(s.rows + core.firstRow, core.bottom - core.top + 1, core.top, hull);
    __syncthreads();
    Polygon const polygon = {hull, corners};
    int32_t const side = sideOfLeastRect(polygon);
    RotatedRect const rect = side < 0 ? RotatedRect{} : rectOnSide(polygon, side);
    bool isKept = rect.shorterSide() >= kMinCoreSide;
    float const score = isKept ? meanInside(s.map, rect.corners()) : 0;
    RotatedRect const box = boxOf(rect, s.rules);
    isKept = isKept && score >= s.rules.boxThreshold && box.shorterSide() >= kMinBoxSide;
    if (threadIdx.x == 0) s.candidates[number] = {{box.corners(), score}, isKept ? 1 : 0};
}

// One block.
__global__ void writeBoxes(Search s, FoundBoxes found) {
    auto const write = [&](int32_t i, int32_t before) {
        Candidate const& candidate = s.candidates[i];
        if (candidate.isKept == 0) return;
        float* number = found.corners + 8 * int64_t{before};
        for (Point corner : candidate.box.corners) {
            *number++ = corner.x;
            *number++ = corner.y;
        }
        found.scores[before] = candidate.box.score;
    };
    int32_t const all = addUp(
        *s.coreCount, [&](int32_t i) { return s.candidates[i].isKept; }, write);
    if (threadIdx.x == 0) *found.count = all;
}

void findCores(Search const& search, cudaStream_t stream) {
    auto const tiles = unsigned(search.tiles);
    markText<<<tiles, kTile, 0, stream>>>(search);
    checkLaunch("markText");
    joinNeighbours<<<tiles, kTile, 0, stream>>>(search);
    checkLaunch("joinNeighbours");
    countCores<<<tiles, kTile, 0, stream>>>(search);
    checkLaunch("countCores");
    addUpCores<<<1, kTile, 0, stream>>>(search);
    checkLaunch("addUpCores");
    numberCores<<<tiles, kTile, 0, stream>>>(search);
    checkLaunch("numberCores");
}

void findOutlines(Search const& search, cudaStream_t stream) {
    auto const tiles = unsigned(search.tiles);
    findBottoms<<<tiles, kTile, 0, stream>>>(search);
    checkLaunch("findBottoms");
    addUpRows<<<1, kTile, 0, stream>>>(search);
    checkLaunch("addUpRows");
    findRows<<<tiles, kTile, 0, stream>>>(search);
    checkLaunch("findRows");
}

} // namespace

size_t workspaceOnGpu(int64_t height, int64_t width, BoxRules const& rules) {
    Search search{{nullptr, int32_t(height), int32_t(width)}, rules};
    Workspace workspace(nullptr);
    layOut(search, workspace);
    return workspace.used();
}

void findBoxesOnGpu(ProbabilityMap map, BoxRules const& rules, void* memory, FoundBoxes const& found,
                    cudaStream_t stream) {
    if (int64_t{map.height} * map.width > kMostPixels)
        throw std::runtime_error("the map has more than 2^30 pixels, too many for a GPU");
    Search search{map, rules};
    Workspace workspace(memory);
    layOut(search, workspace);
    if (search.pixels == 0) {
        cudaMemsetAsync(found.count, 0, sizeof(*found.count), stream);
        checkLaunch("the count of no boxes");
        return;
    }
    findCores(search, stream);
    findOutlines(search, stream);
    judgeCores<<<unsigned(search.mostCores), kThreadsPerCore, 0, stream>>>(search);
    checkLaunch("judgeCores");
    writeBoxes<<<1, kTile, 0, stream>>>(search, found);
    checkLaunch("writeBoxes");
}

} // namespace ocr

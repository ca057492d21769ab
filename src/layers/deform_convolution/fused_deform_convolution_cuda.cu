// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A convolution as a product of matrices whose left factor is never stored: its elements are interpolated in the
// registers from which the tensor cores read them. Y [places,filters] = met [places,C·elements] times W. A block has
// kPlaces places and all or 128 of the filters; its sums stay in registers. It goes through the channels in chunks of
// kDepth, and through all elements of the filters for each chunk, so that what neighbouring elements meet of X is in
// the cache of the multiprocessor. Filters come by copies that one thread starts some stages ahead.

#include "layers/deform_convolution/fused_deform_convolution_cuda.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/hopper_launch.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/warpgroup.cuh"
#include "backends/packed.h"
#include "layers/deform_convolution/deform_places.h"

#include <climits>
#include <cstdlib>

namespace tenon::cuda {
namespace {

using enum DeformConvolution::Inputs;

constexpr int kPlaces = 128; // of a block
constexpr int kDepth = 64;   // channels of a stage
constexpr int kThreadsOfBlock = 256;
constexpr int kWarps = kThreadsOfBlock / 32; // each has 16 positions
constexpr int kStages = 4;                   // of filters in shared memory
constexpr int kSlack = 2;  // stages after which filters overwrite others: all warps are done with them
constexpr int kStrip = 4;  // rows of Y counted column by column: keeps a block's positions near each other
constexpr int kAtOnce = 5; // offsets that a thread reads at once
constexpr int kLine = 128; // bytes: of a stage's channels of a pixel
constexpr int kMostChannels = 4096;

/// A pixel of zeros, and the bytes that align it to kLine like X.
constexpr int kZeros = kMostChannels * 2 + kLine;
__device__ __align__(kLine) char zeros[kZeros];

/// Everything in elements.
struct FusedDeform {
    void const* x;       // [N,H,W,C]
    char const* zeros;   // of a pixel; at a multiple of kLine from X
    void const* moves;   // [N,elements·2,h,w]
    void const* factors; // [N,elements,h,w] or null
    void const* filters; // packed
    void const* bias;    // [K] or null
    void* y;             // [N,K,h,w], or [N,h,w,K] if channelsLast
    int items, height, width, channels;
    int filterCount, rows, columns;
    int kernelHeight, kernelWidth;
    int strideDown, strideRight, dilationDown, dilationRight, above, left;
    bool floatMoves;   // in float32, not in the type of X
    bool channelsLast; // of Y

    __host__ __device__ int elements() const { return kernelHeight * kernelWidth; }
    __host__ __device__ int stages() const { return elements() * (channels / kDepth); }
    __host__ __device__ int placesOfItem() const { return rows * columns; }
    __host__ __device__ int places() const { return items * placesOfItem(); }
};

/// The weights of the four elements of X around a point.
template <class T> struct PointWeights;
template <> struct alignas(8) PointWeights<__half> { __half2 pairs[2]; };
template <> struct alignas(16) PointWeights<__nv_bfloat16> {
    float at[4]; // bfloat16 would lose too much precision
};

/// The contents of a block's shared memory, except the filters, which come first.
template <class T, int outputs> struct SharedDeform {
    PhaseBarrier arrived[kStages]; // a stage's filters
    PhaseBarrier read[kStages];    // by all warps
    float bias[outputs];
    int to[kPlaces]; // the offset in Y for the first filter; -1: outside of Y

    static constexpr int kBytesOfStage = outputs * kDepth * static_cast<int>(sizeof(T));
    static constexpr int kFiltersBytes = kStages * kBytesOfStage;

    /// After it: the indices of X's elements for each position and filter element, and the weights.
    static constexpr size_t bytes(int elements) {
        size_t const points = size_t{kPlaces} * static_cast<size_t>(elements);
        return kFiltersBytes + sizeof(SharedDeform) + points * (sizeof(int4) + sizeof(PointWeights<T>));
    }
};

struct PlaceOfY {
    int item, y, x;

    /// The i-th position in the order of the strips.
    __device__ PlaceOfY(FusedDeform const& of, int i) {
        item = i / of.placesOfItem();
        int const inItem = i - item * of.placesOfItem();
        int const strip = inItem / (kStrip * of.columns);
        int const inStrip = inItem - strip * kStrip * of.columns;
        int const rows = min(kStrip, of.rows - strip * kStrip);
        x = inStrip / rows;
        y = strip * kStrip + inStrip - x * rows;
    }
};

template <class T> __device__ float numberAt(void const* numbers, size_t i, bool isFloat) {
    return isFloat ? static_cast<float const*>(numbers)[i] : toFloat(static_cast<T const*>(numbers)[i]);
}

__device__ __forceinline__ void setWeight(PointWeights<__half>& weights, int i, float weight) {
    reinterpret_cast<__half*>(weights.pairs)[i] = __float2half_rn(weight);
}
__device__ __forceinline__ void setWeight(PointWeights<__nv_bfloat16>& weights, int i, float weight) {
    weights.at[i] = weight;
}

/// The four elements of X around each point of a block's positions.
template <class T> struct Points {
    int4* at; // the addresses of their first channels, in lines of kLine bytes from X; points outside of X use `zeros`
    PointWeights<T>* weights;

    /// \param memory of SharedDeform::bytes() bytes, aligned to 16
    __device__ Points(void* memory, int count)
        : at(static_cast<int4*>(memory)), weights(reinterpret_cast<PointWeights<T>*>(at + count)) {}

    __device__ void find(FusedDeform const& of, int* to) const {
        int const place = static_cast<int>(threadIdx.x) % kPlaces;
        int const columns = kPlaces / kStrip; // adjacent threads have adjacent positions in a row
        int const i = static_cast<int>(blockIdx.x) * kPlaces + place % columns * kStrip + place / columns;
        bool const isThere = i < of.places();
        PlaceOfY const where(of, isThere ? i : 0);
        int const inItem = where.y * of.columns + where.x;
        int const ofItem = where.item * of.filterCount * of.placesOfItem();
        int const inY = ofItem + inItem * (of.channelsLast ? of.filterCount : 1);
        if (threadIdx.x < kPlaces) to[place] = isThere ? inY : -1;
        constexpr int kStep = kThreadsOfBlock / kPlaces;
        for (int first = static_cast<int>(threadIdx.x) / kPlaces; first < of.elements(); first += kStep * kAtOnce) {
            float down[kAtOnce];
            float right[kAtOnce];
            float factor[kAtOnce];
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                int const element = min(first + k * kStep, of.elements() - 1);
                size_t const plane = static_cast<size_t>(where.item) * of.elements() + element;
                size_t const from = plane * of.placesOfItem() + inItem;
                size_t const move = from + plane * of.placesOfItem();
                down[k] = numberAt<T>(of.moves, move, of.floatMoves);
                right[k] = numberAt<T>(of.moves, move + of.placesOfItem(), of.floatMoves);
                factor[k] = of.factors == nullptr ? 1.F : numberAt<T>(of.factors, from, of.floatMoves);
            }
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                int const element = first + k * kStep;
                if (element >= of.elements()) break;
                int const row = element / of.kernelWidth;
                int const y = where.y * of.strideDown - of.above + row * of.dilationDown;
                int const x = where.x * of.strideRight - of.left + (element - row * of.kernelWidth) * of.dilationRight;
                DeformTaps const taps(static_cast<float>(y) + down[k], static_cast<float>(x) + right[k], of.height,
                                      of.width);
                put(element * kPlaces + place, taps, isThere ? factor[k] : 0, where.item * of.height * of.width, of);
            }
        }
    }

private:
    __device__ void put(int point, DeformTaps const& taps, float factor, int pixel, FusedDeform const& of) const {
        int const lines = of.channels * static_cast<int>(sizeof(T)) / kLine; // of a pixel
        auto const outside = static_cast<int>((of.zeros - static_cast<char const*>(of.x)) / kLine);
        int around[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            setWeight(weights[point], i, factor * taps.weight[i]);
            around[i] = taps.at[i] < 0 ? outside : (pixel + static_cast<int>(taps.at[i])) * lines;
        }
        at[point] = {around[0], around[1], around[2], around[3]};
    }
};

using Word = unsigned[4]; // 8 channels

__device__ __forceinline__ void load(Word& to, char const* from) {
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from));
}

__device__ __forceinline__ unsigned interpolate(PointWeights<__half> const& weights, Word const (&around)[4], int i) {
    auto const pair = [&](int k) { return *reinterpret_cast<__half2 const*>(&around[k][i]); };
    __half2 sum = __hmul2(__low2half2(weights.pairs[0]), pair(0));
    sum = __hfma2(__high2half2(weights.pairs[0]), pair(1), sum);
    sum = __hfma2(__low2half2(weights.pairs[1]), pair(2), sum);
    sum = __hfma2(__high2half2(weights.pairs[1]), pair(3), sum);
    return *reinterpret_cast<unsigned const*>(&sum);
}

__device__ __forceinline__ unsigned interpolate(PointWeights<__nv_bfloat16> const& weights, Word const (&around)[4],
                                                int i) {
    float2 sum{0, 0};
#pragma unroll
    for (int k = 0; k < 4; ++k) { // bfloat16 is the upper half of float32
        sum.x = fmaf(weights.at[k], __uint_as_float(around[k][i] << 16U), sum.x);
        sum.y = fmaf(weights.at[k], __uint_as_float(around[k][i] & 0xffff0000U), sum.y);
    }
    __nv_bfloat162 const pair = __float22bfloat162_rn(sum);
    return *reinterpret_cast<unsigned const*>(&pair);
}

/// A stage's left factor [64,16] times four, in the registers of a warpgroup: see multiplyAdd().
using LeftFactors = unsigned[4][4];

/// The contribution of a lane, 4 g + t of its warp, to left factors: for positions g and g + 8 of its warp 16 channels
/// of a stage, words t and t + 4 of eight. The order of channels in packed filters follows from it.
template <class T> class Meeting {
public:
    __device__ Meeting(FusedDeform const& of, Points<T> const& points) : points_(points), elements_(of.elements()) {
        // Through a shuffle: otherwise each use would read the special register again, and queue after loads.
        thread_ = static_cast<int>(__shfl_sync(~0U, threadIdx.x, threadIdx.x));
        isOdd_ = thread_ / 4 % 2 != 0;
        place_ = thread_ / 32 * 16 + thread_ % 32 / 4;
        // Lanes of odd positions start with the second half of the channels: so eight lanes read from all banks.
        char const* const x = static_cast<char const*>(of.x) + thread_ % 4 * sizeof(Word);
        first_ = x + (isOdd_ ? kHalf : 0);
        second_ = x + (isOdd_ ? 0 : kHalf);
        locate();
    }

    __device__ int thread() const { return thread_; }

    /// Computes the points of the next stage, some time before it is fetched.
    __device__ __forceinline__ void locate() {
#pragma unroll
        for (int r = 0; r < 2; ++r) at_[r] = points_.at[element_ * kPlaces + place_ + r * 8];
    }

    /// Starts to read the elements of the next stage.
    __device__ __forceinline__ void fetch() {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            int const lines[4] = {at_[r].x, at_[r].y, at_[r].z, at_[r].w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                load(around_[r][0][i], first_ + int64_t{lines[i]} * kLine);
                load(around_[r][1][i], second_ + int64_t{lines[i]} * kLine);
            }
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) weights_[r] = points_.weights[element_ * kPlaces + place_ + r * 8];
        if (++element_ < elements_) return;
        element_ = 0;
        first_ += kDepth * sizeof(T);
        second_ += kDepth * sizeof(T);
    }

    /// The fetched elements, interpolated.
    __device__ __forceinline__ void blend(LeftFactors& to) const {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                unsigned const first = interpolate(weights_[r], around_[r][0], i);
                unsigned const second = interpolate(weights_[r], around_[r][1], i);
                to[i / 2][i % 2 * 2 + r] = isOdd_ ? second : first;
                to[2 + i / 2][i % 2 * 2 + r] = isOdd_ ? first : second;
            }
        }
    }

private:
    static constexpr unsigned kHalf = kDepth / 2 * sizeof(T);

    Points<T> points_;
    int thread_;
    bool isOdd_;
    int place_;
    int elements_;
    char const* first_; // this lane's part of the first pixel
    char const* second_;
    int element_ = 0;
    int4 at_[2];
    PointWeights<T> weights_[2];
    Word around_[2][2][4]; // of each position, each word and each element around its point
};

/// Filters in shared memory, loaded asynchronously.
template <class T, int outputs> struct FilterStages {
    using Shared = SharedDeform<T, outputs>;

    unsigned char* room;
    Shared& shared;
    char const* filters;
    int count;

    /// By one thread.
    __device__ void begin() {
        for (int i = 0; i < kStages; ++i) {
            shared.arrived[i].init(1);
            shared.read[i].init(kWarps);
        }
        publishBarriers();
        for (int i = 0; i < kStages && i < count; ++i) fetch(i, i);
    }
    /// The filters of the stage in slot `slot` of round `round`.
    __device__ __forceinline__ void const* wait(int slot, unsigned round) {
        shared.arrived[slot].wait(round);
        return room + slot * Shared::kBytesOfStage;
    }
    /// This warp has finished reading the filters before that stage.
    __device__ __forceinline__ void release(int slot, unsigned round, int thread) {
        int const stage = static_cast<int>(round) * kStages + slot;
        if (stage > 0 && thread % 32 == 0) shared.read[(slot + kStages - 1) % kStages].arrive();
        int const next = stage - kSlack + kStages;
        if (thread != 0 || stage < kSlack || next >= count) return;
        int const old = (slot + kStages - kSlack) % kStages;
        shared.read[old].wait(slot < kSlack ? round - 1 : round);
        fetch(next, old);
    }

private:
    __device__ void fetch(int stage, int slot) {
        PhaseBarrier& barrier = shared.arrived[slot];
        barrier.expect(Shared::kBytesOfStage);
        startCopy(room + slot * Shared::kBytesOfStage, filters + static_cast<size_t>(stage) * Shared::kBytesOfStage,
                  Shared::kBytesOfStage, barrier);
    }
};

template <class T> __device__ __forceinline__ unsigned packed(float first, float second) {
    Pack<T, 2> const pair{{convertTo<T>(first), convertTo<T>(second)}};
    return *reinterpret_cast<unsigned const*>(&pair);
}

/// The results of a block in shared memory before they are written to Y: a row for each filter, or for each position if
/// the channels of Y are last.
template <class T, int outputs, bool channelsLast> struct Tile {
    static constexpr int kWord = 8; // elements that are stored at once
    static constexpr int kColumns = channelsLast ? outputs : kPlaces;
    static constexpr int kPitch = kColumns + kWord; // so that eight rows are in all banks
    T* at;

    /// Sums and bias.
    __device__ __forceinline__ void put(float const (&sums)[outputs / 2], float const* bias) const {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        int const place = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 8 % 2 * 8;
        int const filter = lane / 16 * 8;
        int const row = (channelsLast ? place : filter) + lane % 8;
        T* const corner = at + row * kPitch + (channelsLast ? filter : place);
#pragma unroll
        for (int i = 0; i < outputs / 8; i += 2) {
            unsigned words[4]; // of four matrices: two of positions, of two of filters
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float const* const pair = sums + (i + k / 2) * 4 + k % 2 * 2;
                float const* const more = bias + (i + k / 2) * 8 + lane % 4 * 2;
                words[k] = packed<T>(pair[0] + more[0], pair[1] + more[1]);
            }
            storeMatrices<!channelsLast>(corner + i * 8 * (channelsLast ? 1 : kPitch), words);
        }
    }

    __device__ __forceinline__ void store(FusedDeform const& of, int const* to) const {
        constexpr int kWords = kColumns / kWord; // of a row
        constexpr int kStep = kThreadsOfBlock / kWords;
        int const column = static_cast<int>(threadIdx.x) % kWords * kWord;
        int const first = static_cast<int>(threadIdx.x) / kWords;
        if constexpr (channelsLast)
            storePlaces(static_cast<T*>(of.y) + blockIdx.y * outputs + column, to, first, kStep, column);
        else
            storeFilters(of, to, first, kStep, column);
    }

private:
    __device__ __forceinline__ void storePlaces(T* y, int const* to, int first, int step, int column) const {
#pragma unroll 4
        for (int place = first; place < kPlaces; place += step) {
            if (to[place] < 0) continue;
            *reinterpret_cast<Pack<T, kWord>*>(y + to[place]) =
                *reinterpret_cast<Pack<T, kWord> const*>(at + place * kPitch + column);
        }
    }

    __device__ __forceinline__ void storeFilters(FusedDeform const& of, int const* to, int first, int step,
                                                 int place) const {
        int const planeSize = of.placesOfItem();
        bool isWord = to[place] >= 0 && to[place] % kWord == 0 && planeSize % kWord == 0 &&
                      reinterpret_cast<uintptr_t>(of.y) % sizeof(Pack<T, kWord>) == 0;
        for (int i = 1; i < kWord; ++i) isWord = isWord && to[place + i] == to[place] + i;
        T* const y = static_cast<T*>(of.y) + int64_t{blockIdx.y} * outputs * planeSize;
#pragma unroll 4
        for (int k = first; k < outputs; k += step) {
            T* const plane = y + int64_t{k} * planeSize;
            T const* const from = at + k * kPitch + place;
            if (isWord)
                *reinterpret_cast<Pack<T, kWord>*>(plane + to[place]) = *reinterpret_cast<Pack<T, kWord> const*>(from);
            for (int i = 0; i < kWord && !isWord; ++i) {
                if (to[place + i] >= 0) plane[to[place + i]] = from[i];
            }
        }
    }
};

/// Sums of products of interpolated elements and filters.
template <class T, int outputs>
__device__ __forceinline__ void multiply(Meeting<T> meeting, FilterStages<T, outputs> filters,
                                         float (&sums)[outputs / 2]) {
#pragma unroll
    for (int i = 0; i < outputs / 2; ++i) sums[i] = 0;
    settle(sums);
    // The left factors of two stages: while a product reads one of them, the other one is computed.
    LeftFactors left[2];
    meeting.fetch();
    meeting.locate();
    meeting.blend(left[0]);
    auto const step = [&](unsigned stage, LeftFactors& now, LeftFactors& next) {
        bool const isLast = stage + 1 == filters.count;
        if (!isLast) meeting.fetch();
        uint64_t const right = rightFactor<outputs>(filters.wait(stage % kStages, stage / kStages));
        beginProducts();
#pragma unroll
        for (int k = 0; k < kDepth / 16; ++k) multiplyAdd<T, outputs>(sums, now[k], right + k * outputs * 2);
        endProducts();
        waitForProducts<1>(); // the products of the previous stage
        filters.release(stage % kStages, stage / kStages, meeting.thread());
        if (isLast) return;
        meeting.locate();
        meeting.blend(next);
    };
#pragma unroll 1
    for (unsigned stage = 0; stage < filters.count; stage += 2) {
        step(stage, left[0], left[1]);
        if (stage + 1 < filters.count) step(stage + 1, left[1], left[0]);
    }
    waitForProducts<0>();
    settle(sums);
}

/// Y for a block's positions and filters.
template <class T, int outputs>
__global__ void __launch_bounds__(kThreadsOfBlock, 1) fusedDeform(__grid_constant__ FusedDeform const of) {
    using Shared = SharedDeform<T, outputs>;
    extern __shared__ __align__(128) unsigned char room[];
    Shared& shared = *reinterpret_cast<Shared*>(room + Shared::kFiltersBytes);
    Points<T> const points(&shared + 1, kPlaces * of.elements());
    char const* const ofBlock =
        static_cast<char const*>(of.filters) + size_t{blockIdx.y} * of.stages() * Shared::kBytesOfStage;
    FilterStages<T, outputs> filters{room, shared, ofBlock, of.stages()};
    if (threadIdx.x == 0) filters.begin();
    for (int i = static_cast<int>(threadIdx.x); i < outputs; i += kThreadsOfBlock)
        shared.bias[i] = of.bias == nullptr ? 0 : toFloat(static_cast<T const*>(of.bias)[blockIdx.y * outputs + i]);
    points.find(of, shared.to);
    __syncthreads();
    float sums[outputs / 2];
    multiply(Meeting<T>(of, points), filters, sums);
    __syncthreads();
    auto const store = [&](auto tile) {
        tile.put(sums, shared.bias);
        __syncthreads();
        tile.store(of, shared.to);
    };
    T* const tile = reinterpret_cast<T*>(room);
    if (of.channelsLast)
        store(Tile<T, outputs, true>{tile});
    else
        store(Tile<T, outputs, false>{tile});
}

template <class Body> decltype(auto) dispatchKernel(DataType type, int64_t outputs, Body const& body) {
    auto const withOutputs = [&]<class T>(TypeTag<T>) {
        return outputs == 256 ? body(fusedDeform<T, 256>, &SharedDeform<T, 256>::bytes)
                              : body(fusedDeform<T, 128>, &SharedDeform<T, 128>::bytes);
    };
    return type == DataType::Float16 ? withOutputs(TypeTag<__half>{}) : withOutputs(TypeTag<__nv_bfloat16>{});
}

int elementsOf(Dims const& w) { return static_cast<int>(w[2] * w[3]); }

size_t sharedBytes(DataType type, int64_t outputs, int elements) {
    return dispatchKernel(type, outputs, [&](auto*, auto* bytes) { return bytes(elements); });
}

/// The filters of a block: the variant's tactic, unless a plan has an invalid one.
int64_t outputsOf(PrepareArgs const& args) {
    return args.variant.tactic == 256 && args.inputs[kWeights][0] % 256 == 0 ? 256 : 128;
}

class RunFusedDeform final : public Executable {
public:
    explicit RunFusedDeform(PrepareArgs const& args)
        : type_(args.variant.inputs[kX].type), outputs_(outputsOf(args)), of_(argumentsOf(args)),
          hasFactors_(args.node.input(kFactors) != nullptr), hasBias_(args.node.input(kBias) != nullptr),
          bytesOfX_(bytesOf(args.inputs[kX], args.variant.inputs[kX])),
          bytes_(sharedBytes(type_, outputs_, of_.elements())) {
        void* address = nullptr;
        check(cudaGetSymbolAddress(&address, zeros), "cudaGetSymbolAddress");
        zeros_ = static_cast<char const*>(address);
        dispatchKernel(type_, outputs_, [&](auto* kernel, auto) {
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes_)),
                  "cudaFuncSetAttribute");
        });
    }

    size_t workspaceBytes() const override { return bytesOfX_ + kZeros; }

    void run(Pointers const& pointers) override {
        FusedDeform of = of_;
        of.x = pointers.inputs[kX];
        of.zeros = zeros_ + reinterpret_cast<uintptr_t>(of.x) % kLine;
        if (!isNear(of)) bringNear(of, pointers);
        of.moves = pointers.inputs[kMoves];
        if (hasBias_) of.bias = pointers.inputs[kBias];
        if (hasFactors_) of.factors = pointers.inputs[kFactors];
        of.y = pointers.outputs[0];
        dim3 const blocks(static_cast<unsigned>((of.places() + kPlaces - 1) / kPlaces),
                          static_cast<unsigned>(of.filterCount / outputs_));
        dispatchKernel(type_, outputs_, [&](auto* kernel, auto) {
            kernel<<<blocks, kThreadsOfBlock, bytes_, streamOf(pointers.stream)>>>(of);
        });
        checkLaunch("fused deformable convolution");
    }

private:
    /// Whether the distance to the zeros can be expressed as a number of lines.
    static bool isNear(FusedDeform const& of) {
        auto const distance = reinterpret_cast<intptr_t>(of.zeros) - reinterpret_cast<intptr_t>(of.x);
        return std::abs(distance / kLine) < INT_MAX;
    }

    /// Memory of the application may be anywhere in the address space.
    void bringNear(FusedDeform& of, Pointers const& pointers) const {
        cudaStream_t const stream = streamOf(pointers.stream);
        check(cudaMemsetAsync(pointers.workspace, 0, kZeros, stream), "cudaMemsetAsync");
        of.zeros = static_cast<char const*>(pointers.workspace);
        void* const x = static_cast<char*>(pointers.workspace) + kZeros;
        check(cudaMemcpyAsync(x, of.x, bytesOfX_, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
        of.x = x;
    }

    static FusedDeform argumentsOf(PrepareArgs const& args) {
        auto const& layer = *as<DeformConvolution>(*args.node.layer);
        DeformPlaces const places(layer, args.inputs[kX], args.inputs[kWeights], args.inputs[kMoves]);
        auto const number = [](int64_t value) { return static_cast<int>(value); };
        FusedDeform of{};
        of.filters = args.packedData;
        of.items = number(args.inputs[kX][0]);
        of.height = number(places.height);
        of.width = number(places.width);
        of.channels = number(places.channels);
        of.filterCount = number(args.inputs[kWeights][0]);
        of.rows = number(places.rows);
        of.columns = number(places.columns);
        of.kernelHeight = number(places.kernelHeight);
        of.kernelWidth = number(places.kernelWidth);
        of.strideDown = number(places.strideDown);
        of.strideRight = number(places.strideRight);
        of.dilationDown = number(places.dilationDown);
        of.dilationRight = number(places.dilationRight);
        of.above = number(places.above);
        of.left = number(places.left);
        of.floatMoves = args.variant.inputs[kMoves].type == DataType::Float32;
        of.channelsLast = args.variant.outputs[0].format.channelsLast;
        return of;
    }

    DataType type_;
    int64_t outputs_;
    FusedDeform of_;
    bool hasFactors_;
    bool hasBias_;
    size_t bytesOfX_;
    size_t bytes_; // of shared memory
    char const* zeros_ = nullptr;
};

/// Why these shapes are too large: a clause, empty if they are not.
std::string refusal(std::span<Dims const> inputs, Dims const& y) {
    constexpr int64_t kMost = int64_t{1} << 31;
    Dims const& x = inputs[kX];
    if (x.volume() / kDepth >= kMost || y.volume() >= kMost || inputs[kMoves].volume() >= kMost)
        return "supports X of fewer than 2^37 elements and others of fewer than 2^31";
    return {};
}

std::string refusal(KernelQuery const& query) {
    auto const& layer = *as<DeformConvolution>(*query.node.layer);
    Dims const& w = query.inputs[kWeights];
    if (!isHopper()) return "requires compute capability 9.0";
    if (query.node.input(kWeights)->literal() == nullptr) return "requires constant filters";
    if (layer.groups != 1 || layer.parts != 1) return "supports one group of channels with common offsets";
    if (w[1] > kMostChannels) return text("supports up to ", kMostChannels, " channels, not ", w[1]);
    if (w[1] % kDepth != 0 || w[0] % 128 != 0)
        return text("requires multiples of ", kDepth, " channels and of 128 filters, not ", w[1], " and ", w[0]);
    if (sharedBytes(DataType::BFloat16, 256, elementsOf(w)) > properties().sharedMemPerBlockOptin)
        return text("supports filters of fewer elements than ", elementsOf(w));
    return refusal(query.inputs, query.outputs[0]);
}

class CudaFusedDeform final : public Kernel {
public:
    std::string_view name() const override { return "cuda_fused_deform_convolution"; }

    // float16 and bfloat16, X channels last, Y channels last or linear
    Offer offer(KernelQuery const& query) const override {
        if (std::string why = refusal(query); !why.empty()) return Offer::refuse(std::move(why));
        DataType const ofMoves = query.node.input(kMoves)->type;
        Offer offer = offerFloats(query, [&](DataType type, Offer& to) {
            if (type == DataType::Float32 || (ofMoves != type && ofMoves != DataType::Float32)) return;
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .compute = type};
            variant.inputs[kX].format = Format::nhwc();
            variant.inputs[kWeights].type = query.node.input(kWeights)->literal()->type();
            variant.packed = 1U << kWeights;
            for (size_t i : {kMoves, kFactors}) {
                if (i < variant.inputs.size()) variant.inputs[i].type = ofMoves;
            }
            variant.tactic = outputsFor(query);
            variant.cost = costOf(query, variant.tactic);
            to.variants.push_back(variant);
            variant.outputs[0].format = Format::nhwc();
            to.variants.push_back(std::move(variant));
        });
        if (offer.variants.empty()) offer.refusal = "supports float16 and bfloat16";
        return offer;
    }

    std::string packKey(Variant const& variant) const override {
        return text("deformed ", variant.outputs[0].type, " by ", variant.tactic);
    }

    // W [K,C,elements] → [blocks of K][chunks of C][elements][C of a chunk / 8][K of a block][8]; in a chunk the bits
    // of a channel's index are permuted: see Meeting
    Packed pack(PrepareArgs const& args) const override {
        Dims const& w = args.inputs[kWeights];
        int64_t const outputs = outputsOf(args);
        int64_t const elements = elementsOf(w);
        int64_t const stage = outputs * kDepth;
        int64_t const chunks = w[1] / kDepth;
        Literal const bits =
            args.node.input(kWeights)->literal()->reshaped({w[0] / outputs, outputs, chunks, 2, 4, 4, 2, elements});
        StridedWeights weights(args.variant.outputs[0].type);
        weights.add(bits, {chunks * elements * stage, 8, elements * stage, 4 * outputs * 8, 2, outputs * 8, 1, stage});
        return std::move(weights).finish(packKey(args.variant), packedBytes(args));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        expectPacked(args, packedBytes(args));
        if (std::string const why = refusal(args.inputs, args.outputs[0]); !why.empty())
            fail(ErrorCode::Unsupported, args.node, ": ", name(), ' ', why);
        return std::make_unique<RunFusedDeform>(args);
    }

private:
    static size_t packedBytes(PrepareArgs const& args) {
        return bytesOf(args.variant.outputs[0].type, args.inputs[kWeights].volume());
    }

    /// A block of 128 filters takes about this fraction of the time of one of 256: it interpolates as much.
    static constexpr double kHalf = 0.8;

    static int64_t outputsFor(KernelQuery const& query) {
        if (query.outputs[0][1] % 256 != 0) return 128;
        return kHalf * static_cast<double>(rounds(query, 128)) < static_cast<double>(rounds(query, 256)) ? 128 : 256;
    }

    static double costOf(KernelQuery const& query, int64_t outputs) {
        constexpr double kShare = 0.42; // of the peak, by blocks of 256 filters
        double const share = outputs == 256 ? 1 : kHalf;
        double const blocks = share * static_cast<double>(rounds(query, outputs) * properties().multiProcessorCount);
        double const perBlock = 2.0 * kPlaces * 256 * static_cast<double>(query.inputs[kWeights].volume(1, 4));
        return kernelCost(0, blocks * perBlock, kShare * costs().float16);
    }

    /// The number of blocks that a multiprocessor computes one after the other.
    static int64_t rounds(KernelQuery const& query, int64_t outputs) {
        Dims const& y = query.outputs[0];
        int64_t const blocks = (y[0] * y[2] * y[3] + kPlaces - 1) / kPlaces * (y[1] / outputs);
        return (blocks + properties().multiProcessorCount - 1) / properties().multiProcessorCount;
    }
};

constexpr CudaFusedDeform kFused;

} // namespace

Kernel const& fusedDeformConvolution() { return kFused; }

} // namespace tenon::cuda

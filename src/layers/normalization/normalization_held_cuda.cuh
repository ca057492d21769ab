// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Normalization of rows that are held in registers, so that X is read once.

#include "backends/cuda/hopper_launch.h"
#include "layers/normalization/normalization_rows_cuda.cuh"

#include <cooperative_groups.h>

namespace tenon::cuda {

/// The threads that share a row: a warp.
class WarpTeam {
public:
    static constexpr int kMostThreads = 256;  // of a block
    static constexpr int kEarlyThreads = 256; // of one that loads its factors early
    static constexpr int kBlocks = 4;         // of a multiprocessor, limited by registers

    __device__ explicit WarpTeam(int) {}

    __device__ uint32_t row() const { return blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes; }
    __device__ uint32_t size() const { return kLanes; }
    __device__ uint32_t rank() const { return threadIdx.x % kLanes; }

    template <class Held> __device__ Moments moments(Held const& held, Rows const& rows) const {
        float const mean = rows.centers ? rows.mean(totalOfWarp(held.sum())) : 0;
        return {static_cast<float>(rows.length), mean, totalOfWarp(held.squares(mean))};
    }
};

/// Up to 8 adjacent blocks, a cluster, of any number of warps.
class ClusterTeam {
public:
    static constexpr int kMostThreads = 672;
    static constexpr int kEarlyThreads = 448; // also with more than two blocks
    static constexpr int kBlocks = 1;         // 80 registers per thread
    static constexpr int kMostBlocks = 8;
    static constexpr int kMostWarps = kMostBlocks * kEarlyThreads / kLanes; // of all blocks

    __device__ explicit ClusterTeam(int blocks) : blocks_(blocks) {
#if __CUDA_ARCH__ >= 900
        if (blocks_ != 1) cooperative_groups::this_cluster().barrier_arrive();
#endif
    }

    __device__ uint32_t row() const { return blockIdx.x / blocks_; }
    __device__ uint32_t size() const { return blocks_ * blockDim.x; }
    __device__ uint32_t rank() const { return block() * blockDim.x + threadIdx.x; }

    template <class Held> __device__ Moments moments(Held const& held, Rows const& rows) const {
        __shared__ Moments parts[kMostWarps];
        float const count = held.countOfWarp();
        float const ofWarp = rows.centers ? quotient(totalOfWarp(held.sum()), max(count, 1.0F)) : 0;
        tell(parts, {count, ofWarp, totalOfWarp(held.squares(ofWarp))});
        constexpr int kParts = (kMostWarps + kLanes - 1) / kLanes;
        Moments ofLane[kParts];
        float sum = 0;
#pragma unroll
        for (int k = 0; k < kParts; ++k) {
            uint32_t const i = k * kLanes + threadIdx.x % kLanes;
            ofLane[k] = i < size() / kLanes ? parts[i] : Moments{};
            sum += ofLane[k].count * ofLane[k].mean;
        }
        float const mean = rows.centers ? rows.mean(totalOfWarp(sum)) : 0;
        float squares = 0;
        for (Moments const& part : ofLane) squares += part.squaresAbout(mean);
        return {static_cast<float>(rows.length), mean, totalOfWarp(squares)};
    }

private:
    __device__ uint32_t block() const { return blockIdx.x % blocks_; }

    /// Writes the moments of this warp to all blocks; those of all warps have arrived when it returns.
    __device__ void tell(Moments* parts, Moments const& ofWarp) const {
        uint32_t const lane = threadIdx.x % kLanes;
        Moments* const mine = parts + rank() / kLanes;
#if __CUDA_ARCH__ >= 900
        if (blocks_ != 1) {
            auto const cluster = cooperative_groups::this_cluster();
            cluster.barrier_wait(); // all blocks have started: their shared memory exists
            if (lane < blocks_) *cluster.map_shared_rank(mine, lane) = ofWarp;
            return cluster.sync();
        }
#endif
        if (lane == 0) *mine = ofWarp;
        __syncthreads();
    }

    uint32_t blocks_;
};

/// When scales and biases are loaded: early, if there is one for each run, or if registers suffice for one for each
/// element; or when they are needed.
enum class Loading { OfRuns, Early, Late };

/// The scales and biases of a thread's packs.
template <int packs, int width, Loading loading> struct HeldFactors;

template <int packs, int width> struct HeldFactors<packs, width, Loading::OfRuns> {
    float scales[packs], biases[packs];

    __device__ void load(Rows const& rows, RowFactors const& factors, int i, uint32_t at) {
        uint32_t const run = rows.run.divide(at);
        scales[i] = rows.scale.numberOf(factors.scales, run, 1);
        biases[i] = rows.bias.numberOf(factors.biases, run, 0);
    }
    __device__ void apply(Rows const&, RowFactors const&, Line const& line, int i, uint32_t,
                          float (&values)[width]) const {
        float const factor = line.factor * scales[i];
#pragma unroll
        for (int k = 0; k < width; ++k) values[k] = (values[k] - line.mean) * factor + biases[i];
    }
};

template <int packs, int width> struct HeldFactors<packs, width, Loading::Early> {
    Factors<width> all[packs];

    __device__ void load(Rows const& rows, RowFactors const& factors, int i, uint32_t at) {
        all[i] = factors.at<width>(rows, at);
    }
    __device__ void apply(Rows const&, RowFactors const&, Line const& line, int i, uint32_t,
                          float (&values)[width]) const {
        line.apply(all[i], values);
    }
};

template <int packs, int width> struct HeldFactors<packs, width, Loading::Late> {
    __device__ void load(Rows const&, RowFactors const&, int, uint32_t) {}
    __device__ void apply(Rows const& rows, RowFactors const& factors, Line const& line, int, uint32_t at,
                          float (&values)[width]) const {
        line.apply(factors.at<width>(rows, at), values);
    }
};

/// The packs of a row that a thread holds: every size()-th of the team's. `early`: registers suffice for skip and shift
/// too.
template <class X, int floats, class Team, bool early> class Held {
public:
    static constexpr int kWidth = kPackBytes / sizeof(X);
    static constexpr int kPacks = floats / kWidth;

    /// Starts the loads; add() waits for them.
    __device__ Held(Source<X> const& source, Rows const& rows, Team const& team)
        : first_(team.rank() * kWidth), step_(team.size() * kWidth), length_(rows.length),
          start_(int64_t{team.row()} * rows.length) {
        load(source.x, x_);
        if (early && source.skip != nullptr) load(source.skip, skip_);
    }

    /// Adds skip and shift; 0 after the end.
    __device__ void add(Source<X> const& source, Rows const& rows, Team const& team) {
        add([](float& value, float read) { value = read; }, x_);
        if (!early && source.skip != nullptr) load(source.skip, skip_);
        if (source.skip != nullptr) add([](float& value, float read) { value += read; }, skip_);
        if (rows.shift.data == nullptr) return;
        forEach([&](int i, uint32_t at) { Source<X>::addShift(rows, team.row(), at, values_[i]); });
    }

    /// use(i, at) for each pack, which starts with element `at` of the row. Pack i of an array stays in a register.
    template <class Use> __device__ __forceinline__ void forEach(Use const& use) const {
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            if (first_ + i * step_ < length_) use(i, first_ + i * step_);
        }
    }

    /// The number of elements that a warp holds.
    __device__ float countOfWarp() const {
        int packs = 0;
#pragma unroll
        for (int i = 0; i < kPacks; ++i) packs += __popc(__ballot_sync(~0U, first_ + i * step_ < length_));
        return static_cast<float>(packs * kWidth);
    }
    __device__ float sum() const {
        float all = 0;
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
#pragma unroll
            for (int k = 0; k < kWidth; ++k) all += values_[i][k];
        }
        return all;
    }
    __device__ float squares(float mean) const {
        float all = 0;
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            float mine = 0;
#pragma unroll
            for (int k = 0; k < kWidth; ++k) mine += (values_[i][k] - mean) * (values_[i][k] - mean);
            all += first_ + i * step_ < length_ ? mine : 0;
        }
        return all;
    }

    template <class Factors>
    __device__ void apply(Rows const& rows, RowFactors const& of, Factors const& factors, Line const& line) {
        forEach([&](int i, uint32_t at) { factors.apply(rows, of, line, i, at, values_[i]); });
    }

    __device__ void store(Target const& y, NoEpilogue const&) {
        y.as([&](auto* elements) {
            forEach([&](int i, uint32_t at) { storePack(elements + start_ + at, values_[i]); });
        });
    }
    __device__ void store(Target const& y, SwishAlone const& swish) {
        forEach([&](int i, uint32_t at) {
            swish.apply<X>(values_[i]);
            storePack(static_cast<X*>(y.data) + start_ + at, values_[i]);
        });
    }

    /// The code of an epilogue is large, so it is instantiated once: the packs are processed one after the other, and
    /// the remaining ones shifted up. An array that is indexed in a loop would not stay in registers.
    __device__ void store(Target const& y, EpilogueProgram const& epilogue) {
#pragma unroll 1
        for (uint32_t at = first_; at < length_; at += step_) {
            float x[kWidth];
#pragma unroll
            for (int k = 0; k < kWidth; ++k) x[k] = values_[0][k];
#pragma unroll
            for (int i = 0; i + 1 < kPacks; ++i) {
#pragma unroll
                for (int k = 0; k < kWidth; ++k) values_[i][k] = values_[i + 1][k];
            }
            storeFinished<X>(y, epilogue, start_ + at, x);
        }
    }

private:
    using Packs = Pack<X, kWidth>[kPacks];

    __device__ void load(X const* from, Packs& packs) const {
        forEach([&](int i, uint32_t at) { packs[i] = *reinterpret_cast<Pack<X, kWidth> const*>(from + start_ + at); });
    }
    template <class Use> __device__ void add(Use const& use, Packs const& packs) {
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
#pragma unroll
            for (int k = 0; k < kWidth; ++k) use(values_[i][k], toFloat(packs[i].at[k]));
        }
    }

    uint32_t first_, step_, length_;
    int64_t start_;
    Packs x_ = {};
    Packs skip_ = {};
    float values_[kPacks][kWidth];
};

/// X [outer, length] → Y [the same], with at most `floats` elements per thread.
template <class X, int floats, class Team, Loading loading, class Program>
__global__ void __launch_bounds__(loading == Loading::Early ? Team::kEarlyThreads : Team::kMostThreads,
                                  loading == Loading::Early ? 1 : Team::kBlocks)
    normalizeHeld(Source<X> const source, Target const y, Rows const rows, int blocks,
                  __grid_constant__ Program const epilogue) {
    using Row = Held<X, floats, Team, loading == Loading::Early>;
    letNextKernelBegin();
    Team const team(blocks);
    awaitEarlierKernels();
    if (team.row() >= rows.outer) return; // the last warps of a block; whole clusters never have no row
    Row row(source, rows, team);
    RowFactors const ofRow(rows, team.row());
    HeldFactors<Row::kPacks, Row::kWidth, loading> factors;
    row.forEach([&](int i, uint32_t at) { factors.load(rows, ofRow, i, at); });
    row.add(source, rows, team);
    Moments const moments = team.moments(row, rows);
    row.apply(rows, ofRow, factors, Line(rows, moments.mean, moments.squares));
    row.store(y, epilogue);
}

} // namespace tenon::cuda

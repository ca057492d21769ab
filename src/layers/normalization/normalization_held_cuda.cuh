// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Normalization of rows that are held in registers, so that X is read once.

#include "layers/normalization/normalization_rows_cuda.cuh"

#include <cooperative_groups.h>

namespace tenon::cuda {

/// The moments of all lanes of a warp.
__device__ __forceinline__ Moments joinedInWarp(Moments const& mine, bool centers) {
    float const count = totalOfWarp(mine.count);
    float const sum = totalOfWarp(mine.count * mine.mean);
    float const mean = centers ? sum / max(count, 1.0F) : 0;
    return {count, mean, totalOfWarp(mine.squaresAbout(mean))};
}

/// The threads that share a row: a warp.
class WarpTeam {
public:
    static constexpr int kMostThreads = 256; // of a block

    __device__ explicit WarpTeam(int) {}

    __device__ uint32_t row() const { return blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes; }
    __device__ uint32_t size() const { return kLanes; }
    __device__ uint32_t rank() const { return threadIdx.x % kLanes; }
    __device__ Moments joined(Moments const& ofThread, Rows const& rows) const {
        return joinedInWarp(ofThread, rows.centers);
    }
};

/// Up to 8 blocks side by side, a cluster, of any number of warps.
class ClusterTeam {
public:
    static constexpr int kMostThreads = 512;
    static constexpr int kMostBlocks = 8;

    __device__ explicit ClusterTeam(int blocks) : blocks_(blocks) {
#if __CUDA_ARCH__ >= 900
        if (blocks_ != 1) cooperative_groups::this_cluster().barrier_arrive();
#endif
    }

    __device__ uint32_t row() const { return blockIdx.x / blocks_; }
    __device__ uint32_t size() const { return blocks_ * blockDim.x; }
    __device__ uint32_t rank() const { return block() * blockDim.x + threadIdx.x; }

    __device__ Moments joined(Moments const& ofThread, Rows const& rows) const {
        __shared__ Moments parts[kMostBlocks * kMostThreads / kLanes]; // of all warps
        tell(parts, joinedInWarp(ofThread, rows.centers));
        uint32_t const warps = size() / kLanes;
        float sum = 0;
        for (uint32_t i = threadIdx.x % kLanes; i < warps; i += kLanes) sum += parts[i].count * parts[i].mean;
        float const mean = rows.mean(totalOfWarp(sum));
        float squares = 0;
        for (uint32_t i = threadIdx.x % kLanes; i < warps; i += kLanes) squares += parts[i].squaresAbout(mean);
        return {static_cast<float>(rows.length), mean, totalOfWarp(squares)};
    }

private:
    __device__ uint32_t block() const { return blockIdx.x % blocks_; }

    /// Writes the moments of this warp to all blocks; those of all warps are there when it returns.
    __device__ void tell(Moments* parts, Moments const& ofWarp) const {
        uint32_t const lane = threadIdx.x % kLanes;
        Moments* const mine = parts + rank() / kLanes;
#if __CUDA_ARCH__ >= 900
        if (blocks_ != 1) {
            auto const cluster = cooperative_groups::this_cluster();
            cluster.barrier_wait(); // all blocks have begun: there is memory to write to
            if (lane < blocks_) *cluster.map_shared_rank(mine, lane) = ofWarp;
            return cluster.sync();
        }
#endif
        if (lane == 0) *mine = ofWarp;
        __syncthreads();
    }

    uint32_t blocks_;
};

/// When scales and biases are loaded: before they are needed, where there is one for each run, or where registers are
/// there for one for each element; or when they are needed.
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

/// The packs of a row that are a thread's: every size()-th of the team's.
template <class X, int floats, class Team> class Held {
public:
    static constexpr int kWidth = kPackBytes / sizeof(X);
    static constexpr int kPacks = floats / kWidth;

    __device__ Held(Source<X> const& source, Rows const& rows, Team const& team)
        : first_(team.rank() * kWidth), step_(team.size() * kWidth), length_(rows.length),
          start_(int64_t{team.row()} * rows.length) {
        readAll(source.x + start_, [](float& value, float read) { value = read; });
        if (source.skip != nullptr) readAll(source.skip + start_, [](float& value, float read) { value += read; });
        if (rows.shift.data == nullptr) return;
        forEach([&](int i, uint32_t at) { Source<X>::addShift(rows, team.row(), at, values_[i]); });
    }

    /// use(i, at) for each pack, which begins with number `at` of the row. Pack i of an array stays in a register.
    template <class Use> __device__ __forceinline__ void forEach(Use const& use) const {
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            if (first_ + i * step_ < length_) use(i, first_ + i * step_);
        }
    }

    __device__ Moments moments(bool centers) const {
        float count = 0;
        float sum = 0;
        forEach([&](int i, uint32_t) {
            count += kWidth;
#pragma unroll
            for (int k = 0; k < kWidth; ++k) sum += values_[i][k];
        });
        float const mean = centers ? sum / max(count, 1.0F) : 0;
        float squares = 0;
        forEach([&](int i, uint32_t) {
#pragma unroll
            for (int k = 0; k < kWidth; ++k) squares += (values_[i][k] - mean) * (values_[i][k] - mean);
        });
        return {count, mean, squares};
    }

    template <class Factors>
    __device__ void apply(Rows const& rows, RowFactors const& of, Factors const& factors, Line const& line) {
        forEach([&](int i, uint32_t at) { factors.apply(rows, of, line, i, at, values_[i]); });
    }

    __device__ void store(Target const& y, NoEpilogue const&) const {
        forEach([&](int i, uint32_t at) { y.store(start_ + at, values_[i]); });
    }

    /// An epilogue takes so much code that it is there once: the packs come to it one after the other, all those behind
    /// moving up. An array that a loop goes through would not stay in registers.
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
    /// All loads are under way before the first is waited for.
    template <class Use> __device__ void readAll(X const* row, Use const& use) {
        Pack<X, kWidth> packs[kPacks];
        forEach([&](int i, uint32_t at) { packs[i] = *reinterpret_cast<Pack<X, kWidth> const*>(row + at); });
        forEach([&](int i, uint32_t) {
#pragma unroll
            for (int k = 0; k < kWidth; ++k) use(values_[i][k], toFloat(packs[i].at[k]));
        });
    }

    uint32_t first_, step_, length_;
    int64_t start_;
    float values_[kPacks][kWidth];
};

/// X [outer, length] → Y [the same], of `floats` elements a thread at most.
template <class X, int floats, class Team, Loading loading, class Program>
__global__ void __launch_bounds__(Team::kMostThreads)
    normalizeHeld(Source<X> const source, Target const y, Rows const rows, int blocks,
                  __grid_constant__ Program const epilogue) {
    using Row = Held<X, floats, Team>;
    Team const team(blocks);
    if (team.row() >= rows.outer) return; // the last warps of a block; whole clusters are not there
    Row row(source, rows, team);
    RowFactors const ofRow(rows, team.row());
    HeldFactors<Row::kPacks, Row::kWidth, loading> factors;
    row.forEach([&](int i, uint32_t at) { factors.load(rows, ofRow, i, at); });
    Moments const moments = team.joined(row.moments(rows.centers), rows);
    row.apply(rows, ofRow, factors, Line(rows, moments.mean, moments.squares));
    row.store(y, epilogue);
}

} // namespace tenon::cuda

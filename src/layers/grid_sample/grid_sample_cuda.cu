// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/grid_sample/grid_sample.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "layers/grid_sample/grid_taps.h"

#include <array>

namespace tenon::cuda {
namespace {

constexpr int kLeading = 2;          // N and C
constexpr int kMostSampled = 3;      // axes
constexpr int64_t kPerThread = 8;    // channels for which a thread computes the taps of its point once
constexpr int64_t kMostRows = 65535; // of blocks in a grid

struct Sampled {
    GridSample::Mode mode{};
    GridSample::Padding padding{};
    bool alignCorners = false;
    std::array<GridAxis, kMostSampled> axes;
    int64_t batch = 0;
    int64_t channels = 0;
    int64_t points = 0;  // of a batch item
    int64_t channel = 0; // elements
};

/// Adjacent threads have adjacent points, so that they write adjacent elements of a channel.
template <int rank, int taps, class T, class G>
__global__ void sampleGrid(T const* __restrict__ x, G const* __restrict__ grid, T* __restrict__ y,
                           __grid_constant__ Sampled const of) {
    forEachElement(of.batch * of.points, [&](int64_t i) {
        GridTaps axes[rank];
#pragma unroll
        for (int axis = 0; axis < rank; ++axis)
            axes[axis] = of.axes[static_cast<size_t>(axis)].taps(of.mode, of.padding, of.alignCorners,
                                                                 toFloat(grid[i * rank + rank - 1 - axis]));
        int64_t const row = i / of.points * of.channels;
        T const* const from = x + row * of.channel;
        T* const to = y + row * of.points + i % of.points;
        for (int64_t first = blockIdx.y * kPerThread; first < of.channels; first += gridDim.y * kPerThread) {
            for (int64_t c = first; c < first + kPerThread && c < of.channels; ++c)
                to[c * of.points] = convertTo<T>(gridSample<rank, taps>(from + c * of.channel, axes));
        }
    });
}

class Sampling final : public Executable {
public:
    explicit Sampling(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), gridType_(args.variant.inputs[1].type),
          rank_(args.inputs[0].rank() - kLeading) {
        auto const& layer = *as<GridSample>(*args.node.layer);
        Dims const& x = args.inputs[0];
        Dims const strides = rowMajorStrides(x);
        of_.mode = layer.mode;
        of_.padding = layer.padding;
        of_.alignCorners = layer.alignCorners;
        for (int axis = 0; axis < rank_; ++axis)
            of_.axes[static_cast<size_t>(axis)] = {x[kLeading + axis], strides[kLeading + axis]};
        of_.batch = x[0];
        of_.channels = x[1];
        of_.channel = strides[1];
        of_.points = args.inputs[1].volume(1, args.inputs[1].rank() - 1);
    }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(gridType_, [&]<class G>(TypeTag<G>) {
                switch (rank_) {
                case 1: return launchAs<1, T, G>(pointers);
                case 2: return launchAs<2, T, G>(pointers);
                default: return launchAs<kMostSampled, T, G>(pointers);
                }
            });
        });
        checkLaunch("sampling at a grid");
    }

private:
    template <int rank, class T, class G> void launchAs(Pointers const& pointers) const {
        switch (of_.mode) {
        case GridSample::Mode::Nearest: return launch<rank, 1, T, G>(pointers);
        case GridSample::Mode::Linear: return launch<rank, 2, T, G>(pointers);
        case GridSample::Mode::Cubic: return launch<rank, 4, T, G>(pointers);
        }
    }

    template <int rank, int taps, class T, class G> void launch(Pointers const& pointers) const {
        int64_t const rows = std::min((of_.channels + kPerThread - 1) / kPerThread, kMostRows);
        dim3 const blocks(blocksFor(of_.batch * of_.points), static_cast<unsigned>(rows));
        sampleGrid<rank, taps><<<blocks, kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<T const*>(pointers.inputs[0]), static_cast<G const*>(pointers.inputs[1]),
            static_cast<T*>(pointers.outputs[0]), of_);
    }

    DataType type_;
    DataType gridType_;
    int rank_;
    Sampled of_;
};

class CudaGridSample final : public Kernel {
public:
    std::string_view name() const override { return "cuda_grid_sample"; }

    // float, linear; the grid in the network's type
    Offer offer(KernelQuery const& query) const override {
        int const sampled = query.inputs[0].rank() - kLeading;
        if (sampled > kMostSampled) return Offer::refuse(text("supports sampling along up to 3 axes, not ", sampled));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            Label const grid{query.node.input(1)->type, Format::linear(), kCuda};
            Variant variant{.inputs = {label, grid}, .outputs = {label}};
            variant.cost = kernelCost(3.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Sampling>(args);
    }
};

constexpr CudaGridSample kGridSample;
constexpr Kernel const* kKernels[]{&kGridSample};

} // namespace

KernelList gridSampleKernels() { return {GridSample::kKind, kKernels}; }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/ragged_softmax/ragged_softmax.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

constexpr int kWarp = 32;

/// X [rows,length], bounds [rows] → Y [rows,length]. A warp processes one row at a time. Bounds out of range are
/// clamped.
template <class T>
__global__ void raggedRows(T const* __restrict__ x, int const* __restrict__ bounds, T* __restrict__ y, int64_t rows,
                           int64_t length) {
    int const lane = static_cast<int>(threadIdx.x) % kWarp;
    int64_t const warps = int64_t{gridDim.x} * blockDim.x / kWarp;
    for (int64_t row = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp; row < rows; row += warps) {
        int64_t const count = min(max(int64_t{bounds[row]}, int64_t{0}), length);
        T const* const from = x + row * length;
        T* const to = y + row * length;
        float most = -INFINITY;
        for (int64_t i = lane; i < count; i += kWarp) most = fmaxf(most, toFloat(from[i]));
        for (int step = kWarp / 2; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0U, most, step));
        float sum = 0;
        for (int64_t i = lane; i < count; i += kWarp) sum += expf(toFloat(from[i]) - most);
        for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_xor_sync(~0U, sum, step);
        for (int64_t i = lane; i < length; i += kWarp)
            to[i] = convertTo<T>(i < count ? expf(toFloat(from[i]) - most) / sum : 0.0F);
    }
}

class RunRagged final : public Executable {
public:
    explicit RunRagged(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), length_(args.inputs[0][args.inputs[0].rank() - 1]),
          rows_(args.inputs[0].volume() / length_) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            raggedRows<<<blocksFor(rows_ * kWarp), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[RaggedSoftmax::kX]),
                static_cast<int const*>(pointers.inputs[RaggedSoftmax::kBounds]), static_cast<T*>(pointers.outputs[0]),
                rows_, length_);
        });
        checkLaunch("ragged_softmax");
    }

private:
    DataType type_;
    int64_t length_;
    int64_t rows_;
};

class CudaRaggedSoftmax final : public Kernel {
public:
    std::string_view name() const override { return "cuda_ragged_softmax"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            auto const bytes = static_cast<double>(2 * bytesOf(query.inputs[0], label));
            offer.variants.push_back({.inputs = {label, {DataType::Int32, Format::linear(), kCuda}},
                                      .outputs = {label},
                                      .cost = kernelCost(bytes)});
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunRagged>(args);
    }
};

constexpr CudaRaggedSoftmax kRaggedSoftmax;
constexpr Kernel const* kKernels[]{&kRaggedSoftmax};

} // namespace

KernelList raggedSoftmaxKernels() { return {RaggedSoftmax::kKind, kKernels}; }

} // namespace tenon::cuda

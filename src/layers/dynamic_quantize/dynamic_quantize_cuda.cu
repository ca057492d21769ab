// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dynamic_quantize/dynamic_quantize.h"

#include "backends/cuda/launch.h"
#include "backends/cuda/numbers.cuh"

namespace tenon::cuda {
namespace {

constexpr int kWarp = 32;

__device__ void putScale(void* scales, DataType type, int64_t i, float scale) {
    switch (type) {
    case DataType::Float32: static_cast<float*>(scales)[i] = scale; break;
    case DataType::Float16: static_cast<__half*>(scales)[i] = __float2half_rn(scale); break;
    case DataType::BFloat16: static_cast<__nv_bfloat16*>(scales)[i] = __float2bfloat16_rn(scale); break;
    default: putSmall(type, scales, i, smallBits(type, scale)); break;
    }
}

/// The scale of each block: a warp processes one block after the other.
template <class X>
__global__ void findScales(X const* __restrict__ x, Numbers const outer, void* scales, DataType type, DataType to,
                           __grid_constant__ BlockGrid const grid) {
    int const lane = threadIdx.x % kWarp;
    int64_t const warps = int64_t{gridDim.x} * (blockDim.x / kWarp);
    for (int64_t block = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp; block < grid.blocks;
         block += warps) {
        float most = 0;
        for (int64_t i = lane; i < grid.perBlock; i += kWarp) {
            int64_t const at = grid.element(block, i);
            if (at >= 0) most = fmaxf(most, fabsf(toFloat(x[at])));
        }
        for (int step = kWarp / 2; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, step));
        if (lane == 0) putScale(scales, type, block, scaleFor(to, most, outer.data ? outer[0] : 1));
    }
}

/// X / scale: two elements per thread, which share a byte in 4-bit types.
template <class X>
__global__ void divideByScales(X const* __restrict__ x, Numbers const outer, Numbers const scales, void* y, DataType to,
                               __grid_constant__ BlockGrid const grid) {
    float const factor = outer.data ? outer[0] : 1;
    forEachElement((grid.elements + 1) / 2, [&](int64_t pair) {
        for (int64_t i = 2 * pair; i < grid.elements && i < 2 * pair + 2; ++i) {
            int64_t rest = i;
            int64_t block = 0;
            int64_t stride = 1;
            for (int axis = grid.rank - 1; axis >= 0; --axis) {
                auto const a = static_cast<size_t>(axis);
                block += rest % grid.extents[a] / grid.sizes[a] * stride;
                stride *= grid.counts[a];
                rest /= grid.extents[a];
            }
            float const scale = scales[block] * factor;
            putSmall(to, y, i, smallBits(to, byScale(toFloat(x[i]), scale)));
        }
    });
}

class RunDynamicQuantize final : public Executable {
public:
    explicit RunDynamicQuantize(PrepareArgs const& args)
        : grid_(gridOf(*as<DynamicQuantize>(*args.node.layer), args.inputs[0])), x_(args.variant.inputs[0].type),
          outer_(args.node.inputs().size() > 1 && args.node.input(1) != nullptr),
          outerType_(outer_ ? args.variant.inputs[1].type : DataType::Float32), y_(args.variant.outputs[0].type),
          scales_(args.variant.outputs[1].type) {}

    void run(Pointers const& pointers) override {
        if (grid_.elements == 0) return;
        Numbers const outer{outerType_, outer_ ? pointers.inputs[1] : nullptr};
        cudaStream_t const stream = streamOf(pointers.stream);
        dispatchFloat(x_, [&]<class X>(TypeTag<X>) {
            auto const* x = static_cast<X const*>(pointers.inputs[0]);
            findScales<<<blocksFor(grid_.blocks, kThreads / kWarp), kThreads, 0, stream>>>(
                x, outer, pointers.outputs[1], scales_, y_, grid_);
            divideByScales<<<blocksFor((grid_.elements + 1) / 2), kThreads, 0, stream>>>(
                x, outer, Numbers{scales_, pointers.outputs[1]}, pointers.outputs[0], y_, grid_);
        });
        checkLaunch("dynamic quantization");
    }

private:
    BlockGrid grid_;
    DataType x_;
    bool outer_;
    DataType outerType_;
    DataType y_;
    DataType scales_;
};

class CudaDynamicQuantize final : public Kernel {
public:
    std::string_view name() const override { return "cuda_dynamic_quantize"; }

    // any floating point X, dense
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const x{type, Format::linear(), kCuda};
            Variant variant{.inputs = {x}, .outputs = {}};
            if (query.node.inputs().size() > 1) {
                Tensor const* const outer = query.node.inputs()[1];
                variant.inputs.push_back({outer ? outer->type : DataType::Float32, Format::linear(), kCuda});
            }
            for (Tensor const* const output : query.node.outputs())
                variant.outputs.push_back({output->type, Format::linear(), kCuda});
            variant.cost = kernelCost(2.5 * static_cast<double>(bytesOf(query.inputs[0], x)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunDynamicQuantize>(args);
    }
};

constexpr CudaDynamicQuantize kDynamicQuantize;
constexpr Kernel const* kKernels[]{&kDynamicQuantize};

} // namespace

KernelList dynamicQuantizeKernels() { return {DynamicQuantize::kKind, kKernels}; }

} // namespace tenon::cuda

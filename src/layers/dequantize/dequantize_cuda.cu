// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "backends/cuda/launch.h"
#include "backends/cuda/numbers.cuh"
#include "backends/cuda/view.h"
#include "layers/block_scales.h"
#include "layers/quanta.h"

namespace tenon::cuda {
namespace {

struct Plan {
    ScaleMap scales;
    bool oneZero = true;
    bool wide = false; // differences of int32, which float32 cannot all represent
    int64_t count = 0;
};

__device__ float difference(Numbers const& x, Numbers const& zeros, Plan const& plan, int64_t i, int64_t place) {
    int64_t const at = plan.oneZero ? 0 : place;
    if (!plan.wide || zeros.data == nullptr) return x[i] - zeros[at];
    int64_t const zero = static_cast<int32_t const*>(zeros.data)[at];
    return static_cast<float>(int64_t{static_cast<int32_t const*>(x.data)[i]} - zero);
}

/// X [any], scales, zeros → Y [as X]: two elements per thread, which share a byte in 4-bit types.
template <class Y, class Index>
__global__ void dequantizeElements(Numbers const x, Numbers const scales, Numbers const zeros, Y* __restrict__ y,
                                   __grid_constant__ Plan const plan) {
    forEachElement((plan.count + 1) / 2, [&](int64_t pair) {
        for (int64_t i = 2 * pair; i < plan.count && i < 2 * pair + 2; ++i) {
            int64_t const place =
                plan.scales.rank == 0 ? 0 : static_cast<int64_t>(plan.scales.of<Index>(static_cast<Index>(i)));
            y[i] = convertTo<Y>(difference(x, zeros, plan, i, place) * scales[place]);
        }
    });
}

class RunDequantize final : public Executable {
public:
    explicit RunDequantize(PrepareArgs const& args)
        : x_(args.variant.inputs[0].type), scale_(args.variant.inputs[1].type), y_(args.variant.outputs[0].type) {
        auto const& layer = *as<Dequantize>(*args.node.layer);
        plan_.scales = scaleMapOf(args.inputs[0], args.inputs[1], layer.axis, layer.blocks);
        plan_.count = args.outputs[0].volume();
        plan_.wide = x_ == DataType::Int32;
        shifts_ = args.inputs.size() > 2 && args.node.input(2) != nullptr;
        plan_.oneZero = !shifts_ || args.inputs[2].volume() == 1;
    }

    void run(Pointers const& pointers) override {
        if (plan_.count == 0) return;
        dispatchFloat(y_, [&]<class Y>(TypeTag<Y>) {
            if (plan_.count < int64_t{1} << 31)
                launch<Y, uint32_t>(pointers);
            else
                launch<Y, int64_t>(pointers);
        });
        checkLaunch("dequantize");
    }

private:
    template <class Y, class Index> void launch(Pointers const& pointers) const {
        dequantizeElements<Y, Index><<<blocksFor((plan_.count + 1) / 2), kThreads, 0, streamOf(pointers.stream)>>>(
            Numbers{x_, pointers.inputs[0]}, Numbers{scale_, pointers.inputs[1]},
            Numbers{x_, shifts_ ? pointers.inputs[2] : nullptr}, static_cast<Y*>(pointers.outputs[0]), plan_);
    }

    DataType x_;
    DataType scale_;
    DataType y_;
    bool shifts_ = false;
    Plan plan_;
};

class CudaDequantize final : public Kernel {
public:
    std::string_view name() const override { return "cuda_dequantize"; }

    // X unchanged, Y in any floating point type, dense
    Offer offer(KernelQuery const& query) const override {
        Offer offer;
        for (DataType const type : query.typesOf(*query.node.output())) {
            Label const y{type, Format::linear(), kCuda};
            Variant variant{.inputs = {}, .outputs = {y}};
            for (Tensor const* const input : query.node.inputs())
                variant.inputs.push_back({input ? input->type : DataType::Float32, Format::linear(), kCuda});
            variant.cost = kernelCost(
                static_cast<double>(bytesOf(query.inputs[0], variant.inputs[0]) + bytesOf(query.inputs[0], y)));
            offer.variants.push_back(std::move(variant));
        }
        if (auto const quantum = quantumOf(query.node)) offerInt8Views(query, *quantum, offer);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (args.variant.view) return makeView(args);
        return std::make_unique<RunDequantize>(args);
    }
};

constexpr CudaDequantize kDequantize;
constexpr Kernel const* kKernels[]{&kDequantize};

} // namespace

KernelList dequantizeKernels() { return {Dequantize::kKind, kKernels}; }

} // namespace tenon::cuda

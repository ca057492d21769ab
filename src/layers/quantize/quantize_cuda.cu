// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantize/quantize.h"

#include "backends/cuda/launch.h"
#include "backends/cuda/numbers.cuh"
#include "backends/cuda/view.h"
#include "layers/block_scales.h"
#include "layers/quanta.h"
#include "layers/quantize/quantizer.h"

namespace tenon::cuda {
namespace {

struct Plan {
    Quantizer quantizer;
    ScaleMap scales;
    bool oneZero = true;
    DataType to = DataType::Int8;
    int64_t count = 0;
};

template <class Index> struct Place { // of the scale of element i
    __device__ static int64_t of(ScaleMap const& map, int64_t i) {
        return map.rank == 0 ? 0 : static_cast<int64_t>(map.of<Index>(static_cast<Index>(i)));
    }
};

__device__ void put(void* y, DataType to, int64_t i, float number) {
    switch (to) {
    case DataType::Int8: static_cast<int8_t*>(y)[i] = static_cast<int8_t>(number); break;
    case DataType::UInt8: static_cast<uint8_t*>(y)[i] = static_cast<uint8_t>(number); break;
    case DataType::Int32: static_cast<int32_t*>(y)[i] = static_cast<int32_t>(number); break;
    case DataType::Float16: static_cast<__half*>(y)[i] = __float2half_rn(number); break;
    default: putSmall(to, y, i, smallBits(to, number)); break;
    }
}

/// X [any], scales, zeros → Y [as X]: two elements per thread, as they may share a byte.
template <class X, class Index>
__global__ void quantizeElements(X const* __restrict__ x, Numbers const scales, Numbers const zeros, void* y,
                                 __grid_constant__ Plan const plan) {
    forEachElement((plan.count + 1) / 2, [&](int64_t pair) {
        for (int64_t i = 2 * pair; i < plan.count && i < 2 * pair + 2; ++i) {
            int64_t const place = Place<Index>::of(plan.scales, i);
            float const zero = zeros[plan.oneZero ? 0 : place];
            put(y, plan.to, i, plan.quantizer(toFloat(x[i]), scales[place], zero));
        }
    });
}

class RunQuantize final : public Executable {
public:
    explicit RunQuantize(PrepareArgs const& args)
        : x_(args.variant.inputs[0].type), scale_(args.variant.inputs[1].type) {
        auto const& layer = *as<Quantize>(*args.node.layer);
        plan_.quantizer = quantizerOf(layer);
        plan_.scales = scaleMapOf(args.inputs[0], args.inputs[1], layer.axis, layer.blocks);
        plan_.to = args.variant.outputs[0].type;
        plan_.count = args.outputs[0].volume();
        shifts_ = args.inputs.size() > 2 && args.node.input(2) != nullptr;
        plan_.oneZero = !shifts_ || args.inputs[2].volume() == 1;
    }

    void run(Pointers const& pointers) override {
        if (plan_.count == 0) return;
        dispatchFloat(x_, [&]<class X>(TypeTag<X>) {
            if (plan_.count < int64_t{1} << 31)
                launch<X, uint32_t>(pointers);
            else
                launch<X, int64_t>(pointers);
        });
        checkLaunch("quantize");
    }

private:
    template <class X, class Index> void launch(Pointers const& pointers) const {
        quantizeElements<X, Index><<<blocksFor((plan_.count + 1) / 2), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<X const*>(pointers.inputs[0]), Numbers{scale_, pointers.inputs[1]},
            Numbers{plan_.to, shifts_ ? pointers.inputs[2] : nullptr}, pointers.outputs[0], plan_);
    }

    DataType x_;
    DataType scale_;
    bool shifts_ = false;
    Plan plan_;
};

class CudaQuantize final : public Kernel {
public:
    std::string_view name() const override { return "cuda_quantize"; }

    // any floating point X, dense
    Offer offer(KernelQuery const& query) const override {
        Offer offer = offerFloats(query, [&](DataType type, Offer& offer) {
            Label const x{type, Format::linear(), kCuda};
            Label const y{query.node.output()->type, Format::linear(), kCuda};
            Variant variant{.inputs = {x}, .outputs = {y}};
            for (size_t i = 1; i < query.node.inputs().size(); ++i) {
                Tensor const* const other = query.node.inputs()[i];
                variant.inputs.push_back({other ? other->type : DataType::Float32, Format::linear(), kCuda});
            }
            variant.cost = kernelCost(static_cast<double>(bytesOf(query.inputs[0], x) + bytesOf(query.inputs[0], y)));
            offer.variants.push_back(std::move(variant));
        });
        if (auto const quantum = quantumOf(query.node)) offerInt8Views(query, *quantum, offer);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (args.variant.view) return makeView(args);
        return std::make_unique<RunQuantize>(args);
    }
};

constexpr CudaQuantize kQuantize;
constexpr Kernel const* kKernels[]{&kQuantize};

} // namespace

KernelList quantizeKernels() { return {Quantize::kKind, kKernels}; }

} // namespace tenon::cuda

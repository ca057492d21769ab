// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "base/cast_element.h"

namespace tenon::cuda {
namespace {

template <class X> constexpr bool kIsHalf = std::is_same_v<X, __half> || std::is_same_v<X, __nv_bfloat16>;

/// castElement() for what a kernel reads and writes elements as.
template <class X, class Y> __device__ Y castTo(X x) {
    if constexpr (kIsHalf<X>)
        return castTo<float, Y>(toFloat(x));
    else if constexpr (kIsHalf<Y>)
        return convertTo<Y>(static_cast<float>(x));
    else
        return castElement<X, Y>(x);
}

/// X [any] → Y [the same], in the order of memory; the padding of blocks stays zero in every type. All threads take the
/// same branches, so one kernel for all pairs of types is fast enough.
template <class X> __global__ void castElements(X const* x, void* y, DataType to, int64_t count) {
    forEachElement(count, [&](int64_t i) {
        X const value = x[i];
        switch (to) {
        case DataType::Float16: static_cast<__half*>(y)[i] = castTo<X, __half>(value); break;
        case DataType::BFloat16: static_cast<__nv_bfloat16*>(y)[i] = castTo<X, __nv_bfloat16>(value); break;
        case DataType::Int8: static_cast<int8_t*>(y)[i] = castTo<X, int8_t>(value); break;
        case DataType::UInt8: static_cast<uint8_t*>(y)[i] = castTo<X, uint8_t>(value); break;
        case DataType::Int32: static_cast<int32_t*>(y)[i] = castTo<X, int32_t>(value); break;
        case DataType::Int64: static_cast<int64_t*>(y)[i] = castTo<X, int64_t>(value); break;
        case DataType::Bool: static_cast<bool*>(y)[i] = castTo<X, bool>(value); break;
        default: static_cast<float*>(y)[i] = castTo<X, float>(value); break;
        }
    });
}

class RunCast final : public Executable {
public:
    explicit RunCast(PrepareArgs const& args)
        : from_(args.variant.inputs[0].type), to_(args.variant.outputs[0].type),
          count_(paddedVolume(args.outputs[0], args.variant.outputs[0].format)) {}

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchElement(from_, [&]<class X>(TypeTag<X>) {
            castElements<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<X const*>(pointers.inputs[0]), pointers.outputs[0], to_, count_);
        });
        checkLaunch("cast");
    }

private:
    DataType from_;
    DataType to_;
    int64_t count_;
};

class CudaCast final : public Kernel {
public:
    std::string_view name() const override { return "cuda_cast"; }

    // any two types in any format that both have
    Offer offer(KernelQuery const& query) const override {
        auto const formats = formatsOf(hasChannels(query.inputs[0].rank()), {Format::nhwc(), Format::nhwc(8)});
        return offerTypes(query, *query.node.input(0), [&](DataType from, Offer& offer) {
            for (DataType to : query.typesOf(*query.node.output())) {
                for (Format const& format : formats) add(query, {from, format, kCuda}, {to, format, kCuda}, offer);
            }
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunCast>(args);
    }

private:
    static void add(KernelQuery const& query, Label const& x, Label const& y, Offer& offer) {
        auto const bytes = static_cast<double>(bytesOf(query.inputs[0], x) + bytesOf(query.inputs[0], y));
        offer.variants.push_back({.inputs = {x}, .outputs = {y}, .cost = kernelCost(bytes)});
    }
};

constexpr CudaCast kCast;
constexpr Kernel const* kKernels[]{&kCast};

} // namespace

KernelList castKernels() { return {Cast::kKind, kKernels}; }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "base/small_types.h"

namespace tenon::cuda {
namespace {

template <class X> constexpr bool kIsHalf = std::is_same_v<X, __half> || std::is_same_v<X, __nv_bfloat16>;

/// castElement() for the element types of a kernel.
template <class X, class Y> __device__ Y castTo(X x) {
    if constexpr (kIsHalf<X>)
        return castTo<float, Y>(toFloat(x));
    else if constexpr (kIsHalf<Y>)
        return convertTo<Y>(static_cast<float>(x));
    else
        return castElement<X, Y>(x);
}

template <class X> __device__ void store(void* y, DataType to, int64_t i, X value) {
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
}

/// X [any] → Y [the same], in memory order; the padding of blocks stays zero in every type. Branches are uniform across
/// threads, so one kernel for all pairs of types is fast enough.
template <class X> __global__ void castElements(X const* x, void* y, DataType to, int64_t count) {
    forEachElement(count, [&](int64_t i) { store(y, to, i, x[i]); });
}

/// The same if one of the types is small: two elements per thread, as they may share a byte.
template <class Load> __device__ void castPair(Load const& load, void* y, DataType to, int64_t first, int64_t count) {
    for (int64_t i = first; i < count && i < first + 2; ++i) {
        auto const value = load(i);
        if (isSmall(to))
            putSmall(to, y, i, smallBits(to, value));
        else
            store(y, to, i, value);
    }
}

__global__ void castFromSmall(void const* x, DataType from, void* y, DataType to, int64_t count) {
    forEachElement((count + 1) / 2, [&](int64_t pair) {
        if (from == DataType::Int4)
            castPair([&](int64_t i) { return static_cast<int32_t>(smallElement(from, x, i)); }, y, to, 2 * pair, count);
        else
            castPair([&](int64_t i) { return smallElement(from, x, i); }, y, to, 2 * pair, count);
    });
}

/// To a small type.
template <class X> __global__ void castToSmall(X const* x, void* y, DataType to, int64_t count) {
    forEachElement((count + 1) / 2, [&](int64_t pair) {
        castPair(
            [&](int64_t i) {
                if constexpr (kIsHalf<X>)
                    return toFloat(x[i]);
                else
                    return x[i];
            },
            y, to, 2 * pair, count);
    });
}

class RunCast final : public Executable {
public:
    explicit RunCast(PrepareArgs const& args)
        : from_(args.variant.inputs[0].type), to_(args.variant.outputs[0].type),
          count_(paddedVolume(args.outputs[0], args.variant.outputs[0].format)) {}

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        if (isSmall(from_) || isSmall(to_)) return runSmall(pointers);
        dispatchElement(from_, [&]<class X>(TypeTag<X>) {
            castElements<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<X const*>(pointers.inputs[0]), pointers.outputs[0], to_, count_);
        });
        checkLaunch("cast");
    }

private:
    void runSmall(Pointers const& pointers) const {
        void const* const x = pointers.inputs[0];
        void* const y = pointers.outputs[0];
        cudaStream_t const stream = streamOf(pointers.stream);
        unsigned const blocks = blocksFor((count_ + 1) / 2);
        if (isSmall(from_))
            castFromSmall<<<blocks, kThreads, 0, stream>>>(x, from_, y, to_, count_);
        else
            dispatchElement(from_, [&]<class X>(TypeTag<X>) {
                castToSmall<<<blocks, kThreads, 0, stream>>>(static_cast<X const*>(x), y, to_, count_);
            });
        checkLaunch("cast");
    }

    DataType from_;
    DataType to_;
    int64_t count_;
};

class CudaCast final : public Kernel {
public:
    std::string_view name() const override { return "cuda_cast"; }

    // any two types in any format that both have
    Offer offer(KernelQuery const& query) const override {
        bool const small = isSmall(query.node.input(0)->type) || isSmall(query.node.output()->type);
        auto const formats =
            formatsOf(!small && hasChannels(query.inputs[0].rank()), {Format::nhwc(), Format::nhwc(8)});
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

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/lrn/lrn.h"

#include "backends/cuda/divider.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// The fields of the layer, and X [N,C,J].
struct LrnSpace {
    int64_t before; // channels that are summed, besides the own one
    int64_t behind;
    float scale; // alpha / window
    float beta;
    float k;
    Divider inner;
    Divider channels;
};

/// One thread per element; adjacent threads read cached elements.
template <class T>
__global__ void normalizeChannels(T const* __restrict__ x, T* __restrict__ y, uint32_t count,
                                  __grid_constant__ LrnSpace const space) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const row = space.inner.divide(static_cast<uint32_t>(i));
        int64_t const channels = space.channels.divisor();
        int64_t const c = row - space.channels.divide(row) * space.channels.divisor();
        int64_t const first = max(c - space.before, int64_t{0});
        int64_t const last = min(c + space.behind, channels - 1);
        float sum = 0;
        for (int64_t other = first; other <= last; ++other) {
            float const value = toFloat(x[i + (other - c) * space.inner.divisor()]);
            sum += value * value;
        }
        y[i] = convertTo<T>(toFloat(x[i]) / powf(space.k + space.scale * sum, space.beta));
    });
}

class Normalizing final : public Executable {
public:
    explicit Normalizing(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), count_(static_cast<uint32_t>(args.inputs[0].volume())) {
        auto const& layer = *as<Lrn>(*args.node.layer);
        Dims const& x = args.inputs[0];
        if (x.volume() > INT32_MAX)
            fail(ErrorCode::Unsupported, args.node, ": input 0 ", x, " has more than 2^31 - 1 elements");
        if (count_ == 0) return;
        // limited by the number of channels, so that 32 bits suffice
        space_.before = std::min((layer.window - 1) / 2, x[1]);
        space_.behind = std::min(layer.window / 2, x[1]);
        space_.scale = static_cast<float>(layer.alpha / static_cast<double>(layer.window));
        space_.beta = static_cast<float>(layer.beta);
        space_.k = static_cast<float>(layer.k);
        space_.inner = Divider(static_cast<uint32_t>(x.volume(2, x.rank())));
        space_.channels = Divider(static_cast<uint32_t>(x[1]));
    }

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            normalizeChannels<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), count_, space_);
        });
        checkLaunch("local response normalization");
    }

private:
    DataType type_;
    uint32_t count_;
    LrnSpace space_{};
};

class CudaLrn final : public Kernel {
public:
    std::string_view name() const override { return "cuda_lrn"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            auto const bytes = static_cast<double>(2 * bytesOf(query.inputs[0], label));
            offer.variants.push_back({.inputs = {label}, .outputs = {label}, .cost = kernelCost(bytes)});
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Normalizing>(args);
    }
};

constexpr CudaLrn kLrn;
constexpr Kernel const* kKernels[]{&kLrn};

} // namespace

KernelList lrnKernels() { return {Lrn::kKind, kKernels}; }

} // namespace tenon::cuda

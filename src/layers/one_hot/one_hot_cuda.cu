// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/one_hot/one_hot.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indices.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// Y [O,D,J], as rows of J elements.
struct OneHotSpace {
    Divider inner; // J
    Divider depth; // D
};

/// Y[o,d,j] = d == indices[o,j] ? on : off
template <class T>
__global__ void setPlaces(Indices const indices, T const* __restrict__ values, T* __restrict__ y, uint32_t count,
                          __grid_constant__ OneHotSpace const space) {
    forEachElement(count, [&](int64_t i) {
        auto const element = static_cast<uint32_t>(i);
        uint32_t const row = space.inner.divide(element);
        uint32_t const outer = space.depth.divide(row);
        uint32_t const place = row - outer * space.depth.divisor();
        int64_t const j = element - row * space.inner.divisor();
        int64_t const index = inside(indices[int64_t{outer} * space.inner.divisor() + j], space.depth.divisor());
        y[i] = values[index == place ? 1 : 0];
    });
}

class Setting final : public Executable {
public:
    explicit Setting(PrepareArgs const& args)
        : type_(args.variant.outputs[0].type), wide_(args.variant.inputs[OneHot::kIndices].type == DataType::Int64),
          count_(counted(args.outputs[0].volume())) {
        Dims const& y = args.outputs[0];
        int const axis = resolveAxis(as<OneHot>(*args.node.layer)->axis, y.rank());
        if (count_ == 0) return;
        space_.depth = Divider(counted(y[axis]));
        space_.inner = Divider(counted(y.volume(axis + 1, y.rank())));
    }

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchSize(type_, [&]<class T>(TypeTag<T>) {
            setPlaces<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                Indices{pointers.inputs[OneHot::kIndices], wide_},
                static_cast<T const*>(pointers.inputs[OneHot::kValues]), static_cast<T*>(pointers.outputs[0]), count_,
                space_);
        });
        checkLaunch("one hot");
    }

private:
    DataType type_;
    bool wide_;
    uint32_t count_;
    OneHotSpace space_;
};

class CudaOneHot final : public Kernel {
public:
    std::string_view name() const override { return "cuda_one_hot"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 1}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Setting>(args);
    }
};

constexpr CudaOneHot kOneHot;
constexpr Kernel const* kKernels[]{&kOneHot};

} // namespace

KernelList oneHotKernels() { return {OneHot::kKind, kKernels}; }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/col2im/col2im.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/host_lists.h"
#include "graph/elements.h"
#include "layers/col2im/column_places.h"

namespace tenon::cuda {
namespace {

/// Each thread gathers the columns of its element, so that no atomic additions are required.
template <class T>
__global__ void gatherColumns(T const* __restrict__ columns, T* __restrict__ y, int64_t count,
                              __grid_constant__ ColumnPlaces const places) {
    using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
    forEachElement(count, [&](int64_t i) {
        int64_t const channel = i / places.picture;
        T const* const from = columns + channel * places.block * places.places;
        y[i] = convertTo<T>(places.at<Sum>(from, i - channel * places.picture));
    });
}

class Gathering final : public Executable {
public:
    explicit Gathering(PrepareArgs const& args)
        : layer_(*as<Col2Im>(*args.node.layer)), type_(args.variant.inputs[0].type), y_(args.outputs[0]),
          lists_(args.node, args.inputs) {
        if (lists_.known()) plan();
    }

    void run(Pointers const& pointers) override {
        if (lists_.update(pointers)) plan();
        dispatchElement(type_, [&]<class T>(TypeTag<T>) {
            gatherColumns<<<blocksFor(y_.volume()), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), y_.volume(), places_);
        });
        checkLaunch("image of columns");
    }

private:
    void plan() { places_ = ColumnPlaces(layer_, y_, integersIn(lists_.tensors()[Col2Im::kBlock])); }

    Col2Im const& layer_; // owned by the engine's graph
    DataType type_;
    Dims y_;
    HostLists lists_;
    ColumnPlaces places_;
};

class CudaCol2Im final : public Kernel {
public:
    std::string_view name() const override { return "cuda_col2im"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {1}, .writes = 1}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Gathering>(args);
    }
};

constexpr CudaCol2Im kCol2Im;
constexpr Kernel const* kKernels[]{&kCol2Im};

} // namespace

KernelList col2imKernels() { return {Col2Im::kKind, kKernels}; }

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/affine_grid/affine_grid.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "layers/affine_grid/affine_points.h"

namespace tenon::cuda {
namespace {

template <class T>
__global__ void affineGrid(T const* __restrict__ theta, T* __restrict__ grid, int64_t count,
                           AffinePoints const points) {
    forEachElement(count, [&](int64_t i) {
        int64_t const item = i / points.count;
        T const* const matrix = theta + item * points.axes * (points.axes + 1);
        T* const to = grid + i * points.axes;
        points.at(matrix, i - item * points.count,
                  [&](int axis, float coordinate) { to[axis] = convertTo<T>(coordinate); });
    });
}

class MakingGrid final : public Executable {
public:
    explicit MakingGrid(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), points_(args.outputs[0], as<AffineGrid>(*args.node.layer)->alignCorners),
          count_(args.outputs[0][0] * points_.count) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            affineGrid<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), count_, points_);
        });
        checkLaunch("affine grid");
    }

private:
    DataType type_;
    AffinePoints points_;
    int64_t count_;
};

class CudaAffineGrid final : public Kernel {
public:
    std::string_view name() const override { return "cuda_affine_grid"; }

    // float, linear, in the network's type: rounding would move the points
    Offer offer(KernelQuery const& query) const override {
        Label const label{query.node.input(0)->type, Format::linear(), kCuda};
        Label const size{query.node.input(1)->type, Format::linear(), Device::Cpu};
        Variant variant{.inputs = {label, size}, .outputs = {label}};
        variant.cost = kernelCost(static_cast<double>(bytesOf(query.outputs[0], label)));
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<MakingGrid>(args);
    }
};

constexpr CudaAffineGrid kAffineGrid;
constexpr Kernel const* kKernels[]{&kAffineGrid};

} // namespace

KernelList affineGridKernels() { return {AffineGrid::kKind, kKernels}; }

} // namespace tenon::cuda

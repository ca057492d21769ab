// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/affine_grid/affine_grid.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "base/parallel.h"
#include "layers/affine_grid/affine_points.h"

namespace tenon::cpu {
namespace {

class MakingGrid final : public Executable {
public:
    explicit MakingGrid(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), points_(args.outputs[0], as<AffineGrid>(*args.node.layer)->alignCorners),
          count_(args.outputs[0][0] * points_.count) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            parallelFor(count_, 4096, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                    writePoint(static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), i);
            });
        });
    }

private:
    template <class T> void writePoint(T const* theta, T* grid, int64_t i) const {
        int64_t const item = i / points_.count;
        T* const to = grid + i * points_.axes;
        points_.at(theta + item * points_.axes * (points_.axes + 1), i - item * points_.count,
                   [&](int axis, float coordinate) { to[axis] = T(coordinate); });
    }

    DataType type_;
    AffinePoints points_;
    int64_t count_;
};

class CpuAffineGrid final : public Kernel {
public:
    std::string_view name() const override { return "affine_grid"; }

    // float, linear, in the network's type: rounding would move the points
    Offer offer(KernelQuery const& query) const override {
        Label const label{query.node.input(0)->type, Format::linear(), Device::Cpu};
        Label const size{query.node.input(1)->type, Format::linear(), Device::Cpu};
        Variant variant{.inputs = {label, size}, .outputs = {label}};
        variant.cost = memoryCost(4.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<MakingGrid>(args);
    }
};

constexpr CpuAffineGrid kAffineGrid;
constexpr Kernel const* kKernels[]{&kAffineGrid};

} // namespace

KernelList affineGridKernels() { return {AffineGrid::kKind, kKernels}; }

} // namespace tenon::cpu

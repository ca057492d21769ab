// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/trilu/trilu.h"

#include "backends/cuda/divider.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "graph/elements.h"

namespace tenon::cuda {
namespace {

struct Triangles {
    Divider columns;
    Divider rows;
    uint32_t count = 0; // elements of X
    bool upper = true;
    bool wide = false; // k is int64
};

/// X [any,N,M] → Y [the same]. Threads process adjacent elements.
template <class T>
__global__ void cutTriangles(T const* __restrict__ x, T* __restrict__ y, void const* k,
                             __grid_constant__ Triangles const of) {
    int64_t diagonal = 0;
    if (k) diagonal = of.wide ? *static_cast<int64_t const*>(k) : *static_cast<int32_t const*>(k);
    forEachElement(of.count, [&](int64_t i) {
        auto const at = static_cast<uint32_t>(i);
        uint32_t const line = of.columns.divide(at);
        int64_t const column = at - line * of.columns.divisor();
        int64_t const row = line - of.rows.divide(line) * of.rows.divisor();
        bool const stays = of.upper ? column - row >= diagonal : column - row <= diagonal;
        y[i] = stays ? x[i] : T{};
    });
}

class CuttingTriangles final : public Executable {
public:
    explicit CuttingTriangles(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), given_(args.node.input(1) != nullptr) {
        Dims const& x = args.inputs[0];
        int64_t const count = x.volume();
        if (count >= int64_t{1} << 31)
            fail(ErrorCode::Unsupported, "a tensor of ", count, " elements; expected fewer than 2^31");
        if (count == 0) return;
        triangles_ = {Divider(static_cast<uint32_t>(x[x.rank() - 1])), Divider(static_cast<uint32_t>(x[x.rank() - 2])),
                      static_cast<uint32_t>(count), as<Trilu>(*args.node.layer)->upper,
                      given_ && args.variant.inputs[1].type == DataType::Int64};
    }

    void run(Pointers const& pointers) override {
        if (triangles_.count == 0) return;
        dispatchSize(type_, [&]<class T>(TypeTag<T>) {
            cutTriangles<<<blocksFor(triangles_.count), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]),
                given_ ? pointers.inputs[1] : nullptr, triangles_);
        });
        checkLaunch("trilu");
    }

private:
    DataType type_;
    bool given_; // k
    Triangles triangles_;
};

class CudaTrilu final : public Kernel {
public:
    std::string_view name() const override { return "cuda_trilu"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 1.5}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<CuttingTriangles>(args);
    }
};

constexpr CudaTrilu kTrilu;
constexpr Kernel const* kKernels[]{&kTrilu};

} // namespace

KernelList triluKernels() { return {Trilu::kKind, kKernels}; }

} // namespace tenon::cuda

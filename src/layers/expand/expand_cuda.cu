// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/expand/expand.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/strided_copy.h"

namespace tenon::cuda {
namespace {

class Repeating final : public Executable {
public:
    Repeating(DataType type, Dims const& x, Dims const& y)
        : copier_({type, y, broadcastStrides(x, y), rowMajorStrides(y)}) {}

    void run(Pointers const& pointers) override {
        copier_.launch(pointers.inputs[0], pointers.outputs[0], pointers.stream);
    }

private:
    StridedCopier copier_;
};

class CudaExpand final : public Kernel {
public:
    std::string_view name() const override { return "cuda_expand"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {1}, .writes = 1}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Repeating>(args.variant.inputs[0].type, args.inputs[0], args.outputs[0]);
    }
};

constexpr CudaExpand kExpand;
constexpr Kernel const* kKernels[]{&kExpand};

} // namespace

KernelList expandKernels() { return {Expand::kKind, kKernels}; }

} // namespace tenon::cuda

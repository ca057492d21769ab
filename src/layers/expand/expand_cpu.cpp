// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/expand/expand.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/strided_copy.h"
#include "graph/elements.h"

namespace tenon::cpu {
namespace {

class Repeating final : public Executable {
public:
    Repeating(Dims const& x, Dims const& y, size_t elementBytes)
        : copy_(y, broadcastStrides(x, y), rowMajorStrides(y), elementBytes) {}

    void run(Pointers const& pointers) override { copy_.run(pointers.inputs[0], pointers.outputs[0]); }

private:
    StridedCopy copy_;
};

class CpuExpand final : public Kernel {
public:
    std::string_view name() const override { return "expand"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Repeating>(args.inputs[0], args.outputs[0], elementBytes(args.variant.inputs[0].type));
    }
};

constexpr CpuExpand kExpand;
constexpr Kernel const* kKernels[]{&kExpand};

} // namespace

KernelList expandKernels() { return {Expand::kKind, kKernels}; }

} // namespace tenon::cpu

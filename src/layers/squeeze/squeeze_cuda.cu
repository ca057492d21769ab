// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "backends/cuda/view.h"

namespace tenon::cuda {
namespace {

class ViewSqueeze final : public Kernel {
public:
    std::string_view name() const override { return "cuda_view"; }
    Offer offer(KernelQuery const& query) const override { return offerView(query); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

constexpr ViewSqueeze kView;
constexpr Kernel const* kKernels[]{&kView};

} // namespace

KernelList squeezeKernels() { return {Squeeze::kKind, kKernels}; }

} // namespace tenon::cuda

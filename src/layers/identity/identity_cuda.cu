// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/identity/identity.h"

#include "backends/cuda/view.h"

namespace tenon::cuda {
namespace {

class ViewIdentity final : public Kernel {
public:
    std::string_view name() const override { return "cuda_view"; }
    Offer offer(KernelQuery const& query) const override { return offerView(query); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

constexpr ViewIdentity kView;
constexpr Kernel const* kKernels[]{&kView};

} // namespace

KernelList identityKernels() { return {Identity::kKind, kKernels}; }

} // namespace tenon::cuda

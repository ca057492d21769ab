// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/bit_cast/bit_cast.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/view.h"

namespace tenon::cuda {
namespace {

class BitCastKernel final : public Kernel {
public:
    std::string_view name() const override { return "cuda_bit_cast"; }

    // in the network's own types: other types have other bits
    Offer offer(KernelQuery const& query) const override {
        Label const x{query.node.input(0)->type, Format::linear(), kCuda};
        Label const y{query.node.output()->type, Format::linear(), kCuda};
        return {{{.inputs = {x}, .outputs = {y}, .cost = 0, .view = true}}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

constexpr BitCastKernel kBitCast;
constexpr Kernel const* kKernels[]{&kBitCast};

} // namespace

KernelList bitCastKernels() { return {BitCast::kKind, kKernels}; }

} // namespace tenon::cuda

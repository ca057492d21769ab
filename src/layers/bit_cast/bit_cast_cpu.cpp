// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/bit_cast/bit_cast.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/view.h"

namespace tenon::cpu {
namespace {

class BitCastKernel final : public Kernel {
public:
    std::string_view name() const override { return "bit_cast"; }

    // in the network's own types: other types have other bits
    Offer offer(KernelQuery const& query) const override {
        Label const x{query.node.input(0)->type, Format::linear(), Device::Cpu};
        Label const y{query.node.output()->type, Format::linear(), Device::Cpu};
        return {{{.inputs = {x}, .outputs = {y}, .cost = 0, .view = true}}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

constexpr BitCastKernel kBitCast;
constexpr Kernel const* kKernels[]{&kBitCast};

} // namespace

KernelList bitCastKernels() { return {BitCast::kKind, kKernels}; }

} // namespace tenon::cpu

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/onednn_convolution.h"
#include "layers/deconvolution/tile_deconvolution_cpu.h"

namespace tenon::cpu {
namespace {

DnnlConvolution geometry(Node const& node, std::span<Dims const> inputs) {
    auto const& layer = *as<Deconvolution>(*node.layer);
    return {true, layer.groups, fixed(slidesOf(layer, toShape(inputs[0]), toShape(inputs[1]))), layer.epilogue};
}

class OneDnnDeconvolution final : public Kernel {
public:
    std::string_view name() const override { return "onednn_deconvolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerConvolution(query, geometry(query.node, query.inputs));
    }

    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return packConvolution(args, geometry(args.node, args.inputs)); });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return prepareConvolution(args, geometry(args.node, args.inputs)); });
    }
};

constexpr OneDnnDeconvolution kOneDnn;
Kernel const* const kKernels[]{&tileDeconvolution(), &kOneDnn};

} // namespace

KernelList deconvolutionKernels() { return {Deconvolution::kKind, kKernels}; }

} // namespace tenon::cpu

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cudnn_convolution.h"
#include "backends/cuda/direct_convolution.h"
#include "layers/deconvolution/patch_cuda.h"

namespace tenon::cuda {
namespace {

ConvolutionShape shapeOf(Node const& node, std::span<Dims const> inputs) {
    auto const& layer = *as<Deconvolution>(*node.layer);
    return {true, layer.groups, fixed(slidesOf(layer, toShape(inputs[0]), toShape(inputs[1]))), layer.epilogue};
}

class CudnnDeconvolution final : public Kernel {
public:
    std::string_view name() const override { return "cudnn_deconvolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerCudnnConvolution(query, shapeOf(query.node, query.inputs));
    }
    Packed pack(PrepareArgs const& args) const override {
        return packCudnnConvolution(args, shapeOf(args.node, args.inputs));
    }
    std::string packKey(Variant const& variant) const override { return cudnnConvolutionKey(variant); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return prepareCudnnConvolution(args, shapeOf(args.node, args.inputs));
    }
};

class CudaDirectDeconvolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_direct_deconvolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerDirectConvolution(query, shapeOf(query.node, query.inputs));
    }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return prepareDirectConvolution(args, shapeOf(args.node, args.inputs));
    }
};

constexpr CudnnDeconvolution kCudnn;
constexpr CudaDirectDeconvolution kDirect;
Kernel const* const kKernels[]{&patchDeconvolution(), &kCudnn, &kDirect};

} // namespace

KernelList deconvolutionKernels() { return {Deconvolution::kKind, kKernels}; }

} // namespace tenon::cuda

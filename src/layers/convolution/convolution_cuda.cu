// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cudnn_convolution.h"
#include "backends/cuda/cudnn_int8_convolution.h"
#include "backends/cuda/direct_convolution.h"
#include "layers/convolution/depthwise_cuda.h"

namespace tenon::cuda {
namespace {

ConvolutionShape shapeOf(Node const& node, std::span<Dims const> inputs) {
    auto const& layer = *as<Convolution>(*node.layer);
    return {false, layer.groups, slidesOf(layer, inputs[0], inputs[1]), layer.epilogue};
}

class CudnnConvolution final : public Kernel {
public:
    std::string_view name() const override { return "cudnn_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerCudnnConvolution(query, shapeOf(query.node, query.inputs));
    }
    std::vector<int64_t> tactics(Variant const& variant) const override { return cudnnConvolutionTactics(variant); }
    Packed pack(PrepareArgs const& args) const override {
        return packCudnnConvolution(args, shapeOf(args.node, args.inputs));
    }
    std::string packKey(Variant const& variant) const override { return cudnnConvolutionKey(variant); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return prepareCudnnConvolution(args, shapeOf(args.node, args.inputs));
    }
};

class CudnnInt8Convolution final : public Kernel {
public:
    std::string_view name() const override { return "cudnn_int8_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerInt8Convolution(query, shapeOf(query.node, query.inputs));
    }
    Packed pack(PrepareArgs const& args) const override {
        return packInt8Convolution(args, shapeOf(args.node, args.inputs));
    }
    std::string packKey(Variant const& variant) const override { return int8ConvolutionKey(variant); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return prepareInt8Convolution(args, shapeOf(args.node, args.inputs));
    }
};

class CudaDirectConvolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_direct_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerDirectConvolution(query, shapeOf(query.node, query.inputs));
    }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return prepareDirectConvolution(args, shapeOf(args.node, args.inputs));
    }
};

constexpr CudnnConvolution kCudnn;
constexpr CudnnInt8Convolution kInt8;
constexpr CudaDirectConvolution kDirect;
Kernel const* const kKernels[]{&depthwiseConvolution(), &kInt8, &kCudnn, &kDirect};

} // namespace

KernelList convolutionKernels() { return {Convolution::kKind, kKernels}; }

} // namespace tenon::cuda

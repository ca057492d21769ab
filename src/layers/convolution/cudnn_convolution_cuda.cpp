// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/cudnn_convolution_cuda.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/libraries.h"
#include "backends/packed.h"
#include "base/text.h"
#include "layers/convolution/cudnn_plan_cuda.h"
#include "layers/convolution/weight_layout_cuda.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

/// Floating point operations a nanosecond that cuDNN reaches: fractions of the peak, measured on an H200.
double speedOf(Variant const& variant, ConvolutionShape const& shape, Dims const& w) {
    bool const isChannelsLast = variant.inputs[kX].format.channelsLast;
    Costs const& gpu = costs();
    double speed = (isChannelsLast ? 0.37 : 0.52) * gpu.float32; // strict float32 does not use tensor cores
    if (ConvolutionTactic(variant).roundsFactors) speed = (isChannelsLast ? 0.34 : 0.22) * gpu.tf32;
    if (variant.inputs[kX].type != DataType::Float32) speed = 0.37 * gpu.peak(variant.inputs[kX].type);
    if (shape.backwards) { // with 24 channels 1/300 of it was measured
        constexpr double kFull = 256;
        double const channels = static_cast<double>(std::min(w[0], w[1])) / kFull;
        speed *= std::min(channels * channels, 1.0);
    }
    if (shape.groups == 1) return speed;
    constexpr double kFullGroup = 64; // channels that keep the multipliers busy
    double const channels = static_cast<double>(w[0] / shape.groups + w[1]) / 2;
    return speed * std::clamp(channels / kFullGroup, 0.01, 1.0);
}

double costOf(KernelQuery const& query, Variant const& variant, ConvolutionShape const& shape) {
    Dims const& w = query.inputs[kWeights];
    auto bytes = static_cast<double>(bytesOf(variant.inputs[kX].type, w.volume()));
    bytes += static_cast<double>(bytesOf(query.inputs[kX], variant.inputs[kX]));
    auto const out = static_cast<double>(bytesOf(query.outputs[0], variant.outputs[0]));
    for (size_t i = ConvolutionShape::kFirstExtra; i < query.inputs.size(); ++i)
        bytes += static_cast<double>(bytesOf(query.inputs[i], variant.inputs[i]));
    double const operations = shape.operations(query.inputs, query.outputs);
    double cost = kernelCost(bytes + out, operations, speedOf(variant, shape, w));
    PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
    bool const isFused = !shape.backwards && fusedSteps(args, shape).size() == shape.epilogue.size();
    if (!isFused) cost += kernelCost(2 * out);
    return cost;
}

struct Formats {
    Format x, y;
};

std::vector<Formats> formatsOf(DataType type, KernelQuery const& query, ConvolutionShape const& shape) {
    if (type == DataType::Float32) return {{Format::linear(), Format::linear()}, {Format::nhwc(), Format::nhwc()}};
    if (shape.groups != 1) return {{Format::nhwc(), Format::nhwc()}};
    constexpr int kTogether = 8; // tensor cores read 16 bytes at a time
    auto const whole = [&](Dims const& dims) {
        return dims[1] % kTogether == 0 ? Format::nhwc() : Format::nhwc(kTogether);
    };
    return {{whole(query.inputs[kX]), whole(query.outputs[0])}};
}

std::string refusal(KernelQuery const& query, ConvolutionShape const& shape) {
    int const axes = query.inputs[kX].rank() - 2;
    constexpr int64_t kMost = int64_t{1} << 31;
    if (!cudnnLibrary().isThere()) return "cuDNN 9 is not found";
    if (axes > 3) return text("supports 1 to 3 spatial axes, not ", axes);
    if (!fillsWindows(settled(shape.forwards()))) return "does not support fewer windows than fit";
    if (query.inputs[kX].volume() == 0 || query.outputs[0].volume() == 0) return "does not support empty tensors";
    for (DataType const type : {DataType::Float32, DataType::Float16})
        for (Formats const& formats : formatsOf(type, query, shape))
            if (paddedVolume(query.inputs[kX], formats.x) >= kMost ||
                paddedVolume(query.outputs[0], formats.y) >= kMost)
                return text("supports tensors of fewer than ", kMost, " elements");
    return {};
}

} // namespace

Variant convolutionVariant(KernelQuery const& query, Label const& x, Label const& y) {
    ConvolutionInputs const inputs(query.node, x, y);
    return {.inputs = inputs.labels, .outputs = {y}, .packed = inputs.packed, .compute = x.type};
}

namespace {

Offer offerCudnnConvolution(KernelQuery const& query, ConvolutionShape const& shape) {
    if (std::string why = refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
    return offerFloats(query, [&](DataType type, Offer& offer) {
        for (Formats const& formats : formatsOf(type, query, shape)) {
            Variant variant = convolutionVariant(query, {type, formats.x, kCuda}, {type, formats.y, kCuda});
            variant.tactic =
                ConvolutionTactic(0, query.allowTf32 && type == DataType::Float32, query.allowCompiled).number();
            variant.cost = costOf(query, variant, shape);
            offer.variants.push_back(std::move(variant));
        }
    });
}

std::vector<int64_t> cudnnConvolutionTactics(Variant const& variant) {
    constexpr int64_t kEngines = 8; // the heuristics seldom rank the best one lower
    std::vector<int64_t> all;
    ConvolutionTactic tactic(variant);
    for (tactic.engine = 0; tactic.engine < kEngines; ++tactic.engine) all.push_back(tactic.number());
    return all;
}

std::string cudnnConvolutionKey(Variant const& variant) {
    return text("cudnn ", variant.inputs[kX], " to ", variant.outputs[0]);
}

// W [K,C/groups,window…], bias [K] → [K padded,window…,C/groups padded] or unchanged, bias [K padded]
Packed packCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    WeightLayout const layout(args, shape);
    DataType const type = args.variant.inputs[kX].type;
    StridedWeights weights(type);
    weights.add(*args.node.input(kWeights)->literal(), layout.strides());
    if (isPacked(args.variant, kBias))
        weights.addDense(*args.node.input(kBias)->literal(), aligned(layout.bytes(type)));
    return std::move(weights).finish(cudnnConvolutionKey(args.variant), packedBytes(args, layout));
}

class CudnnConvolution final : public Kernel {
public:
    std::string_view name() const override { return "cudnn_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerCudnnConvolution(query, ConvolutionShape(query.node, query.inputs));
    }
    std::vector<int64_t> tactics(Variant const& variant) const override { return cudnnConvolutionTactics(variant); }
    Packed pack(PrepareArgs const& args) const override {
        return packCudnnConvolution(args, ConvolutionShape(args.node, args.inputs));
    }
    std::string packKey(Variant const& variant) const override { return cudnnConvolutionKey(variant); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return prepareCudnnConvolution(args, ConvolutionShape(args.node, args.inputs));
    }
};

constexpr CudnnConvolution kKernel;

} // namespace

Kernel const& cudnnConvolution() { return kKernel; }

} // namespace tenon::cuda

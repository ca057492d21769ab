// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/int8_weights_cuda.h"

#include "backends/cuda/int8_labels.h"
#include "base/quantize.h"
#include "layers/convolution/weight_layout_cuda.h"
#include "layers/quanta.h"

namespace tenon::cuda {

std::string int8Refusal(KernelQuery const& query, ConvolutionShape const& shape) {
    Node const& node = query.node;
    int const axes = query.inputs[kX].rank() - 2;
    constexpr int64_t kMost = int64_t{1} << 31;
    if (shape.backwards) return "does not support deconvolutions";
    if (!query.mayBeInt8(*node.input(kX)))
        return "requires an input that is quantized, or has a range if int8 is allowed";
    if (axes > 2) return text("supports 1 or 2 spatial axes, not ", axes);
    if (query.inputs[kX].volume() == 0 || query.outputs[0].volume() == 0) return "does not support empty tensors";
    if (query.inputs[kX].volume() >= kMost || query.outputs[0].volume() >= kMost)
        return text("supports tensors of fewer than ", kMost, " elements");
    bool const isConstant = node.input(kWeights)->literal() && (!hasBias(node) || node.input(kBias)->literal());
    if (!isConstant) return "requires constant weights and bias";
    bool const mayRound = !node.input(kX)->quantum.isExact;
    if (!hasWeightScales(*node.input(kWeights), 0, mayRound))
        return "requires weights that are quantized by output channel";
    return {};
}

Format int8FormatOf(Dims const& dims, DataType type) {
    constexpr int64_t kBytes = 16; // that tensor cores read at a time
    int64_t const together = type == DataType::Int8 ? kBytes : kBytes / 2;
    return dims[1] % together == 0 ? Format::nhwc() : Format::nhwc(static_cast<int>(together));
}

std::vector<Label> int8ResultLabels(KernelQuery const& query) {
    Tensor const& y = *query.node.output();
    Dims const& dims = query.outputs[0];
    std::vector<Label> labels;
    for (DataType const type : query.typesOf(y)) labels.push_back({type, int8FormatOf(dims, type), kCuda});
    if (query.mayBeInt8(y)) labels.push_back(int8Label(y, int8FormatOf(dims, DataType::Int8)));
    return labels;
}

Int8Channels::Int8Channels(PrepareArgs const& args)
    : scaleOfX_(args.variant.inputs[kX].scale), zeroOfX_(args.variant.inputs[kX].zero),
      scales_(weightScales(*args.node.input(kWeights), 0, true)), bias_(scales_.size(), 0), sums_(scales_.size(), 0) {
    if (hasBias(args.node)) bias_ = args.node.input(kBias)->literal()->toFloat();
}

int8_t Int8Channels::take(int64_t k, float weight) {
    auto const at = static_cast<size_t>(k);
    int8_t const integer = quantize(weight, scales_[at]);
    sums_[at] += integer;
    return integer;
}

} // namespace tenon::cuda

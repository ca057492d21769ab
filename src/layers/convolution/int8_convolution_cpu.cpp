// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/int8_convolution_cpu.h"

#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "layers/quanta.h"

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;

std::vector<Label> outputLabels(KernelQuery const& query) {
    Tensor const& output = *query.node.output();
    std::vector<Label> labels{{DataType::Float32, Format::nhwc(), Device::Cpu}};
    if (query.mayBeInt8(output)) labels.push_back(Label::of(output.quantum, Format::nhwc(), Device::Cpu));
    return labels;
}

Variant variantFor(KernelQuery const& query, Label const& y, bool integerOperands) {
    Label const x = Label::of(query.node.input(kX)->quantum, Format::nhwc(), Device::Cpu);
    ConvolutionInputs const inputs(query.node, x, y);
    Variant variant{.inputs = inputs.labels, .outputs = {y}, .packed = inputs.packed, .compute = DataType::Int8};
    for (size_t i = ConvolutionShape::kFirstExtra; i < variant.inputs.size(); ++i)
        variant.inputs[i] = operandLabel(query, i, y, integerOperands);
    return variant;
}

} // namespace

std::string int8Refusal(KernelQuery const& query, ConvolutionShape const& shape) {
    Node const& node = query.node;
    int const axes = query.inputs[kX].rank() - 2;
    bool const isImplicit = !node.input(kX)->quantum.isExact;
    if (!query.mayBeInt8(*node.input(kX)))
        return "requires an input that is quantized, or has a range if int8 is allowed";
    if (!multipliesInt8()) return "requires a processor that sums int8 products in 32 bits";
    if (axes > 3) return text("supports 1 to 3 spatial axes, not ", axes);
    if (query.outputs[0].volume() == 0 || query.inputs[kX].volume() == 0) return "does not support empty tensors";
    if (shape.backwards && shape.groups != 1) return "supports one group of channels in deconvolutions";
    if (!hasWeightScales(*node.input(kWeights), shape.backwards ? 1 : 0, isImplicit))
        return "requires constant weights that are quantized by output channel";
    if (node.input(kBias) && !node.input(kBias)->literal()) return "requires a constant bias";
    return {};
}

std::vector<Variant> int8Variants(KernelQuery const& query) {
    std::vector<Variant> variants;
    for (Label const& y : outputLabels(query)) {
        Variant integers = variantFor(query, y, true);
        if (readsIntegers(integers, ConvolutionShape::kFirstExtra)) variants.push_back(std::move(integers));
        variants.push_back(variantFor(query, y, false));
    }
    return variants;
}

} // namespace tenon::cpu

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution_shape.h"

#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"

namespace tenon {

ConvolutionShape::ConvolutionShape(Node const& node, std::span<Dims const> inputs) : backwards(false), groups(1) {
    if (auto const* layer = as<Convolution>(*node.layer)) {
        groups = layer->groups;
        slides = slidesOf(*layer, inputs[kX], inputs[kWeights]);
        epilogue = layer->epilogue;
        return;
    }
    auto const& layer = *as<Deconvolution>(*node.layer);
    backwards = true;
    groups = layer.groups;
    slides = fixed(slidesOf(layer, toShape(inputs[kX]), toShape(inputs[kWeights])));
    epilogue = layer.epilogue;
}

std::vector<FixedSlide> ConvolutionShape::forwards() const {
    std::vector<FixedSlide> all = slides;
    for (FixedSlide& slide : all) {
        if (backwards) std::swap(slide.in, slide.out);
    }
    return all;
}

double ConvolutionShape::operations(std::span<Dims const> inputs, std::span<Dims const> outputs) const {
    Dims const& smaller = backwards ? inputs[kX] : outputs[0];
    Dims const& w = inputs[kWeights];
    return 2 * static_cast<double>(smaller.volume()) * static_cast<double>(w.volume(1, w.rank()));
}

ConvolutionInputs::ConvolutionInputs(Node const& node, Label const& x, Label const& y) {
    Label const dense{x.type, Format::linear(), x.device};
    labels = {x, dense};
    for (size_t i = ConvolutionShape::kBias; i < node.inputs().size(); ++i)
        labels.push_back(i == ConvolutionShape::kBias ? dense : operandLabel(node, i, y));
    auto const isConstant = [&](int i) { return node.input(i) && node.input(i)->literal(); };
    if (!isConstant(ConvolutionShape::kWeights)) return;
    for (int i : {ConvolutionShape::kWeights, ConvolutionShape::kBias}) {
        if (!isConstant(i)) continue;
        packed |= 1U << i;
        labels[static_cast<size_t>(i)].type = node.input(i)->type;
    }
}

} // namespace tenon

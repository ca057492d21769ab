// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/explorer_fields.h"

#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/pooling/pooling.h"
#include "layers/reformat/reformat.h"

#include <algorithm>

namespace tenon::trt {
namespace {

/// Weights have type names that differ from those of tensors.
std::string_view weightsWord(DataType type) {
    switch (type) {
    case DataType::Float32: return "Float";
    case DataType::Float16: return "Half";
    default: return typeWord(type);
    }
}

Json extents(std::vector<int64_t> const& given, size_t axes, int64_t otherwise) {
    return given.empty() ? std::vector<int64_t>(axes, otherwise) : given;
}

/// All numbers of a window, also those with default values that a layer leaves out.
Json windowFields(Window const& window, size_t axes) {
    return {{"Stride", extents(window.stride, axes, 1)},
            {"Dilation", extents(window.dilation, axes, 1)},
            {"PrePadding", extents(window.prePadding, axes, 0)},
            {"PostPadding", extents(window.postPadding, axes, 0)}};
}

/// NONE, RELU, or GENERIC for steps that Epilogue lists.
std::string_view activationWord(Epilogue const& epilogue) {
    if (epilogue.empty()) return "NONE";
    return epilogue.size() == 1 && epilogue[0].op == PointwiseOp::Relu ? "RELU" : "GENERIC";
}

Json countOf(Tensor const& weights) { return weightsJson(weights.type, volume(weights.shape).constantOr(-1)); }

/// \param outMaps the number of output channels
template <class Layer> Json convolutionFields(Node const& node, Layer const& layer, DimExpr const& outMaps) {
    Tensor const& weights = *node.input(1);
    Tensor const* const bias = node.input(Layer::kBias);
    Json fields = windowFields(layer.window, weights.shape.size() - 2);
    Json kernel = Json::array();
    for (size_t axis = 2; axis < weights.shape.size(); ++axis) kernel.push_back(weights.shape[axis].constantOr(-1));
    bool const hasRelu =
        std::ranges::any_of(layer.epilogue, [](EpilogueStep const& step) { return step.op == PointwiseOp::Relu; });
    fields.update({{"Kernel", std::move(kernel)},
                   {"OutMaps", outMaps.constantOr(-1)},
                   {"Weights", countOf(weights)},
                   {"Bias", bias ? countOf(*bias) : weightsJson(weights.type, 0)},
                   {"HasBias", bias ? 1 : 0},
                   {"HasReLU", hasRelu ? 1 : 0},
                   {"Activation", activationWord(layer.epilogue)}});
    return fields;
}

Json poolingFields(Node const& node, Pooling const& layer) {
    Json fields = windowFields(layer.window, node.input(0)->shape.size() - 2);
    std::string_view const name = names(layer.type)[static_cast<size_t>(layer.type)];
    fields["PoolingType"] = layer.type == PoolingType::Average ? "AVERAGE" : name; // as that explorer compares it
    return fields;
}

/// The purpose of a copy: to quantize or dequantize, to convert elements, or to reorder them.
std::string_view originOf(Node const& reformat) {
    Label const& from = reformat.input(0)->label;
    Label const& to = reformat.output()->label;
    if (from.type == to.type) return "REFORMAT";
    return from.scale != 0 || to.scale != 0 ? "QDQ" : "CAST";
}

} // namespace

std::string_view typeWord(DataType type) {
    switch (type) {
    case DataType::Float32: return "FP32";
    case DataType::Float16: return "FP16";
    case DataType::BFloat16: return "BF16";
    case DataType::Int8: return "Int8";
    case DataType::Int32: return "Int32";
    case DataType::Int64: return "Int64";
    case DataType::Bool: return "Bool";
    case DataType::UInt8: return "UINT8";
    default: return nameOf(type);
    }
}

Json weightsJson(DataType type, int64_t count) { return {{"Type", std::string(weightsWord(type))}, {"Count", count}}; }

Json explorerFields(Node const& node) {
    if (auto const* layer = as<Convolution>(*node.layer))
        return convolutionFields(node, *layer, node.input(1)->shape[0]);
    if (auto const* layer = as<Deconvolution>(*node.layer))
        return convolutionFields(node, *layer, node.input(1)->shape[1] * DimExpr(layer->groups));
    if (auto const* layer = as<Pooling>(*node.layer)) return poolingFields(node, *layer);
    if (as<Reformat>(*node.layer)) return {{"Origin", originOf(node)}};
    return Json::object();
}

} // namespace tenon::trt

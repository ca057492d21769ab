// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantize/quantize.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/dequantize/dequantize.h"
#include "onnx/importer.h"
#include "onnx/types.h"

namespace tenon::onnx {
namespace {

Tensor* asFloat(NodeReader& node, Tensor* x) {
    Cast layer;
    layer.to = DataType::Float32;
    return isFloat(x->type) ? x : node.add(layer, {x});
}

/// The attribute block_size in the layers' form: one block along the axis; empty if it is 0.
std::vector<int64_t> readBlocks(NodeReader& node, int64_t axis) {
    int64_t const block = node.integer("block_size", 0);
    if (block == 0) return {};
    if (block < 0) fail(ErrorCode::InvalidModel, "attribute block_size is ", block, "; expected 1 or more, or 0");
    std::vector<int64_t> blocks(node.input(0)->shape.size(), 1);
    blocks[static_cast<size_t>(resolveAxis(axis, static_cast<int>(blocks.size())))] = block;
    return blocks;
}

/// Without zero point and output_dtype it is uint8.
int64_t quantizedType(NodeReader& node) {
    int64_t const wished = node.integer("output_dtype", 0);
    int64_t const type = node.hasInput(2) ? node.elementType(2) : wished;
    if (wished != 0 && wished != type)
        fail(ErrorCode::InvalidModel, "output_dtype is ", elementType(wished), ", the zero point (input 2) is ",
             elementType(type), "; they must be the same");
    return type == 0 ? static_cast<int64_t>(ElementType::UInt8) : type;
}

/// The narrow type of the values, if the graph has a wider type for them.
void setNumbers(Quantize& layer, ElementType type) {
    layer.form = numberForm(type);
    auto const range = wholeRange(type);
    if (!range || type == elementTypeOf(layer.to)) return;
    layer.least = range->least;
    layer.most = range->most;
}

/// The type in which X / scale is computed: that of the scale, unless the node specifies another one.
DataType precisionOf(NodeReader& node) {
    int64_t const wished = node.integer("precision", 0);
    DataType const type = dataTypeOf(wished != 0 ? wished : node.elementType(1));
    if (isFloat(type)) return type;
    if (wished == 0) return DataType::Float32; // of scales of int32 and E8M0
    fail(ErrorCode::InvalidModel, "precision is ", elementType(wished), "; expected float, float16 or bfloat16");
}

std::vector<Tensor*> importQuantizeLinear(NodeReader& node) {
    int64_t const type = quantizedType(node);
    Quantize layer;
    layer.to = dataTypeOf(type);
    setNumbers(layer, elementType(type));
    layer.axis = node.integer("axis", 1);
    layer.blocks = readBlocks(node, layer.axis);
    layer.saturate = node.integer("saturate", 1) != 0;
    layer.precision = precisionOf(node);
    std::vector<Tensor*> inputs{asFloat(node, node.input(0)), asFloat(node, node.input(1))};
    if (node.hasInput(2)) inputs.push_back(node.input(2));
    Tensor* const y = node.add(layer, inputs);
    node.setElementType(*y, type);
    return {y};
}

std::vector<Tensor*> importDequantizeLinear(NodeReader& node) {
    Dequantize layer;
    int64_t const wished = node.integer("output_dtype", 0);
    DataType const scale = node.input(1)->type;
    layer.to = wished != 0 ? dataTypeOf(wished) : (isFloat(scale) ? scale : DataType::Float32);
    layer.axis = node.integer("axis", 1);
    layer.blocks = readBlocks(node, layer.axis);
    std::vector<Tensor*> inputs{node.input(0), node.input(1)};
    if (node.hasInput(2)) inputs.push_back(node.input(2));
    Tensor* const y = node.add(layer, inputs);
    node.setElementType(*y, static_cast<int64_t>(elementTypeOf(layer.to)));
    return {y};
}

} // namespace

ImporterList quantizeImporters() {
    static constexpr Importer all[]{{"QuantizeLinear", importQuantizeLinear},
                                    {"DequantizeLinear", importDequantizeLinear}};
    return all;
}

} // namespace tenon::onnx

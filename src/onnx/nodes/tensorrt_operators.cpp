// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/attention/attention.h"
#include "layers/cast/cast.h"
#include "layers/kv_cache_update/kv_cache_update.h"
#include "layers/moe/moe.h"
#include "onnx/importer.h"

#include <cmath>
#include <iterator>
#include <limits>

// Operators of TensorRT's ONNX parser, which mirror methods of INetworkDefinition. Tools write them into ONNX's own
// domain or into "trt".

namespace tenon::onnx {
namespace {

/// A text attribute with two allowed values: whether it is the second one.
bool isSecond(NodeReader& node, std::string_view attribute, std::string_view first, std::string_view second) {
    std::string const found = node.string(attribute, first);
    if (found != first && found != second)
        fail(ErrorCode::InvalidModel, attribute, " is \"", found, "\"; expected ", first, " or ", second);
    return found == second;
}

bool isPacked(NodeReader& node, std::string_view attribute) {
    return isSecond(node, attribute, "padded_bhnd", "packed_nhd");
}

Tensor* optional(NodeReader& node, int i) { return node.hasInput(i) ? node.input(i) : nullptr; }

Tensor* inType(NodeReader& node, Tensor* x, DataType type) {
    if (x == nullptr || x->type == type) return x;
    Cast cast;
    cast.to = type;
    return node.add(cast, {x});
}

/// A query, key or value: [B,H,N,D], or packed [T,H,D].
Tensor* sequences(NodeReader& node, int i, bool packed) {
    Tensor* const x = node.input(i);
    size_t const rank = packed ? 3 : 4;
    if (x->shape.size() != rank)
        fail(ErrorCode::InvalidModel, "input ", i, " '", x->name, "' has shape ", x->shape, "; expected rank ", rank,
             ", since it is ", packed ? "packed_nhd" : "padded_bhnd");
    return x;
}

Attention::Causal causalKind(NodeReader& node) {
    std::string const kind = node.string("causal_kind", "none");
    if (kind == "none") return Attention::Causal::None;
    if (kind == "upper_left") return Attention::Causal::UpperLeft;
    if (kind == "lower_right") return Attention::Causal::LowerRight;
    fail(ErrorCode::InvalidModel, "causal_kind is \"", kind, "\"; expected none, upper_left or lower_right");
}

/// Whether softmax is left out, and the layouts of the sequences.
void readForms(NodeReader& node, Attention& layer) {
    node.ignore({"TRT_decomposable"}); // a kernel always exists
    bool const isPlain = isSecond(node, "TRT_normalization_op", "softmax", "none");
    layer.normalization = isPlain ? Attention::Normalization::None : Attention::Normalization::Softmax;
    AttentionView const packed{{-1, 1, 0, 2}, 0};
    layer.packedQueries = isPacked(node, "query_form");
    layer.packedKeys = isPacked(node, "kv_form");
    if (layer.packedQueries) layer.query = layer.output = packed;
    if (layer.packedKeys) layer.key = layer.value = packed;
}

/// Inputs of the node from `first` on: the lengths of queries and keys.
void takeLengths(NodeReader& node, Attention const& layer, std::vector<Tensor*>& inputs, int first) {
    auto const take = [&](int i, bool packed, std::string_view name) {
        if (packed && !node.hasInput(i))
            fail(ErrorCode::InvalidModel, name, ", input ", i, ", is missing; packed sequences need it");
        return inType(node, optional(node, i), DataType::Int32);
    };
    inputs[Attention::kQueryLengths] = take(first, layer.packedQueries, "query_lengths");
    inputs[Attention::kKeyLengths] = take(first + 1, layer.packedKeys, "kv_lengths");
}

std::vector<Tensor*> attentionInputs(NodeReader& node, Attention const& layer) {
    std::vector<Tensor*> inputs(Attention::kInputs, nullptr);
    inputs[Attention::kQuery] = sequences(node, 0, layer.packedQueries);
    inputs[Attention::kKey] = sequences(node, 1, layer.packedKeys);
    inputs[Attention::kValue] = sequences(node, 2, layer.packedKeys);
    Tensor* const mask = optional(node, 3);
    if (mask && layer.causal != Attention::Causal::None)
        fail(ErrorCode::InvalidModel, "attn_mask and causal_kind are both set; set one of them, or use a causal mask");
    bool const isBool = mask && mask->type == DataType::Bool;
    inputs[Attention::kMask] = isBool ? mask : inType(node, mask, inputs[Attention::kQuery]->type);
    return inputs;
}

std::vector<Tensor*> addAttention(NodeReader& node, Attention layer, std::vector<Tensor*> inputs) {
    while (inputs.back() == nullptr) inputs.pop_back();
    return {node.add(std::move(layer), std::move(inputs))};
}

/// IAttention: Q [B,H,N,D] or [T,H,D], scaled by the caller.
std::vector<Tensor*> importAttention(NodeReader& node) {
    Attention layer;
    readForms(node, layer);
    layer.causal = causalKind(node);
    layer.ranks = node.integer("nb_rank", 1);
    auto inputs = attentionInputs(node, layer);
    takeLengths(node, layer, inputs, 4);
    return addAttention(node, std::move(layer), std::move(inputs));
}

/// IKVCacheUpdateLayer: cache [B,H,N,D], update [B,H,n,D] or packed [T,H,D].
std::vector<Tensor*> importKVCacheUpdate(NodeReader& node) {
    KVCacheUpdate layer;
    std::string const mode = node.string("mode", "linear");
    if (mode != "linear") fail(ErrorCode::InvalidModel, "mode is \"", mode, "\"; expected linear");
    int64_t const axis = node.integer("axis", -2);
    if (axis != -2) fail(ErrorCode::InvalidModel, "axis is ", axis, "; expected -2, the positions of [B,H,N,D]");
    layer.packed = isPacked(node, "update_form");
    if (layer.packed && !node.hasInput(KVCacheUpdate::kFrom))
        fail(ErrorCode::InvalidModel, "update_lengths, input 3, is missing; a packed update needs it");
    std::vector<Tensor*> inputs{sequences(node, 0, false), sequences(node, 1, layer.packed), optional(node, 2)};
    if (layer.packed) inputs.push_back(node.input(KVCacheUpdate::kFrom));
    return {node.add(layer, std::move(inputs))};
}

/// By the numbers of those nvinfer1::DataType that the layer supports.
DataType typeNumbered(NodeReader& node, std::string_view attribute, int64_t otherwise) {
    int64_t const number = node.integer(attribute, otherwise);
    switch (number) {
    case 0: return DataType::Float32;
    case 6: return DataType::Float8;
    case 10: return DataType::Float4;
    case 11: return DataType::E8M0;
    default:
        fail(ErrorCode::InvalidModel, attribute, " is ", number, "; expected a DataType: 6 (FP8), 10 (FP4), 11 (E8M0)");
    }
}

void readQuantization(NodeReader& node, Moe& layer) {
    enum Mode { kNone, kStatic, kDynamic };
    int64_t const mode = node.integer("quantization_mode", kNone);
    if (mode < kNone || mode > kDynamic)
        fail(ErrorCode::InvalidModel, "quantization_mode is ", mode, "; expected 0, 1 or 2");
    if (mode == kNone) {
        node.ignore({"quantization_dtype", "quantization_block_shape", "dyn_q_output_scale_dtype"});
        if (node.hasInput(Moe::kScale))
            fail(ErrorCode::InvalidModel, "fcDownActivationScale, input 9, without a quantization_mode");
        return;
    }
    layer.quantizeTo = typeNumbered(node, "quantization_dtype", 6);
    checkQuantizeTo(layer.quantizeTo);
    if (!node.hasInput(Moe::kScale))
        fail(ErrorCode::InvalidModel, "fcDownActivationScale, input 9, is missing; quantization_mode ", mode,
             " needs it");
    if (mode == kStatic) return node.ignore({"quantization_block_shape", "dyn_q_output_scale_dtype"});
    layer.blocks = node.integers("quantization_block_shape", {});
    if (layer.blocks.size() != 4)
        fail(ErrorCode::InvalidModel, "quantization_block_shape has ", layer.blocks.size(),
             " numbers; expected 4 with quantization_mode 2");
    layer.scaleType = typeNumbered(node, "dyn_q_output_scale_dtype", 0);
    checkScaleType(layer.scaleType);
}

/// IMoELayer.
std::vector<Tensor*> importMoE(NodeReader& node) {
    Moe layer;
    int64_t const activation = node.integer("activation_type", 0);
    if (activation != 0 && activation != 1)
        fail(ErrorCode::InvalidModel, "activation_type is ", activation, "; expected 0 (none) or 1 (SiLU)");
    layer.activation = activation == 1 ? Moe::Activation::Silu : Moe::Activation::None;
    float const limit = node.real("swiglu_limit", std::numeric_limits<float>::infinity());
    if (!(limit > 0)) fail(ErrorCode::InvalidModel, "swiglu_limit is ", limit, "; expected a number above 0");
    layer.limit = std::isinf(limit) ? 0 : double{limit};
    layer.alpha = double{node.real("swiglu_alpha", 1)};
    layer.beta = double{node.real("swiglu_beta", 0)};
    readQuantization(node, layer);
    int const biases = node.hasInput(Moe::kGateBias) + node.hasInput(Moe::kUpBias) + node.hasInput(Moe::kDownBias);
    if (biases != 0 && biases != 3)
        fail(ErrorCode::InvalidModel, "has ", biases, " of the biases, inputs 6 to 8; expected all or none");
    std::vector<Tensor*> inputs;
    for (int i = 0; i < Moe::kInputs; ++i) inputs.push_back(i < Moe::kGateBias ? node.input(i) : optional(node, i));
    inputs[Moe::kExperts] = inType(node, inputs[Moe::kExperts], DataType::Int32);
    while (inputs.back() == nullptr) inputs.pop_back();
    return {node.add(std::move(layer), std::move(inputs))};
}

} // namespace

ImporterList tensorrtOperatorsImporters() {
    static constexpr Importer all[]{
        {"TRT_Attention", importAttention},
        {"TRT_Attention", importAttention, "trt"},
        {"TRT_KVCacheUpdate", importKVCacheUpdate},
        {"TRT_KVCacheUpdate", importKVCacheUpdate, "trt"},
        {"TRT_MoE", importMoE},
        {"TRT_MoE", importMoE, "trt"},
    };
    return all;
}

} // namespace tenon::onnx

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "base/error.h"
#include "layers/concatenation/concatenation.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"

#include <cmath>

namespace tenon::onnx {
namespace {

enum Input { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kInputs };
enum Output { kResult, kPresentKey, kPresentValue, kProducts };

/// A query, key or value, as the node is to read it.
struct Part {
    Tensor* tensor;
    AttentionView view;
};

AttentionView const kSequenceFirst{{0, 2, 1, 3}, 0}; // [N,S,H,D]

/// X [N,H,S,D], or [N,S,H·D] of as many heads as an attribute says → [N,S,H,D]
Part partOf(NodeReader& node, Input input, std::string_view headsAttribute) {
    Tensor* const x = node.input(input);
    if (x->shape.size() == 4) {
        node.ignore({headsAttribute}); // the shape says it
        return {x, {}};
    }
    if (x->shape.size() != 3)
        fail(ErrorCode::InvalidModel, "input ", int{input}, " '", x->name, "' has shape ", x->shape,
             "; expected rank 3 or 4");
    int64_t const heads = node.integer(headsAttribute);
    if (heads < 1) fail(ErrorCode::InvalidModel, headsAttribute, " is ", heads, "; expected 1 or more");
    return {node.add(Shuffle::reshaping({0, 0, heads, -1}), {x}), kSequenceFirst};
}

/// With what came before in front, as [N,H,S,D]: the present that the node gives.
Tensor* takePast(NodeReader& node, Part& part, Input past, Output present) {
    if (!node.hasInput(past) && !node.hasOutput(present)) return nullptr;
    if (part.view == kSequenceFirst) part.tensor = node.add(Shuffle::transposing({0, 2, 1, 3}), {part.tensor});
    part.view = {};
    if (node.hasInput(past)) part.tensor = node.add(Concatenation::along(2), {node.input(past), part.tensor});
    return part.tensor;
}

double scaleOf(NodeReader& node, Part const& query) {
    if (node.has("scale")) return double{node.real("scale", 1)};
    DimExpr const& size = query.tensor->shape.back();
    if (!size.isConstant())
        fail(ErrorCode::Unsupported, "the size of a head, ", size,
             ", is known at run time only; give the node a scale");
    return 1 / std::sqrt(static_cast<double>(size.constant()));
}

void refuseWhatIsNotThere(NodeReader& node) {
    if (node.real("softcap", 0) != 0) fail(ErrorCode::Unsupported, "softcap is not supported");
    for (std::string_view const window : {"left_window_size", "right_window_size"}) { // since opset 25; -1: all
        if (int64_t const size = node.integer(window, -1); size >= 0)
            fail(ErrorCode::Unsupported, window, " is ", size, "; windows are not supported, give the node a mask");
    }
    node.ignore({"softmax_precision"}); // float32 at least
    if (!node.hasOutput(kProducts)) node.ignore({"qk_matmul_output_mode"});
    if (node.hasOutput(kProducts)) fail(ErrorCode::Unsupported, "the output qk_matmul_output is not supported");
    for (int i = kInputs; i < node.inputCount(); ++i) {
        if (node.hasInput(i)) fail(ErrorCode::Unsupported, "the input nonpad_kv_seqlen is not supported");
    }
    if (node.hasInput(kPastKey) != node.hasInput(kPastValue))
        fail(ErrorCode::InvalidModel, "past_key and past_value must be given together");
    if (node.hasInput(kPastKey) && node.integer("is_causal", 0) != 0)
        fail(ErrorCode::Unsupported, "is_causal together with past_key is not supported; give the node a mask");
}

std::vector<Tensor*> importAttention(NodeReader& node) {
    refuseWhatIsNotThere(node);
    Part const query = partOf(node, kQuery, "q_num_heads");
    Part key = partOf(node, kKey, "kv_num_heads");
    Part value = partOf(node, kValue, "kv_num_heads");
    Tensor* const presentKey = takePast(node, key, kPastKey, kPresentKey);
    Tensor* const presentValue = takePast(node, value, kPastValue, kPresentValue);
    Attention layer;
    layer.scale = scaleOf(node, query);
    if (node.integer("is_causal", 0) != 0) layer.causal = Attention::Causal::UpperLeft;
    layer.query = query.view;
    layer.key = key.view;
    layer.value = value.view;
    layer.output = query.view;
    std::vector<Tensor*> inputs{query.tensor, key.tensor, value.tensor};
    if (node.hasInput(kMask)) inputs.push_back(node.input(kMask));
    Tensor* result = node.add(std::move(layer), inputs);
    if (query.view == kSequenceFirst) result = node.add(Shuffle::reshaping({0, 0, -1}), {result});
    return {result, presentKey, presentValue};
}

constexpr Importer kAll[]{{"Attention", importAttention}};

} // namespace

ImporterList attentionImporters() { return kAll; }

} // namespace tenon::onnx

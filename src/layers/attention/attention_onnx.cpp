// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/concatenation/concatenation.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "onnx/reshapes.h"
#include "onnx/term.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tenon::onnx {
namespace {

enum Input { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kKeyLengths };
enum Output { kResult, kPresentKey, kPresentValue, kProducts };

/// A query, key or value, as the node reads it.
struct Part {
    Tensor* tensor;
    AttentionView view;
};

AttentionView const kSequenceFirst{{0, 2, 1, 3}, 0}; // [N,S,H,D]

/// X [N,H,S,D], or [N,S,H·D] with the number of heads in an attribute → [N,S,H,D]
Part partOf(NodeReader& node, Input input, std::string_view headsAttribute) {
    Tensor* const x = node.input(input);
    if (x->shape.size() == 4) {
        node.ignore({headsAttribute}); // the shape determines it
        return {x, {}};
    }
    if (x->shape.size() != 3)
        fail(ErrorCode::InvalidModel, "input ", int{input}, " '", x->name, "' has shape ", x->shape,
             "; expected rank 3 or 4");
    int64_t const heads = node.integer(headsAttribute);
    if (heads < 1) fail(ErrorCode::InvalidModel, headsAttribute, " is ", heads, "; expected 1 or more");
    return {splitLast(node, x, heads, headsAttribute), kSequenceFirst};
}

/// Concatenates the past input with the part, as [N,H,S,D]: the node's present output.
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
             ", is known at run time only; set the attribute scale");
    return 1 / std::sqrt(static_cast<double>(size.constant()));
}

void checkPast(NodeReader& node) {
    if (node.hasInput(kPastKey) != node.hasInput(kPastValue))
        fail(ErrorCode::InvalidModel, "past_key and past_value must be given together");
    if (node.hasInput(kPastKey) && node.hasInput(kKeyLengths))
        fail(ErrorCode::InvalidModel,
             "past_key and nonpad_kv_seqlen are given; expected one of them, since the first is a cache inside the "
             "node, the second one outside");
}

/// The keys that a query sees: those up to its position, counted from the first past key, and a window there.
void readPlaces(NodeReader& node, Attention& layer) {
    auto const window = [&](std::string_view name) { // since opset 25; -1: all
        int64_t const size = node.integer(name, -1);
        if (size < -1)
            fail(ErrorCode::InvalidModel, name, " is ", size, "; expected 0 or more, or -1 for an open window");
        return size;
    };
    layer.before = window("left_window_size");
    int64_t const after = window("right_window_size");
    bool const isCausal = node.integer("is_causal", 0) != 0;
    layer.after = isCausal ? 0 : after;
    if (!isCausal && layer.before < 0 && after < 0) return;
    layer.causal = node.hasInput(kKeyLengths) ? Attention::Causal::LowerRight : Attention::Causal::UpperLeft;
}

Attention::Products productsOf(NodeReader& node) {
    if (!node.hasOutput(kProducts)) {
        node.ignore({"qk_matmul_output_mode"});
        return Attention::Products::None;
    }
    using enum Attention::Products;
    constexpr Attention::Products kModes[]{Raw, Capped, Masked, Normalized};
    int64_t const mode = node.integer("qk_matmul_output_mode", 0);
    if (mode < 0 || mode >= std::ssize(kModes))
        fail(ErrorCode::InvalidModel, "qk_matmul_output_mode is ", mode, "; expected 0 to 3");
    return kModes[mode];
}

Tensor* inType(NodeReader& node, Tensor* x, DataType type) {
    if (x->type == type) return x;
    Cast cast;
    cast.to = type;
    return node.add(cast, {x});
}

/// The layer's inputs after query, key and value; null if the node has none.
std::vector<Tensor*> otherInputs(NodeReader& node, Attention const& layer, DataType type) {
    std::vector<Tensor*> inputs;
    auto const put = [&](size_t input, Tensor* tensor) {
        inputs.resize(input - Attention::kMask, nullptr);
        inputs.push_back(tensor);
    };
    if (node.hasInput(kMask)) {
        Tensor* const mask = node.input(kMask);
        put(Attention::kMask, mask->type == DataType::Bool ? mask : inType(node, mask, type));
    }
    if (node.hasInput(kKeyLengths)) put(Attention::kKeyLengths, inType(node, node.input(kKeyLengths), DataType::Int32));
    if (node.hasInput(kPastKey) && layer.causal != Attention::Causal::None) put(Attention::kPast, node.input(kPastKey));
    return inputs;
}

std::vector<Tensor*> importAttention(NodeReader& node) {
    checkPast(node);
    node.ignore({"softmax_precision"}); // float32 at least
    Part const query = partOf(node, kQuery, "q_num_heads");
    Part key = partOf(node, kKey, "kv_num_heads");
    Part value = partOf(node, kValue, "kv_num_heads");
    Tensor* const presentKey = takePast(node, key, kPastKey, kPresentKey);
    Tensor* const presentValue = takePast(node, value, kPastValue, kPresentValue);
    Attention layer;
    readPlaces(node, layer);
    layer.scale = scaleOf(node, query);
    layer.softcap = std::max(0.0F, node.real("softcap", 0));
    layer.products = productsOf(node);
    layer.cutsToMask = true;
    layer.ranks = node.integer("nbRanks", 1); // written by tools that divide a model among GPUs
    layer.query = query.view;
    layer.key = key.view;
    layer.value = value.view;
    layer.output = query.view;
    DataType const type = query.tensor->type;
    std::vector<Tensor*> inputs{query.tensor, key.tensor, inType(node, value.tensor, type)};
    std::ranges::copy(otherInputs(node, layer, type), std::back_inserter(inputs));
    auto const outputs = node.addLayer(std::make_unique<Attention>(std::move(layer)), inputs)->outputs();
    Tensor* result = outputs[0];
    if (query.view == kSequenceFirst) result = joinFrom(node, result, 2);
    return {result, presentKey, presentValue, outputs.size() > 1 ? outputs[1] : nullptr};
}

/// X [N,H',T,D], each head repeated for the query heads that share it: [N,H,T,D]
Term repeated(Term const& x, DimExpr const& heads) {
    DimExpr const& shared = x->shape[1];
    if (shared == heads) return x;
    int64_t const most = heads.constantOr(0);
    int64_t const own = shared.constantOr(0);
    if (own <= 0 || most % own != 0 || most == 0)
        fail(ErrorCode::Unsupported, "the query has ", heads, " heads, and '", x->name, "' ", shared,
             "; expected numbers that are known when the model is read, the first a multiple of the second");
    std::vector<int64_t> from(static_cast<size_t>(most));
    for (int64_t head = 0; head < most; ++head) from[static_cast<size_t>(head)] = head / (most / own);
    return take(x, list(x.node(), from), 1);
}

bool mayBeSame(Shape const& a, Shape const& b) {
    return std::ranges::equal(
        a, b, [](DimExpr const& x, DimExpr const& y) { return x == y || !x.isConstant() || !y.isConstant(); });
}

/// Applies a graph attribute of the node, if it exists, to the scores or the weights, [N,H,S,T].
Term modified(Term const& x, std::string_view graph) {
    NodeReader& node = x.node();
    if (!node.has(graph)) return x;
    BodySize const body = node.body(graph);
    if (body.inputs != 1 || body.outputs != 1)
        fail(ErrorCode::InvalidModel, graph, " has ", body.inputs, " inputs and ", body.outputs,
             " outputs; expected one of each");
    Tensor* const y = node.addBody({.attribute = graph, .inputs = {x}, .part = std::string(graph)})[0];
    if (y->type != x->type || !mayBeSame(y->shape, x->shape))
        fail(ErrorCode::InvalidModel, graph, " returns ", y->type, ' ', y->shape, " for ", x->type, ' ', x->shape,
             "; expected the same type and shape");
    return {node, y};
}

/// Graph attributes modify the scores and the weights, so both exist as tensors.
Tensor* addModified(NodeReader& node, double scale) {
    DataType const type = dataTypeOf(node.integer("softmax_precision", 1));
    auto const wide = [&](Term const& x) { return bitsOf(x->type) < bitsOf(type) ? cast(x, type) : x; };
    Term const query = input(node, kQuery);
    Term const key = repeated(input(node, kKey), query->shape[1]);
    Term const value = repeated(input(node, kValue), query->shape[1]);
    Term const scores = product(wide(query), transpose(wide(key), {0, 1, 3, 2})) * scale;
    Term const weights = modified(cast(scores, type), "score_mod").through(Softmax{});
    return cast(product(modified(weights, "prob_mod"), cast(value, type)), value->type);
}

/// Attention of PyTorch's flex_attention.
std::vector<Tensor*> importFlexAttention(NodeReader& node) {
    for (int const i : {kQuery, kKey, kValue}) {
        if (node.input(i)->shape.size() != 4)
            fail(ErrorCode::InvalidModel, "input ", i, " '", node.input(i)->name, "' has shape ", node.input(i)->shape,
                 "; expected rank 4");
    }
    double const scale = scaleOf(node, {node.input(kQuery), {}});
    if (node.has("score_mod") || node.has("prob_mod")) return {addModified(node, scale)};
    node.ignore({"softmax_precision"}); // float32 at least
    Attention layer;
    layer.scale = scale;
    return {node.add(std::move(layer), {node.input(kQuery), node.input(kKey), node.input(kValue)})};
}

constexpr Importer kAll[]{{"Attention", importAttention}, {"FlexAttention", importFlexAttention, "ai.onnx.preview"}};

} // namespace

ImporterList attentionImporters() { return kAll; }

} // namespace tenon::onnx

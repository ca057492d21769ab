// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// What a rule reads, and nothing else.
void expectInput(NodeReader& node, int input, std::string_view name, bool read, std::string const& rule) {
    if (node.hasInput(input) != read)
        fail(ErrorCode::InvalidModel, "update_rule \"", rule, "\" ", read ? "expects " : "does not read ", name,
             ", which is ", read ? "left out" : "there");
}

std::vector<Tensor*> importLinearAttention(NodeReader& node) {
    node.ignore({"chunk_size"}); // changes no value
    std::string const rule = node.string("update_rule", "gated_delta");
    bool const gated = rule == "gated" || rule == "gated_delta";
    LinearAttention layer;
    layer.corrects = rule == "delta" || rule == "gated_delta";
    if (!gated && !layer.corrects && rule != "linear")
        fail(ErrorCode::InvalidModel, "update_rule is \"", rule, "\"; expected linear, gated, delta or gated_delta");
    expectInput(node, LinearAttention::kDecay, "decay", gated, rule);
    expectInput(node, LinearAttention::kBeta, "beta", layer.corrects, rule);
    layer.queryHeads = node.integer("q_num_heads");
    layer.keyHeads = node.integer("kv_num_heads");
    layer.scale = static_cast<double>(node.real("scale", 0));
    std::vector<Tensor*> inputs;
    for (int i = 0; i < node.inputCount(); ++i) inputs.push_back(node.hasInput(i) ? node.input(i) : nullptr);
    return node.addLayer(std::make_unique<LinearAttention>(layer), std::move(inputs))->outputs();
}

} // namespace

ImporterList linearAttentionImporters() {
    static constexpr Importer all[] = {{"LinearAttention", importLinearAttention}};
    return all;
}

} // namespace tenon::onnx

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "base/error.h"
#include "onnx/importer.h"

#include <algorithm>

namespace tenon::onnx {
namespace {

/// The update rule only names the combination of decay and beta inputs, so it must match them.
void checkRule(NodeReader& node) {
    constexpr std::string_view kRules[]{"linear", "gated", "delta", "gated_delta"}; // bit 0: decay, bit 1: beta
    std::string const rule = node.string("update_rule", "gated_delta");
    auto const found = std::ranges::find(kRules, rule) - kRules;
    if (found == std::ssize(kRules))
        fail(ErrorCode::InvalidModel, "update_rule is \"", rule, "\"; expected linear, gated, delta or gated_delta");
    auto const check = [&](int input, std::string_view name, bool needed) {
        if (node.hasInput(input) != needed)
            fail(ErrorCode::InvalidModel, "update_rule is \"", rule, "\", which ", needed ? "needs" : "has no",
                 " input ", name);
    };
    check(LinearAttention::kDecay, "decay", found % 2 == 1);
    check(LinearAttention::kBeta, "beta", found >= 2);
}

std::vector<Tensor*> importLinearAttention(NodeReader& node) {
    checkRule(node);
    node.ignore({"chunk_size"}); // a hint
    LinearAttention layer;
    layer.heads = node.integer("q_num_heads");
    layer.keyHeads = node.integer("kv_num_heads");
    layer.scale = double{node.real("scale", 0)};
    std::vector<Tensor*> inputs;
    for (int i = 0; i < node.inputCount(); ++i) inputs.push_back(node.hasInput(i) ? node.input(i) : nullptr);
    return node.addLayer(std::make_unique<LinearAttention>(layer), std::move(inputs))->outputs();
}

} // namespace

ImporterList linearAttentionImporters() {
    static constexpr Importer all[]{{"LinearAttention", importLinearAttention}};
    return all;
}

} // namespace tenon::onnx

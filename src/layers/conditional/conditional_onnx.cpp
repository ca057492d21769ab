// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

constexpr std::string_view kThen = "then_branch";
constexpr std::string_view kElse = "else_branch";

void expectBranch(NodeReader const& node, std::string_view attribute) {
    BodySize const branch = node.body(attribute);
    if (branch.inputs != 0)
        fail(ErrorCode::InvalidModel, attribute, " has ", branch.inputs, " inputs; a branch of an If has none");
    if (branch.outputs != node.outputCount())
        fail(ErrorCode::InvalidModel, attribute, " has ", branch.outputs, " outputs; the node has ",
             node.outputCount());
}

/// Both branches are in the engine, and the run takes one.
std::vector<Tensor*> addConditional(NodeReader& node) {
    BodyGraph thens = node.outline(kThen, [](Graph&) { return std::vector<Tensor*>(); });
    BodyGraph elses = node.outline(kElse, [](Graph&) { return std::vector<Tensor*>(); });
    std::vector<Tensor*> inputs{node.input(0)};
    inputs.insert(inputs.end(), thens.captures.begin(), thens.captures.end());
    inputs.insert(inputs.end(), elses.captures.begin(), elses.captures.end());
    Conditional layer = Conditional::of(std::move(thens.graph), std::move(elses.graph));
    return node.addLayer(std::make_unique<Conditional>(std::move(layer)), std::move(inputs))->outputs();
}

/// A branch that is known when the model is read stands in place of the node; the other one is not even read, since
/// exporters leave there what was wrong for the shapes that they saw.
std::vector<Tensor*> importIf(NodeReader& node) {
    auto const condition = knownNumber(*node.input(0));
    if (condition.value_or(1) != 0) expectBranch(node, kThen);
    if (condition.value_or(0) == 0) expectBranch(node, kElse);
    if (!condition) return addConditional(node);
    node.ignore({*condition != 0 ? kElse : kThen});
    return node.addBody({.attribute = *condition != 0 ? kThen : kElse});
}

} // namespace

ImporterList conditionalImporters() {
    static constexpr Importer all[]{{"If", importIf}};
    return all;
}

} // namespace tenon::onnx

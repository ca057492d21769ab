// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "base/error.h"
#include "onnx/unrolled.h"

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
    Conditional layer;
    for (size_t i = 0; i < thens.graph.outputs().size(); ++i) {
        Shape const& a = thens.graph.outputs()[i]->shape;
        Shape const& b = elses.graph.outputs()[i]->shape;
        for (size_t axis = 0; axis < std::min(a.size(), b.size()); ++axis) {
            if (a[axis] == b[axis]) continue;
            layer.openOutputs.push_back(static_cast<int64_t>(i));
            layer.openAxes.push_back(static_cast<int64_t>(axis));
        }
    }
    layer.thenBody = std::move(thens.graph);
    layer.elseBody = std::move(elses.graph);
    std::vector<Tensor*> inputs{node.input(0)};
    inputs.insert(inputs.end(), thens.captures.begin(), thens.captures.end());
    inputs.insert(inputs.end(), elses.captures.begin(), elses.captures.end());
    return node.addLayer(std::make_unique<Conditional>(std::move(layer)), std::move(inputs))->outputs();
}

/// A branch that is known when the model is read stands in place of the node; the other one is not even read.
std::vector<Tensor*> importIf(NodeReader& node) {
    expectBranch(node, kThen);
    expectBranch(node, kElse);
    auto const condition = knownNumber(*node.input(0));
    return condition ? node.addBody({.attribute = *condition != 0 ? kThen : kElse}) : addConditional(node);
}

} // namespace

ImporterList conditionalImporters() {
    static constexpr Importer all[]{{"If", importIf}};
    return all;
}

} // namespace tenon::onnx

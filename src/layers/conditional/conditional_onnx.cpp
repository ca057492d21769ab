// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "base/error.h"
#include "layers/assertion/assertion.h"
#include "layers/unary/unary.h"
#include "onnx/importer.h"
#include "onnx/read_values.h"

#include <algorithm>
#include <set>

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

/// Whether shapes and constants determine the tensor's elements.
bool isOfShapes(Tensor const& tensor) {
    std::vector<Tensor const*> left{&tensor};
    std::set<Tensor const*> seen;
    while (!left.empty()) {
        Tensor const* const next = left.back();
        left.pop_back();
        if (!seen.insert(next).second) continue;
        Node const* const maker = next->producer();
        if (maker == nullptr) return false;
        for (size_t i = 0; i < maker->inputs().size(); ++i) {
            Tensor const* const input = maker->inputs()[i];
            if (input != nullptr && !maker->layer->readsShapeOnly(static_cast<int>(i))) left.push_back(input);
        }
    }
    return true;
}

/// If the branches have outputs of different ranks, the branch with the lower rank.
std::optional<bool> lowerRank(Graph const& thens, Graph const& elses) {
    for (size_t i = 0; i < std::min(thens.outputs().size(), elses.outputs().size()); ++i) {
        size_t const a = thens.outputs()[i]->shape.size();
        size_t const b = elses.outputs()[i]->shape.size();
        if (a != b) return a < b;
    }
    return std::nullopt;
}

/// The engine has one branch; shapes that select the other one are an Error when they are set.
std::vector<Tensor*> addOnlyBranch(NodeReader& node, bool isThen) {
    Unary negation;
    negation.operation = PointwiseOp::Not;
    Assertion assertion;
    assertion.message = text("its branches have different ranks, and the layers after it support that of ",
                             isThen ? kThen : kElse, " only; these shapes select ", isThen ? kElse : kThen);
    node.addLayer(std::make_unique<Assertion>(assertion),
                  {isThen ? node.input(0) : node.add(negation, {node.input(0)})});
    return node.addBody({.attribute = isThen ? kThen : kElse});
}

Node* addBoth(NodeReader& node, BodyGraph thens, BodyGraph elses) {
    std::vector<Tensor*> inputs{node.input(0)};
    inputs.insert(inputs.end(), thens.captures.begin(), thens.captures.end());
    inputs.insert(inputs.end(), elses.captures.begin(), elses.captures.end());
    Conditional layer = Conditional::of(std::move(thens.graph), std::move(elses.graph));
    return node.addLayer(std::make_unique<Conditional>(std::move(layer)), std::move(inputs));
}

/// If shapes determine which branch runs, a profile may do so too.
void expectDecidable(Node const& node) {
    if (!isOfShapes(*node.input(0))) as<Conditional>(*node.layer)->expectOneRank(operandsOf(node));
}

/// PyTorch's exporters write x.squeeze(axis) as a Squeeze if the extent is 1, else x. Each branch is continued with the
/// nodes after it at its rank. If these support one rank only, that branch is selected; if that is not known, the one
/// of the lower rank.
std::vector<Tensor*> addRanks(NodeReader& node, BodyGraph thens, BodyGraph elses, bool lower) {
    static constexpr std::string_view kBranches[]{kThen, kElse};
    auto ends = node.outlineToEnd(kBranches);
    if (!ends.empty() && ends[0] && ends[1]) {
        Node* const made = addBoth(node, std::move(*ends[0]), std::move(*ends[1]));
        expectDecidable(*made);
        node.endHere();
        return made->outputs();
    }
    if (!isOfShapes(*node.input(0))) expectDecidable(*addBoth(node, std::move(thens), std::move(elses)));
    bool const isOne = !ends.empty() && (ends[0] || ends[1]);
    return addOnlyBranch(node, isOne ? ends[0].has_value() : lower);
}

/// Both branches are in the engine, and the run selects one.
std::vector<Tensor*> addConditional(NodeReader& node) {
    BodyGraph thens = node.outline(kThen, [](Graph&) { return std::vector<Tensor*>(); });
    BodyGraph elses = node.outline(kElse, [](Graph&) { return std::vector<Tensor*>(); });
    auto const only = lowerRank(thens.graph, elses.graph);
    if (only) return addRanks(node, std::move(thens), std::move(elses), *only);
    return addBoth(node, std::move(thens), std::move(elses))->outputs();
}

/// A branch that is known when the model is read replaces the node; the other one is not even read, since exporters
/// leave nodes there that are invalid for the shapes that they saw.
std::vector<Tensor*> importIf(NodeReader& node) {
    auto const condition = readNumber(*node.input(0));
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

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

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

/// A branch that is known when the model is read stands in place of the node; the other one is not even read.
std::vector<Tensor*> importIf(NodeReader& node) {
    expectBranch(node, kThen);
    expectBranch(node, kElse);
    bool const isTrue = node.constantScalar(0) != 0;
    return node.addBody({.attribute = isTrue ? kThen : kElse});
}

} // namespace

ImporterList conditionalImporters() {
    static constexpr Importer all[]{{"If", importIf}};
    return all;
}

} // namespace tenon::onnx

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/identity/identity.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/elementwise/elementwise.h"
#include "layers/unary/unary.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importIdentity(NodeReader& node) { return {node.add(Identity{}, {node.input(0)})}; }

/// Checks that no elements are dropped: in inference, or if the ratio is 0.
void expectNoLoss(NodeReader& node) {
    if (node.opset() < 12) return;
    bool const hasRatio = node.hasInput(1);
    if (!node.hasInput(2) || node.constantScalar(2) == 0) return;
    float const ratio = hasRatio ? node.constantInput(1).toFloat().at(0) : 0.5F;
    if (ratio != 0)
        fail(ErrorCode::Unsupported, "training_mode is true and the ratio ", ratio,
             ", which drops elements at random; export the model for inference");
}

/// The mask of a Dropout in inference: all true, also where x is NaN. Until opset 9 it had the type of x.
Tensor* fullMask(NodeReader& node, Tensor* x) {
    Unary negation;
    negation.operation = PointwiseOp::Not;
    Tensor* const mask = node.add(negation, {node.add(elementwise(PointwiseOp::Less), {x, x})});
    if (node.opset() >= 10) return mask;
    Cast cast;
    cast.to = x->type;
    return node.add(cast, {mask});
}

std::vector<Tensor*> importDropout(NodeReader& node) {
    expectNoLoss(node);
    node.ignore({"ratio", "seed", "is_test"}); // for training
    Tensor* const x = node.input(0);
    Tensor* const y = node.add(Identity{}, {x});
    return {y, node.hasOutput(1) ? fullMask(node, x) : nullptr};
}

} // namespace

ImporterList identityImporters() {
    static constexpr Importer all[] = {{"Identity", importIdentity}, {"Dropout", importDropout}};
    return all;
}

} // namespace tenon::onnx

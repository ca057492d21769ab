// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/convolution/convolution.h"
#include "layers/slice/slice.h"
#include "onnx/term.h"

namespace tenon::onnx {
namespace {

/// X [N,C,L], its past [N,C,k-1] → [N,C,k-1+L]; zeros without a past.
Term withPast(NodeReader& node, Term const& x, Term const& weights) {
    if (node.hasInput(3)) return concatenate({input(node, 3), x}, 2);
    Term const shape = concatenate({extents(x, 0, 2), extents(weights, 2, 3) - 1}, 0);
    return concatenate({expand(x.constant(0), shape), x}, 2);
}

/// The last elements along axis 2, from `start` [1] on.
Term lastFrom(Term const& x, Term const& start) {
    Slice layer;
    layer.bounds = Slice::Bounds::End;
    layer.size = {INT64_MAX};
    layer.axes = {2};
    return x.through(std::move(layer), {start});
}

/// X [N,C,L], W [C,1,k], bias? [C], past? [N,C,k-1] → Y [N,C,L], present [N,C,k-1]
std::vector<Tensor*> importCausalConvWithState(NodeReader& node) {
    std::string const activation = node.string("activation", "none");
    if (activation != "none" && activation != "silu" && activation != "swish")
        fail(ErrorCode::InvalidModel, "activation is \"", activation, "\"; expected none, silu or swish");
    Term const weights = input(node, 1);
    if (input(node, 0).rank() != 3 || weights.rank() != 3)
        fail(ErrorCode::InvalidModel, "input 0 has shape ", node.input(0)->shape, " and input 1 ", weights->shape,
             "; expected [N,C,L] and [C,1,k]");
    Term const x = withPast(node, input(node, 0), weights);
    Convolution layer;
    layer.groups = weights->shape[0].constant();
    std::vector<Tensor*> rest{weights};
    if (node.hasInput(2)) rest.push_back(node.input(2));
    Term const y = x.through(std::move(layer), rest);
    return {activation == "none" ? y : swish(y), lastFrom(x, extents(input(node, 0), 2, 3))};
}

} // namespace

ImporterList causalConvolutionImporters() {
    static constexpr Importer all[] = {{"CausalConvWithState", importCausalConvWithState}};
    return all;
}

} // namespace tenon::onnx

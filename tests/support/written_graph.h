// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "steps/pointwise_op.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::test {

/// A graph that a test of passes writes node by node, and values for its inputs.
struct WrittenGraph {
    Graph graph;
    std::vector<Literal> values; // of its inputs, in their order

    /// Numbers from -reach to reach; the first is called "x1".
    Tensor* input(Dims const& dims, float reach = 1);
    Tensor* constant(Literal value);
    Tensor* number(float value) { return constant(Literal::scalar(value)); }

    Tensor* emit(PointwiseOp op, Tensor* a, Tensor* b);
    /// An Activation, or for other operations a Unary.
    Tensor* emit(PointwiseOp op, Tensor* a, double alpha = 0, double beta = 0);
    Tensor* transposed(Tensor* x, std::vector<int64_t> const& permutation);
    Tensor* product(Tensor* a, Tensor* b, MatrixOperation ofB = MatrixOperation::None);
    Tensor* softmax(Tensor* x);
    Tensor* average(Tensor* x, std::vector<int64_t> const& axes = {-1});
    /// By shifts and scales, one for each of the channels, between 1/2 and 2.
    Tensor* scaled(Tensor* x, int64_t channels);

    /// The graph with this output, "y", after the pass. Expects that it computes the same.
    Graph after(std::function<void(Graph&)> const& pass, Tensor* output);
};

/// The kinds of a graph's nodes in order, constants aside: "Convolution Softmax".
std::string kindsOf(Graph const& graph);

} // namespace tenon::test

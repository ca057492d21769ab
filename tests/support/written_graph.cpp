// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/written_graph.h"

#include "base/text.h"
#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/reduce/reduce.h"
#include "layers/scale/scale.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "layers/unary/unary.h"
#include "support/expect_same.h"
#include "support/layer_case.h"

namespace tenon::test {

Tensor* WrittenGraph::input(Dims const& dims, float reach) {
    values.push_back(spread(dims, -reach, reach));
    return graph.addInput(text('x', values.size()), DataType::Float32, toShape(dims));
}

Tensor* WrittenGraph::constant(Literal value) { return graph.emit(Constant(std::move(value)), {}); }

Tensor* WrittenGraph::emit(PointwiseOp op, Tensor* a, Tensor* b) { return graph.emit(elementwise(op), {a, b}); }

Tensor* WrittenGraph::emit(PointwiseOp op, Tensor* a, double alpha, double beta) {
    if (!isActivation(op)) {
        Unary layer;
        layer.operation = op;
        return graph.emit(layer, {a});
    }
    Activation layer;
    layer.operation = op;
    layer.alpha = alpha;
    layer.beta = beta;
    return graph.emit(layer, {a});
}

Tensor* WrittenGraph::transposed(Tensor* x, std::vector<int64_t> const& permutation) {
    return graph.emit(Shuffle::transposing(permutation), {x});
}

Tensor* WrittenGraph::product(Tensor* a, Tensor* b, MatrixOperation ofB) {
    MatrixMultiply layer;
    layer.b = ofB;
    return graph.emit(layer, {a, b});
}

Tensor* WrittenGraph::softmax(Tensor* x) { return graph.emit(Softmax{}, {x}); }

Tensor* WrittenGraph::average(Tensor* x, std::vector<int64_t> const& axes) {
    Reduce layer;
    layer.operation = ReduceOperation::Avg;
    layer.axes = axes;
    layer.keepDimensions = true;
    return graph.emit(layer, {x});
}

Tensor* WrittenGraph::scaled(Tensor* x, int64_t channels) {
    Scale layer;
    layer.mode = Scale::Mode::Channel;
    Literal const numbers = spread({channels}, 0.5F, 2);
    return graph.emit(layer, {x, constant(numbers), constant(numbers)});
}

Graph WrittenGraph::after(std::function<void(Graph&)> const& pass, Tensor* output) {
    output->name = text('y');
    graph.markOutput(output);
    Graph changed = graph;
    pass(changed);
    expectSame(changed, graph, values);
    return changed;
}

std::string kindsOf(Graph const& graph) {
    std::string all;
    for (Node const* node : graph.order()) {
        if (!node->layer->constant()) all += text(all.empty() ? "" : " ", node->kind());
    }
    return all;
}

} // namespace tenon::test

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fold_batch_norm.h"

#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::spread;
using enum PointwiseOp;

/// A graph with one input, before and after the pass.
class Network : public test::WrittenGraph {
public:
    explicit Network(Dims const& dims) : x(input(dims)) {}

    Tensor* constant(Dims const& dims) { return WrittenGraph::constant(spread(dims, 0.5F, 2)); }

    /// The pass leaves one node with weights and its constants.
    void expectOneNode(Tensor* output, size_t constants) { expectNodes(output, 1 + constants); }
    void expectNodes(Tensor* output, size_t nodes) {
        Graph const folded = after(foldBatchNorm, output);
        auto const isRead = [&](auto const& node) {
            return !node->output()->readers().empty() || folded.isOutput(node->output());
        };
        EXPECT_EQ(static_cast<size_t>(std::ranges::count_if(folded.nodes(), isRead)), nodes) << print(folded);
    }

    Tensor* x;
};

Tensor* written(Network& net, Dims const& dims, std::vector<float> const& values) {
    return net.WrittenGraph::constant(floats(dims, values));
}

Convolution grouped(int64_t groups) {
    Convolution layer;
    layer.groups = groups;
    return layer;
}

Convolution padded() {
    Convolution layer;
    layer.window.prePadding = layer.window.postPadding = {1, 1};
    return layer;
}

TEST(FoldBatchNorm, foldsAScaleBehindAConvolution) {
    Network net({1, 3, 4, 4});
    Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
    net.expectOneNode(net.scaled(y, 5), 2); // it gets a bias
}

TEST(FoldBatchNorm, foldsIntoABiasThatIsThere) {
    Network net({1, 4, 4, 4});
    Tensor* y = net.graph.emit(grouped(2), {net.x, net.constant({6, 2, 3, 3}), net.constant({6})});
    net.expectOneNode(net.scaled(y, 6), 2);
}

TEST(FoldBatchNorm, foldsProductsAndSumsInARow) { // PP-OCR's learnable scales and shifts, of one number
    Network net({1, 3, 4, 4});
    Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
    y = net.emit(Prod, y, net.constant({1}));
    y = net.emit(Sum, net.constant({5, 1, 1}), y);
    y = net.emit(Sub, net.constant({}), y);
    y = net.emit(Div, y, written(net, {5, 1, 1}, {0.5F, 2, -4, 1, 0x1p-20F}));
    net.expectOneNode(y, 2);
}

TEST(FoldBatchNorm, leavesQuotientsThatNoProductGives) {
    Network net({1, 3, 4, 4});
    Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
    net.expectNodes(net.emit(Div, y, net.number(41)), 4);
}

TEST(FoldBatchNorm, leavesShiftsThatRoundTheProduct) { // (y + 12582912) - 12582912
    Network net({1, 3, 4, 4});
    Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
    y = net.emit(Sum, y, net.number(12582912));
    net.expectNodes(net.emit(Sub, y, net.number(12582912)), 5);
}

TEST(FoldBatchNorm, leavesScalesBeyondWhatWeightsMayHave) {
    for (float scale : {1e30F, 1e-38F, INFINITY}) {
        Network net({1, 3, 4, 4});
        Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
        net.graph.markOutput(net.emit(Prod, y, net.number(scale)));
        foldBatchNorm(net.graph);
        EXPECT_EQ(net.graph.outputs()[0]->producer()->kind(), "Elementwise");
    }
}

TEST(FoldBatchNorm, foldsWeightsThatDecayed) { // down to 1e-31 and below, as training leaves some
    Network net({1, 1, 2, 2});
    Tensor* y = net.graph.emit(Convolution{}, {net.x, written(net, {2, 1, 1, 1}, {1e-38F, 1})});
    net.expectOneNode(net.emit(Prod, y, net.number(1e-3F)), 1);
}

TEST(FoldBatchNorm, foldsIntoADeconvolution) {
    Network net({1, 4, 3, 3});
    Deconvolution layer;
    layer.groups = 2;
    layer.window.stride = {2, 2};
    Tensor* y = net.graph.emit(layer, {net.x, net.constant({4, 3, 2, 2})});
    net.expectOneNode(net.scaled(y, 6), 2);
}

TEST(FoldBatchNorm, foldsProductsIntoAMatrix) {
    for (MatrixOperation operation : {MatrixOperation::None, MatrixOperation::Transpose}) {
        Network net({2, 3, 4});
        MatrixMultiply layer;
        layer.b = operation;
        bool const transposed = operation == MatrixOperation::Transpose;
        Tensor* y = net.graph.emit(layer, {net.x, net.constant(transposed ? Dims{5, 4} : Dims{4, 5})});
        net.expectOneNode(net.emit(Prod, y, net.constant({5})), 1);
    }
}

TEST(FoldBatchNorm, leavesASumBehindAMatrix) { // without a bias
    Network net({2, 3, 4});
    Tensor* y = net.graph.emit(MatrixMultiply{}, {net.x, net.constant({4, 5})});
    net.expectNodes(net.emit(Sum, y, net.constant({5})), 4);
}

TEST(FoldBatchNorm, foldsAScaleBeforeAConvolution) {
    Network net({1, 4, 4, 4});
    Tensor* const x = net.emit(Prod, net.x, net.constant({4, 1, 1}));
    net.expectOneNode(net.graph.emit(grouped(2), {x, net.constant({6, 2, 3, 3})}), 1);
}

TEST(FoldBatchNorm, leavesAShiftBeforeAConvolution) { // which may cancel x
    Network net({1, 4, 4, 4});
    net.expectNodes(net.graph.emit(grouped(2), {net.scaled(net.x, 4), net.constant({6, 2, 3, 3})}), 5);
}

TEST(FoldBatchNorm, foldsAProductBeforePadding) {
    Network net({1, 3, 4, 4});
    Tensor* product = net.emit(Prod, net.x, net.constant({3, 1, 1}));
    net.expectOneNode(net.graph.emit(padded(), {product, net.constant({5, 3, 3, 3})}), 1);
}

TEST(FoldBatchNorm, leavesWhatOthersRead) {
    Network net({1, 3, 4, 4});
    Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
    net.expectNodes(net.emit(Sum, net.scaled(y, 5), y), 6);
}

TEST(FoldBatchNorm, leavesWeightsThatOthersRead) { // they get a copy
    Network net({1, 3, 4, 4});
    Tensor* w = net.constant({3, 3, 3, 3});
    Tensor* y = net.graph.emit(padded(), {net.x, w});
    Tensor* z = net.graph.emit(padded(), {net.scaled(y, 3), w});
    net.expectNodes(z, 5);
}

TEST(FoldBatchNorm, leavesNumbersThatAreNotOneAChannel) {
    Network net({1, 3, 4, 4});
    Tensor* y = net.graph.emit(padded(), {net.x, net.constant({5, 3, 3, 3})});
    net.expectNodes(net.emit(Prod, y, net.constant({4})), 4); // one per column
}

// as in a model before training: the weights are not written again, they are the network's own
TEST(FoldBatchNorm, leavesWeightsWhereABiasIsZero) {
    Network n({1, 4, 5, 5});
    Tensor* const weights = n.constant({6, 4, 3, 3});
    Tensor* const y = n.graph.emit(Convolution{}, {n.x, weights});
    Tensor* const zeros = n.graph.emit(Constant(floats({6, 1, 1}, {0, 0, 0, 0, 0, 0})), {});
    Tensor* const sum = n.emit(Sum, y, zeros);
    n.graph.markOutput(sum);
    foldBatchNorm(n.graph);
    ASSERT_EQ(n.graph.outputs()[0]->producer()->kind(), Convolution::kKind) << print(n.graph);
    EXPECT_EQ(n.graph.outputs()[0]->producer()->input(1), weights);
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_skip.h"

#include "layers/normalization/normalization.h"
#include "layers/pointwise/pointwise.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

using test::spread;
using enum PointwiseOp;

struct Network : test::WrittenGraph {
    Tensor* normalized(Tensor* x, std::vector<Tensor*> more = {}) {
        Normalization layer;
        layer.axes = {-1};
        more.insert(more.begin(), x);
        return graph.emit(layer, std::move(more));
    }
    Tensor* sum(std::vector<PointwiseStep> steps, std::vector<Tensor*> inputs) {
        Pointwise layer;
        layer.steps = std::move(steps);
        return graph.emit(layer, std::move(inputs));
    }
    void expectKinds(Tensor* output, std::string const& kinds) {
        Graph const fused = after(fuseSkip, output);
        EXPECT_EQ(test::kindsOf(fused), kinds) << print(fused);
    }
};

TEST(FuseSkip, takesASumInFrontOfANormalization) {
    Network net;
    net.expectKinds(net.normalized(net.emit(Sum, net.input({2, 3, 8}), net.input({2, 3, 8}))), "Normalization");
}

TEST(FuseSkip, takesABiasToo) {
    Network net;
    Tensor* const sum = net.sum({{Sum, 0, 1}, {Sum, 3, 2}},
                                {net.input({2, 3, 8}), net.input({2, 3, 8}), net.constant(spread({8}, -1, 1))});
    net.expectKinds(net.normalized(sum, {net.constant(spread({8}, 0.5F, 2))}), "Normalization");
    Network alone;
    alone.expectKinds(alone.normalized(alone.emit(Sum, alone.constant(spread({8}, -1, 1)), alone.input({3, 8}))),
                      "Normalization");
}

TEST(FuseSkip, leavesABiasThatKernelsWouldAddLater) {
    Network net;
    Tensor* const sum = net.sum({{Sum, 0, 1}, {Sum, 3, 2}},
                                {net.input({2, 3, 8}), net.constant(spread({8}, -1, 1)), net.input({2, 3, 8})});
    net.expectKinds(net.normalized(sum), "Pointwise Normalization");
}

TEST(FuseSkip, takesATensorPlusItself) {
    Network net;
    Tensor* const x = net.input({3, 8});
    net.expectKinds(net.normalized(net.emit(Sum, x, x)), "Normalization");
}

TEST(FuseSkip, leavesASumThatOthersRead) {
    Network net;
    Tensor* const sum = net.emit(Sum, net.input({3, 8}), net.input({3, 8}));
    net.expectKinds(net.emit(Sub, net.normalized(sum), sum), "Elementwise Normalization Elementwise");
    Network output;
    Tensor* const shown = output.emit(Sum, output.input({3, 8}), output.input({3, 8}));
    output.graph.markOutput(shown);
    output.expectKinds(output.normalized(shown), "Elementwise Normalization");
}

TEST(FuseSkip, leavesWhatIsNoSumOrOfMoreTensors) {
    Network product;
    product.expectKinds(product.normalized(product.emit(Prod, product.input({3, 8}), product.input({3, 8}))),
                        "Elementwise Normalization");
    Network three;
    Tensor* const sum =
        three.sum({{Sum, 0, 1}, {Sum, 3, 2}}, {three.input({3, 8}), three.input({3, 8}), three.input({3, 8})});
    three.expectKinds(three.normalized(sum), "Pointwise Normalization");
    Network grows;
    grows.expectKinds(grows.normalized(grows.emit(Sum, grows.input({3, 1}), grows.input({8}))),
                      "Elementwise Normalization");
}

TEST(FuseSkip, leavesAShiftThatKernelsCannotRead) { // along both sides of the rows
    Network net;
    Normalization layer;
    layer.axes = {1};
    Tensor* const sum = net.emit(Sum, net.input({2, 3, 4}), net.input({2, 1, 4}));
    net.expectKinds(net.graph.emit(layer, {sum}), "Elementwise Normalization");
}

} // namespace
} // namespace tenon

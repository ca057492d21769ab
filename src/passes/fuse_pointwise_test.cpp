// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_pointwise.h"

#include "base/text.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/pointwise/pointwise.h"
#include "layers/scale/scale.h"
#include "support/expect_same.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

using test::floats;
using test::spread;
using enum PointwiseOp;

class Network : public test::WrittenGraph {
public:
    explicit Network(Dims const& dims) : x(input(dims, 4)) {}

    Tensor* number(float value) { return constant(floats({1}, {value})); }

    /// Fuses, expects the same numbers as before, and returns the operations of each remaining node without constants.
    std::string fused(std::vector<Tensor*> const& outputs) {
        for (Tensor* output : outputs) graph.markOutput(output);
        Graph const before = graph;
        fusePointwise(graph);
        graph.check();
        test::expectSame(graph, before, values);
        std::string all;
        for (Node* node : graph.order()) {
            auto const* layer = as<Pointwise>(*node->layer);
            if (layer == nullptr) continue;
            all += all.empty() ? "" : " | ";
            for (PointwiseStep const& step : layer->steps) all += text(&step == &layer->steps[0] ? "" : " ", step.op);
        }
        return all;
    }

    Tensor* x;
};

TEST(FusePointwise, turnsPaddlesHardSwishIntoThreeSteps) { // as in PP-OCRv4: s x + t, hard-swish, u y + v
    Network net({1, 2, 3, 3});
    Tensor* const y = net.emit(Sum, net.emit(Prod, net.number(1.4F), net.x), net.number(0.6F));
    Tensor* const clipped = net.emit(Clip, net.emit(Sum, y, net.number(3)), 0, 6);
    Tensor* const swish = net.emit(Div, net.emit(Prod, y, clipped), net.number(6));
    EXPECT_EQ(net.fused({net.emit(Sum, net.emit(Prod, net.number(0.17F), swish), net.number(0.01F))}),
              "Affine HardSwish Affine");
}

TEST(FusePointwise, recognisesGeluWhoseHalfBecamePartOfWeights) { // x (1 + erf(x / sqrt(2)))
    Network net({1, 2, 3, 3});
    Tensor* const erf = net.emit(Erf, net.emit(Div, net.x, net.number(1.4142135F)));
    EXPECT_EQ(net.fused({net.emit(Prod, net.x, net.emit(Sum, erf, net.number(1)))}), "GeluErf Affine");
}

TEST(FusePointwise, turnsSingleNumbersIntoParameters) {
    auto const one = [](PointwiseOp op, float number, bool left) {
        Network net({1, 2, 3});
        Tensor* const c = net.number(number);
        return net.fused({left ? net.emit(op, c, net.x) : net.emit(op, net.x, c)});
    };
    EXPECT_EQ(one(Sum, 2, false), "Affine");
    EXPECT_EQ(one(Sub, 2, true), "Affine");
    EXPECT_EQ(one(Sub, 2, false), "Affine");
    EXPECT_EQ(one(Div, 2, false), "Affine");
    EXPECT_EQ(one(Div, 3, false), "Div"); // 1/3 is rounded
    EXPECT_EQ(one(Div, 1, true), "Recip");
    EXPECT_EQ(one(Div, 2, true), "Div");
    EXPECT_EQ(one(Sum, 0, false), "Sum"); // turns -0 into 0
    EXPECT_EQ(one(Sub, 0, false), "Affine");
    EXPECT_EQ(one(Sub, 0, true), "Sub");
    EXPECT_EQ(one(Max, 1, false), "Clip");
    EXPECT_EQ(one(Min, 1, true), "Clip");
    EXPECT_EQ(one(ParametricRelu, 0.2F, false), "LeakyRelu");
    EXPECT_EQ(one(ParametricRelu, -0.2F, true), "ParametricRelu");
    EXPECT_EQ(one(Pow, 2, false), "Prod");
    EXPECT_EQ(one(Pow, 3, false), "Prod Prod");
    EXPECT_EQ(one(Pow, -1, false), "Recip");
    EXPECT_EQ(one(Pow, 0.5F, false), "Pow"); // not the root: of -infinity it is infinity
    EXPECT_EQ(one(Pow, 4, false), "Pow");
    EXPECT_EQ(one(Pow, 1.5F, true), "Pow");
    EXPECT_EQ(one(FloorDiv, 2, false), "FloorDiv");
}

TEST(FusePointwise, joinsATreeOfTwoInputs) {
    Network net({1, 2, 3, 3});
    Tensor* const b = net.constant(spread({1, 2, 3, 3}, -1, 1));
    Tensor* const sum = net.emit(Sum, net.emit(Sigmoid, net.x), net.emit(Tanh, net.emit(Prod, net.x, b)));
    EXPECT_EQ(net.fused({net.emit(Relu, sum)}), "Sigmoid Prod Tanh Sum Relu");
}

TEST(FusePointwise, keepsResultsThatOthersRead) {
    Network net({1, 2, 3});
    Tensor* const shared = net.emit(Sigmoid, net.x);
    EXPECT_EQ(net.fused({net.emit(Relu, shared), net.emit(Tanh, shared)}), "Sigmoid | Relu | Tanh");
    Network outputs({1, 2, 3});
    Tensor* const first = outputs.emit(Sigmoid, outputs.x);
    EXPECT_EQ(outputs.fused({first, outputs.emit(Relu, first)}), "Sigmoid | Relu");
}

TEST(FusePointwise, computesSmallResultsOnce) { // a gate of one number per channel is not computed for every element
    Network net({1, 2, 3, 3});
    Tensor* const gate = net.emit(Sigmoid, net.graph.addInput("gate", DataType::Float32, {1, 2, 1, 1}));
    net.graph.markOutput(net.emit(Prod, net.x, gate));
    fusePointwise(net.graph);
    EXPECT_EQ(net.graph.nodes().size(), 2U);
}

TEST(FusePointwise, takesScalesAndGivesConstantsTheRankOfTheResult) {
    Network net({1, 2, 3, 3});
    Scale scale;
    scale.mode = Scale::Mode::Channel;
    Tensor* const y =
        net.graph.emit(scale, {net.x, net.constant(floats({2}, {1, -1})), net.constant(floats({2}, {2, 3}))});
    EXPECT_EQ(net.fused({net.emit(Relu, net.emit(Sum, y, net.constant(floats({3}, {1, 2, 3}))))}), "Prod Sum Sum Relu");
    Node const& node = *net.graph.outputs()[0]->producer();
    std::string shapes;
    for (Tensor* input : node.inputs()) shapes += text(input->shape, ' ');
    EXPECT_EQ(shapes, "[1,2,3,3] [1,2,1,1] [1,2,1,1] [1,1,1,3] ");
    EXPECT_EQ(net.graph.nodes().size(), 4U); // three constants and the node
}

TEST(FusePointwise, leavesToConvolutionsWhatTheyCanCompute) { // relu(conv(x)) + conv(x)
    Network net({1, 2, 3, 3});
    Tensor* const weights = net.constant(spread({2, 2, 1, 1}, -1, 1));
    Tensor* const a = net.emit(Relu, net.graph.emit(Convolution{}, {net.x, weights}));
    Tensor* const b = net.graph.emit(Convolution{}, {net.x, weights});
    EXPECT_EQ(net.fused({net.emit(Relu, net.emit(Sum, a, b))}), "Relu | Sum Relu");
}

TEST(FusePointwise, leavesIntegersAndBooleans) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Int64, {2});
    Tensor* const y = graph.addInput("y", DataType::Float32, {2});
    graph.markOutput(graph.emit(elementwise(Sum), {graph.emit(elementwise(Prod), {x, x}), x}));
    graph.markOutput(graph.emit(elementwise(Less), {y, y}));
    fusePointwise(graph);
    for (auto const& node : graph.nodes()) EXPECT_EQ(node->kind(), "Elementwise");
}

} // namespace
} // namespace tenon

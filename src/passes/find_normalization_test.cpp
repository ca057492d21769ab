// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/find_normalization.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/normalization/normalization.h"
#include "layers/reduce/reduce.h"
#include "layers/unary/unary.h"
#include "support/expect_same.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

using test::floats;
using test::spread;
using enum PointwiseOp;

/// A graph with one input, and the parts of a normalization as exporters write them.
class Network : public test::WrittenGraph {
public:
    explicit Network(Dims const& dims, std::vector<int64_t> axes = {-1}) : axes_(std::move(axes)), x(input(dims, 4)) {}

    Tensor* number(float value) { return constant(floats({1}, {value})); }
    Tensor* average(Tensor* of) { return WrittenGraph::average(of, axes_); }
    Tensor* centered() { return emit(Sub, x, average(x)); }
    Tensor* variance(Tensor* deviation) { return average(emit(Pow, deviation, number(2))); }
    Tensor* deviationOf(Tensor* centered) { return emit(Sqrt, emit(Sum, variance(centered), number(0.25F))); }
    Tensor* normalized() {
        Tensor* const d = centered();
        return emit(Div, d, deviationOf(d));
    }

    /// Runs the pass, expects the same numbers as before, and returns the remaining nodes without constants, a
    /// normalization with the number of its inputs.
    std::string found(std::vector<Tensor*> const& outputs) {
        for (Tensor* output : outputs) graph.markOutput(output);
        Graph const before = graph;
        findNormalization(graph);
        graph.check();
        test::expectSame(graph, before, values);
        std::string all;
        for (Node const* node : graph.order()) {
            if (as<Constant>(*node->layer)) continue;
            bool const is = as<Normalization>(*node->layer) != nullptr;
            all += text(all.empty() ? "" : " ", node->kind(), is ? text(node->inputs().size()) : "");
        }
        return all;
    }

private:
    std::vector<int64_t> axes_;

public:
    Tensor* x;
};

TEST(FindNormalization, findsPaddlesLayerNormalization) { // as in PP-OCRv4
    Network net({2, 5, 12});
    Tensor* const scaled = net.emit(Prod, net.normalized(), net.constant(spread({12}, 0.5F, 2)));
    Tensor* const y = net.emit(Sum, scaled, net.constant(spread({12}, -1, 1)));
    y->name = "y";
    EXPECT_EQ(net.found({y}), "Normalization3");
    EXPECT_EQ(net.graph.nodes().size(), 3U); // no constants are left over
    EXPECT_EQ(net.graph.outputs()[0]->name, "y");
    EXPECT_NE(print(net.graph).find("epsilon=0.25"), std::string::npos);
}

TEST(FindNormalization, findsItInOtherWords) {
    { // d * (1 / sqrt), the square as a product, the number first
        Network net({3, 8});
        Tensor* const d = net.centered();
        Tensor* const variance = net.average(net.emit(Prod, d, d));
        Tensor* const root = net.emit(Sqrt, net.emit(Sum, net.number(0.25F), variance));
        EXPECT_EQ(net.found({net.emit(Prod, net.emit(Recip, root), d)}), "Normalization1");
    }
    { // powers of 1/2, 1 / …
        Network net({3, 8});
        Tensor* const d = net.centered();
        Tensor* const shifted = net.emit(Sum, net.variance(d), net.number(0.25F));
        Tensor* const inverse = net.emit(Div, net.number(1), net.emit(Pow, shifted, net.number(0.5F)));
        EXPECT_EQ(net.found({net.emit(Prod, d, inverse)}), "Normalization1");
    }
    { // a power of -1/2; x - mean computed twice
        Network net({3, 8});
        Tensor* const shifted = net.emit(Sum, net.variance(net.centered()), net.number(0.25F));
        Tensor* const inverse = net.emit(Pow, shifted, net.number(-0.5F));
        EXPECT_EQ(net.found({net.emit(Prod, net.centered(), inverse)}), "Normalization1");
    }
}

TEST(FindNormalization, findsThoseWithoutAMean) {
    Network net({3, 8});
    Tensor* const y = net.emit(Div, net.x, net.deviationOf(net.x));
    EXPECT_EQ(net.found({net.emit(Prod, net.constant(spread({8}, 0.5F, 2)), y)}), "Normalization2");
}

TEST(FindNormalization, findsInstanceNormalization) {
    Network net({2, 3, 4, 4}, {2, 3});
    Tensor* const scaled = net.emit(Prod, net.constant(spread({3, 1, 1}, 0.5F, 2)), net.normalized());
    EXPECT_EQ(net.found({net.emit(Sum, scaled, net.constant(spread({1, 3, 1, 1}, -1, 1)))}), "Normalization3");
}

TEST(FindNormalization, takesABiasWithoutAScale) {
    Network net({3, 8});
    EXPECT_EQ(net.found({net.emit(Sum, net.normalized(), net.constant(spread({8}, -1, 1)))}), "Normalization3");
}

TEST(FindNormalization, findsSeveralInARow) {
    Network net({3, 8});
    Tensor* const first = net.emit(Prod, net.normalized(), net.constant(spread({8}, 0.5F, 2)));
    net.x = first;
    EXPECT_EQ(net.found({net.normalized()}), "Normalization2 Normalization1");
}

TEST(FindNormalization, leavesWhatOthersRead) {
    Network net({3, 8});
    Tensor* const y = net.normalized();
    Tensor* const scaled = net.emit(Prod, y, net.constant(spread({8}, 0.5F, 2)));
    EXPECT_EQ(net.found({net.emit(Sum, scaled, y)}), "Normalization1 Elementwise Elementwise");
}

TEST(FindNormalization, leavesOutputsOfTheNetwork) {
    Network net({3, 8});
    Tensor* const d = net.centered();
    Tensor* const y = net.emit(Div, d, net.deviationOf(d));
    EXPECT_EQ(net.found({d, net.emit(Prod, y, net.number(3))}), "Reduce Elementwise Normalization2");
}

TEST(FindNormalization, takesNoScaleThatIsComputedOrGrowsTheResult) {
    {
        Network net({3, 8});
        EXPECT_EQ(net.found({net.emit(Prod, net.normalized(), net.x)}), "Normalization1 Elementwise");
    }
    {
        Network net({3, 8});
        EXPECT_EQ(net.found({net.emit(Prod, net.normalized(), net.constant(spread({2, 1, 8}, 0.5F, 2)))}),
                  "Normalization1 Elementwise");
    }
}

TEST(FindNormalization, leavesAMeanAlongOtherAxes) { // the dividend is normalized, without a mean of its own
    Network net({3, 8, 4});
    Tensor* const d = net.centered();
    Reduce other;
    other.operation = ReduceOperation::Avg;
    other.axes = {1};
    other.keepDimensions = true;
    Tensor* const variance = net.graph.emit(other, {net.emit(Prod, d, d)});
    Tensor* const root = net.emit(Sqrt, net.emit(Sum, variance, net.number(0.25F)));
    EXPECT_EQ(net.found({net.emit(Div, d, root)}), "Reduce Elementwise Normalization1");
}

TEST(FindNormalization, refusesWhatIsAlmostOne) {
    constexpr auto kAll = "Reduce Elementwise Elementwise Reduce Elementwise Unary Elementwise";
    { // a sum instead of the average
        Network net({3, 8});
        Tensor* const d = net.centered();
        Reduce sum;
        sum.axes = {1};
        sum.keepDimensions = true;
        Tensor* const squares = net.graph.emit(sum, {net.emit(Prod, d, d)});
        Tensor* const root = net.emit(Sqrt, net.emit(Sum, squares, net.number(0.25F)));
        EXPECT_EQ(net.found({net.emit(Div, d, root)}), kAll);
    }
    { // the square of another tensor
        Network net({3, 8});
        Tensor* const d = net.centered();
        Tensor* const root = net.emit(Sqrt, net.emit(Sum, net.variance(net.x), net.number(0.25F)));
        EXPECT_EQ(net.found({net.emit(Div, d, root)}), kAll);
    }
    { // the third power
        Network net({3, 8});
        Tensor* const d = net.centered();
        Tensor* const cubes = net.average(net.emit(Pow, net.emit(Prod, d, d), net.number(1.5F)));
        Tensor* const root = net.emit(Sqrt, net.emit(Sum, cubes, net.number(0.25F)));
        EXPECT_EQ(net.found({net.emit(Div, d, root)}),
                  "Reduce Elementwise Elementwise Elementwise Reduce Elementwise Unary Elementwise");
    }
    { // the root divided by its dividend
        Network net({3, 8});
        Tensor* const d = net.emit(Sum, net.centered(), net.number(9));
        EXPECT_EQ(net.found({net.emit(Div, net.deviationOf(d), d)}),
                  "Reduce Elementwise Elementwise Elementwise Reduce Elementwise Unary Elementwise");
    }
    { // axes that are not adjacent, which no kernel supports
        Network net({2, 3, 4, 4}, {0, 2, 3});
        EXPECT_EQ(net.found({net.normalized()}), kAll);
    }
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fold_constants.h"

#include "base/text.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/dequantize/dequantize.h"
#include "layers/expand/expand.h"
#include "layers/gather/gather.h"
#include "layers/resize/resize.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;

TEST(FoldConstants, computesWhatReadsConstantsOnly) {
    Graph graph;
    Tensor* x = graph.emit(Constant(floats({2, 2}, {1, 2, 3, 4})), {});
    Tensor* y = graph.emit(Shuffle::transposing({1, 0}), {x});
    graph.markOutput(
        graph.emit(Softmax{}, {graph.emit(Concatenation{}, {y, graph.addInput("in", DataType::Float32, {1, 2})})}));
    foldConstants(graph);
    Node const* reader = graph.inputs()[0]->readers()[0];
    ASSERT_TRUE(reader->input(0)->literal());
    EXPECT_EQ(*reader->input(0)->literal(), floats({2, 2}, {1, 3, 2, 4}));
    EXPECT_EQ(graph.nodes().size(), 4U); // the constant without readers is left to removeDead
}

TEST(FoldConstants, makesTensorsWithoutElementsConstantWhateverTheyAreComputedFrom) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {0, 6});
    Tensor* y = graph.emit(Softmax{}, {x});
    y->name = "y";
    graph.markOutput(y);
    foldConstants(graph);
    ASSERT_TRUE(graph.outputs()[0]->literal());
    EXPECT_EQ(graph.outputs()[0]->literal()->dims(), (Dims{0, 6}));
    EXPECT_EQ(graph.outputs()[0]->name, "y");
}

TEST(FoldConstants, foldsWhatTheShapeRulesTell) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 6});
    Tensor* shape = graph.emit(ShapeOf{}, {x});
    Tensor* width = graph.emit(Gather{}, {shape, graph.emit(Constant(ints({1}, {1})), {})}); // always 6
    Tensor* y =
        graph.emit(Shuffle{}, {x, graph.emit(Concatenation{}, {graph.emit(Constant(ints({1}, {-1})), {}), width})});
    graph.markOutput(y);
    foldConstants(graph);
    ASSERT_TRUE(y->producer()->input(1)->literal());
    EXPECT_EQ(*y->producer()->input(1)->literal(), ints({2}, {-1, 6}));
    EXPECT_EQ(text(y->shape), "[N,6]");
}

TEST(FoldConstants, infersShapesAgainThatDependOnWhatItComputed) {
    Graph graph; // unknown to the shape rules: a float that is picked from two
    Tensor* two = graph.emit(Constant(floats({2}, {3, 4})), {});
    Tensor* scale = graph.emit(Gather{}, {two, graph.emit(Constant(ints({1}, {1})), {})});
    Tensor* y = graph.emit(Resize{}, {graph.addInput("x", DataType::Float32, {1}), nullptr, scale}, "resize");
    graph.markOutput(y);
    EXPECT_NE(text(y->shape), "[4]");
    foldConstants(graph);
    EXPECT_EQ(text(y->shape), "[4]");
}

TEST(FoldConstants, keepsTheNamesOfOutputs) {
    Graph graph;
    Tensor* y = graph.emit(ShapeOf{}, {graph.addInput("x", DataType::Float32, {2, 3})});
    y->name = "extents";
    graph.markOutput(y);
    foldConstants(graph);
    ASSERT_TRUE(graph.outputs()[0]->literal());
    EXPECT_EQ(graph.outputs()[0]->name, "extents");
}

TEST(FoldConstants, leavesAloneWhatWouldGrowMuch) {
    Graph graph;
    Tensor* shape = graph.emit(Constant(ints({2}, {1000, 1000})), {});
    Tensor* y = graph.emit(Expand{}, {graph.emit(Constant(floats({}, {1})), {}), shape});
    graph.markOutput(y);
    foldConstants(graph);
    EXPECT_EQ(graph.outputs()[0]->producer()->kind(), Expand::kKind);
}

/// Whether this constant, dequantized, is a constant after the pass.
bool dequantizes(Literal const& weights) {
    Graph graph;
    Tensor* const scale = graph.emit(Constant(Literal::scalar(0.5F)), {});
    graph.markOutput(graph.emit(Dequantize{}, {graph.emit(Constant(weights), {}), scale}));
    foldConstants(graph);
    Literal const* const found = graph.outputs()[0]->literal();
    if (found != nullptr) {
        EXPECT_EQ(found->as<float>()[0], 1.5F);
    }
    return found != nullptr;
}

TEST(FoldConstants, dequantizesWeightsOf8BitsAndSmallOnesOf4) {
    constexpr int64_t kMany = 100'000;
    EXPECT_TRUE(dequantizes(Literal::of({kMany}, std::vector<int8_t>(kMany, 3))));
    EXPECT_TRUE(dequantizes(Literal::copyOf(DataType::Float8, {kMany}, std::string(kMany, '\x44').data()))); // 3
    EXPECT_TRUE(dequantizes(Literal::copyOf(DataType::Int4, {4}, "\x33\x33")));
    EXPECT_FALSE(dequantizes(Literal::copyOf(DataType::Int4, {kMany}, std::string(kMany / 2, '\x33').data())));
}

TEST(FoldConstants, namesTheNodeThatCannotBeComputed) {
    Graph graph;
    Tensor* x = graph.emit(Constant(floats({2}, {1, 2})), {});
    Tensor* index = graph.emit(Constant(ints({1}, {5})), {});
    graph.markOutput(graph.emit(Gather{}, {x, index}, "pick"));
    EXPECT_EQ(test::errorOf([&] { foldConstants(graph); }),
              "pick (Gather): index 5 is outside axis 0, which has extent 2");
}

} // namespace
} // namespace tenon

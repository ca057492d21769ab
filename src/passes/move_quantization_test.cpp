// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/move_quantization.h"

#include "layers/activation/activation.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/dequantize/dequantize.h"
#include "layers/pooling/pooling.h"
#include "layers/quantize/quantize.h"
#include "layers/quantized_constant/quantized_constant.h"
#include "layers/resize/resize.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "passes/find_quanta.h"
#include "passes/fold_constants.h"
#include "passes/remove_dead.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

class Network : public test::WrittenGraph {
public:
    Network() : x(input({1, 4, 6, 8})) {}

    Tensor* quantize(Tensor* of, float by = 0.01F) { return graph.emit(Quantize{}, {of, number(by)}); }
    Tensor* dequantize(Tensor* of, float by = 0.01F) { return graph.emit(Dequantize{}, {of, number(by)}); }
    Tensor* dequantized(float by = 0.01F) { return dequantize(quantize(x, by), by); }
    Tensor* pooled(Tensor* of) {
        Pooling layer;
        layer.windowSize = {2, 2};
        return graph.emit(layer, {of});
    }

    void expectKinds(Tensor* output, std::string const& kinds) {
        Graph const moved = after([](Graph& graph) { moveQuantization(graph), removeDead(graph); }, output);
        EXPECT_EQ(test::kindsOf(moved), kinds) << print(moved);
    }

    Tensor* x;
};

Activation tanh() {
    Activation layer;
    layer.operation = PointwiseOp::Tanh;
    return layer;
}

TEST(MoveQuantization, dequantizesBehindWhatMoves) {
    Network net;
    Tensor* y = net.graph.emit(Shuffle::transposing({0, 2, 3, 1}), {net.dequantized()});
    net.expectKinds(net.graph.emit(tanh(), {y}), "Quantize Shuffle Dequantize Activation");
}

TEST(MoveQuantization, quantizesBeforeWhatMoves) {
    Network net;
    Tensor* y = net.pooled(net.graph.emit(Activation{}, {net.x}));
    net.expectKinds(net.dequantize(net.quantize(y)), "Activation Quantize Pooling Dequantize");
}

TEST(MoveQuantization, meetsAndGoes) {
    Network net;
    Tensor* y = net.quantize(net.pooled(net.dequantized()));
    net.expectKinds(net.dequantize(y), "Quantize Pooling Dequantize");
}

TEST(MoveQuantization, quantizesBehindRelu) {
    Network net;
    Tensor* y = net.graph.emit(Activation{}, {net.dequantized()});
    net.expectKinds(net.dequantize(net.quantize(y)), "Activation Quantize Dequantize");
}

TEST(MoveQuantization, joinsWhatIsDequantizedAlike) {
    Network net;
    net.expectKinds(net.graph.emit(Concatenation::along(1), {net.dequantized(), net.dequantized()}),
                    "Quantize Quantize Concatenation Dequantize");
}

TEST(MoveQuantization, leavesWhatIsDequantizedByOtherScales) {
    Network net;
    net.expectKinds(net.graph.emit(Concatenation::along(1), {net.dequantized(0.01F), net.dequantized(0.02F)}),
                    "Quantize Dequantize Quantize Dequantize Concatenation");
}

TEST(MoveQuantization, passesAnUpsampling) {
    Network net;
    Resize doubled;
    doubled.scales = {1, 1, 2, 2};
    Tensor* y = net.quantize(net.graph.emit(doubled, {net.dequantized()}));
    net.expectKinds(net.dequantize(y), "Quantize Resize Dequantize");
}

TEST(MoveQuantization, leavesAnUpsamplingThatAverages) {
    Network net;
    Resize doubled;
    doubled.mode = Resize::Mode::Linear;
    doubled.scales = {1, 1, 2, 2};
    Tensor* y = net.quantize(net.graph.emit(doubled, {net.dequantized()}));
    net.expectKinds(net.dequantize(y), "Quantize Dequantize Resize Quantize Dequantize");
}

TEST(MoveQuantization, leavesASliceThatAddsZeros) {
    Network net;
    Slice padded;
    padded.mode = Slice::Mode::Fill;
    padded.start = {0, 0, -1, -1};
    padded.size = {1, 4, 8, 10};
    Tensor* y = net.quantize(net.graph.emit(padded, {net.dequantized()}));
    net.expectKinds(net.dequantize(y), "Quantize Dequantize Slice Quantize Dequantize");
}

TEST(MoveQuantization, leavesWhatComputes) {
    Network net;
    Pooling average;
    average.type = PoolingType::Average;
    average.windowSize = {2, 2};
    net.expectKinds(net.graph.emit(average, {net.dequantized()}), "Quantize Dequantize Pooling");
}

TEST(MoveQuantization, scalesOfWeightsFollowTheirAxis) {
    Graph graph;
    Tensor* const w = graph.emit(Constant(Literal::of<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6})), {});
    Dequantize layer;
    layer.axis = 0;
    Tensor* const scales = graph.emit(Constant(Literal::of<float>({2}, {1, 10})), {});
    Tensor* y = graph.emit(Shuffle::transposing({1, 0}), {graph.emit(layer, {w, scales})});
    graph.markOutput(y);
    moveQuantization(graph);
    foldConstants(graph);
    auto const* folded = as<QuantizedConstant>(*graph.outputs()[0]->producer()->layer);
    ASSERT_NE(folded, nullptr) << print(graph);
    EXPECT_EQ(folded->axis, 1);
    EXPECT_EQ(folded->scales.toFloat(), (std::vector<float>{1, 10}));
    EXPECT_EQ(folded->value.toFloat(), (std::vector<float>{1, 40, 2, 50, 3, 60}));
}

/// A list of one scale applies to all, whatever the layer's axis: ONNX's default is 1, also for a constant with a
/// single axis.
TEST(MoveQuantization, takesAListOfOneScaleForAll) {
    Graph graph;
    Tensor* const w = graph.emit(Constant(Literal::of<int8_t>({3}, {1, -2, 3})), {});
    Dequantize layer;
    layer.axis = 1;
    Tensor* const scale = graph.emit(Constant(Literal::of<float>({1}, {0.5F})), {});
    Tensor* const zero = graph.emit(Constant(Literal::of<int8_t>({1}, {0})), {});
    graph.markOutput(graph.emit(Shuffle::transposing({0}), {graph.emit(layer, {w, scale, zero})}));
    moveQuantization(graph);
    foldConstants(graph);
    ASSERT_NE(graph.outputs()[0]->literal(), nullptr) << print(graph);
    EXPECT_EQ(graph.outputs()[0]->literal()->toFloat(), (std::vector<float>{0.5F, -1, 1.5F}));
}

TEST(FoldConstants, knowsIntegersWithAZeroPointAsLongAsTheyFit) {
    for (uint8_t const zero : {uint8_t{128}, uint8_t{100}}) {
        Graph graph;
        Tensor* const w = graph.emit(Constant(Literal::of<uint8_t>({3}, {0, 128, 255})), {});
        Tensor* const scale = graph.emit(Constant(Literal::scalar(0.5F)), {});
        Tensor* const zeroPoint = graph.emit(Constant(Literal::scalar(zero)), {});
        graph.markOutput(graph.emit(Dequantize{}, {w, scale, zeroPoint}));
        foldConstants(graph);
        EXPECT_EQ(as<QuantizedConstant>(*graph.outputs()[0]->producer()->layer) != nullptr, zero == 128);
    }
}

TEST(FindQuanta, marksWhatIsDequantizedAndWhatIsOnlyQuantized) {
    Network net;
    Tensor* const y = net.graph.emit(tanh(), {net.dequantized(0.5F)});
    net.graph.markOutput(net.dequantize(net.quantize(y, 0.25F), 0.25F));
    findQuanta(net.graph);
    EXPECT_EQ(net.x->quantum.scale, 0.5F);
    EXPECT_TRUE(net.x->quantum.isExact);
    EXPECT_EQ(y->producer()->input(0)->quantum.scale, 0.5F);
    EXPECT_EQ(y->quantum.scale, 0.25F);
    EXPECT_EQ(net.graph.outputs()[0]->quantum.scale, 0.25F);
}

TEST(FindQuanta, leavesWhatIsReadInTwoWays) {
    Network net;
    net.graph.markOutput(net.quantize(net.x, 0.5F));
    net.graph.markOutput(net.quantize(net.x, 0.25F));
    findQuanta(net.graph);
    EXPECT_EQ(net.x->quantum.scale, 0);
}

TEST(FindQuanta, leavesOutputs) {
    Network net;
    Tensor* const y = net.graph.emit(Activation{}, {net.x});
    net.graph.markOutput(y);
    net.graph.markOutput(net.quantize(y));
    findQuanta(net.graph);
    EXPECT_EQ(y->quantum.scale, 0);
}

TEST(QuantizedConstant, saysWhatDoesNotFit) {
    QuantizedConstant layer;
    layer.value = Literal::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    layer.scales = Literal::of<float>({2}, {1, 2});
    layer.axis = 1;
    EXPECT_EQ(test::inferError(layer, {}),
              "node (QuantizedConstant): has scales float32 [2] along axis 1 of a value float32 [2,3]; expected "
              "float32, and one scale for all or one for each index of that axis");
}

} // namespace
} // namespace tenon

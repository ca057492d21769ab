// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/lower_attention.h"

#include "base/error.h"
#include "layers/attention/attention.h"
#include "support/layer_case.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

struct LowerAttention : test::WrittenGraph, testing::Test {
    Attention layer = quantizing();

    static Attention quantizing() {
        Attention layer;
        layer.quantizeTo = DataType::Int8;
        return layer;
    }
    Tensor* attention(std::vector<Tensor*> inputs) {
        inputs.resize(Attention::kWeightScale, nullptr);
        inputs.push_back(number(0.01F));
        return graph.emit(layer, inputs, "attention");
    }
    Tensor* attention() { return attention({input({2, 4, 3, 8}), input({2, 2, 5, 8}), input({2, 2, 5, 6})}); }
    void expectStays(Tensor* output) {
        lowerAttention(graph);
        EXPECT_EQ(output->producer()->kind(), Attention::kKind);
    }
};

TEST_F(LowerAttention, writesWhatQuantizesAsPlainLayers) {
    Graph const lowered = after(lowerAttention, attention());
    EXPECT_EQ(lowered.outputs()[0]->name, "y");
    std::string const kinds = test::kindsOf(lowered);
    EXPECT_NE(kinds.find("Softmax Quantize Dequantize MatrixMultiply"), std::string::npos) << kinds;
    EXPECT_EQ(kinds.find("Attention"), std::string::npos) << kinds;
}

TEST_F(LowerAttention, namesLayersAfterTheAttentionAndAsksThemForItsType) {
    Node* const node = attention()->producer();
    node->askedType = DataType::Float32;
    graph.markOutput(node->output());
    lowerAttention(graph);
    for (auto const& added : graph.nodes()) {
        if (added->layer->constant()) continue;
        EXPECT_EQ(added->name.find("attention"), 0U) << added->name;
        bool const isAsked = added->askedType == DataType::Float32;
        EXPECT_TRUE(isAsked || (added->kind() != "Softmax" && added->kind() != "MatrixMultiply")) << added->name;
    }
}

TEST_F(LowerAttention, leavesWhatDoesNotQuantize) {
    layer.quantizeTo = DataType::Float32;
    Tensor* const x = input({2, 4, 3, 8});
    expectStays(graph.emit(layer, {x, x, x}));
}

TEST_F(LowerAttention, leavesPackedSequences) {
    layer.packedQueries = layer.packedKeys = true;
    for (AttentionView* view : {&layer.query, &layer.key, &layer.value, &layer.output}) view->axes = {-1, 1, 0, 2};
    Tensor* const x = input({7, 4, 8});
    Tensor* const lengths = constant(Literal::of<int32_t>({3}, {0, 3, 7}));
    expectStays(attention({x, x, x, nullptr, lengths, lengths}));
}

TEST_F(LowerAttention, leavesSharedHeadsWhoseNumberIsNotKnown) {
    Tensor* const q = graph.addInput("q", DataType::Float32, {1, DimExpr::symbol("H"), 3, 4});
    Tensor* const k = graph.addInput("k", DataType::Float32, {1, 2, 3, 4});
    expectStays(attention({q, k, k}));
}

/// Against the attention's reference: extents that only the run knows decide which keys are seen.
TEST_F(LowerAttention, takesExtentsThatOnlyTheRunKnows) {
    DimExpr const n = DimExpr::symbol("N");
    DimExpr const s = DimExpr::symbol("S");
    DimExpr const t = DimExpr::symbol("T");
    for (auto const causal : {Attention::Causal::None, Attention::Causal::UpperLeft, Attention::Causal::LowerRight}) {
        for (bool const hasLengths : {false, true}) {
            graph = {};
            layer.causal = causal;
            layer.scale = 0; // weights that are equal are not near to the middle between two numbers
            Tensor* const q = graph.addInput("q", DataType::Float32, {n, 2, s, 4});
            Tensor* const k = graph.addInput("k", DataType::Float32, {n, 2, t, 4});
            std::vector<Tensor*> inputs{q, k, k};
            std::vector<Literal> fed{test::spread({3, 2, 4, 4}, -1, 1), test::spread({3, 2, 6, 4}, -1, 1)};
            if (hasLengths) {
                inputs.resize(Attention::kKeyLengths, nullptr);
                inputs.push_back(graph.addInput("lengths", DataType::Int32, {n}));
                fed.push_back(Literal::of<int32_t>({3}, {9, -1, 3})); // of which 6, 0 and 3 are there
            }
            graph.markOutput(attention(inputs));
            Literal const expected = test::runGraph(graph, fed)[0];
            Graph lowered = graph;
            lowerAttention(lowered);
            EXPECT_EQ(test::kindsOf(lowered).find("Attention"), std::string::npos);
            test::expectClose(test::runGraph(lowered, fed)[0], expected, 1e-5, "reference");
            test::expectClose(test::runEngine(graph, fed)[0], expected, 1e-5, "engine");
        }
    }
}

} // namespace
} // namespace tenon

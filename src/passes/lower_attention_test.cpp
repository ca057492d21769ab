// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/lower_attention.h"

#include "base/error.h"
#include "layers/attention/attention.h"
#include "layers/constant/constant.h"
#include "layers/dist_collective/dist_collective.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
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

/// Against the attention's reference: extents that are known at run time only decide which keys are seen.
TEST_F(LowerAttention, takesExtentsThatOnlyTheRunKnows) {
    DimExpr const n = DimExpr::symbol("N");
    DimExpr const s = DimExpr::symbol("S");
    DimExpr const t = DimExpr::symbol("T");
    for (auto const causal : {Attention::Causal::None, Attention::Causal::UpperLeft, Attention::Causal::LowerRight}) {
        for (bool const hasLengths : {false, true}) {
            graph = {};
            layer.causal = causal;
            layer.scale = 0; // equal weights are not near the middle between two quantized values
            Tensor* const q = graph.addInput("q", DataType::Float32, {n, 2, s, 4});
            Tensor* const k = graph.addInput("k", DataType::Float32, {n, 2, t, 4});
            std::vector<Tensor*> inputs{q, k, k};
            std::vector<Literal> fed{test::spread({3, 2, 4, 4}, -1, 1), test::spread({3, 2, 6, 4}, -1, 1)};
            if (hasLengths) {
                inputs.resize(Attention::kKeyLengths, nullptr);
                inputs.push_back(graph.addInput("lengths", DataType::Int32, {n}));
                fed.push_back(Literal::of<int32_t>({3}, {9, -1, 3})); // of which 6, 0 and 3 exist
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

// ---- several ranks

/// Rows `from` to `from + count` of axis 2 of X [N,H,S,D].
Literal partOf(Literal const& x, int64_t from, int64_t count) {
    Graph graph;
    Slice slice;
    slice.axes = {2};
    slice.start = {from};
    slice.size = {count};
    graph.markOutput(graph.emit(slice, {graph.addInput("x", x.type(), toShape(x.dims()))}));
    return test::runGraph(graph, {x})[0];
}

/// X [N,H,T,D] → [T,N,H,D]
Literal sequenceFirst(Literal const& x) {
    Graph graph;
    graph.markOutput(
        graph.emit(Shuffle::transposing({2, 0, 1, 3}), {graph.addInput("x", x.type(), toShape(x.dims()))}));
    return test::runGraph(graph, {x})[0];
}

constexpr int64_t kRanks = 3;
constexpr int64_t kOwnQueries = 2;
constexpr int64_t kOwnKeys = 4;

/// The result of each rank for its part of the sequence, with the data of the other ranks as inputs: the same as one
/// attention computes for the whole.
void expectAsOne(Attention layer, Literal const& mask = Literal::scalar(true)) {
    Literal const q = test::spread({2, 4, kRanks * kOwnQueries, 8}, -1, 1);
    Literal const k = test::spread({2, 2, kRanks * kOwnKeys, 8}, -1, 1);
    Literal const v = test::spread({2, 2, kRanks * kOwnKeys, 6}, 2, -2);
    auto const written = [&](Dims const& queries, Dims const& keys, Dims const& values) {
        Graph graph;
        auto const input = [&](char const* name, Dims const& dims) {
            return graph.addInput(name, DataType::Float32, toShape(dims));
        };
        std::vector<Tensor*> inputs{input("q", queries), input("k", keys), input("v", values)};
        if (mask.dims().rank() != 0) inputs.push_back(graph.emit(Constant(mask), {}));
        graph.markOutput(graph.emit(layer, inputs, "attention"));
        return graph;
    };
    Literal const whole = test::runGraph(written(q.dims(), k.dims(), v.dims()), {q, k, v})[0];
    layer.ranks = kRanks;
    for (int64_t rank = 0; rank < kRanks; ++rank) {
        Graph graph = written({2, 4, kOwnQueries, 8}, {2, 2, kOwnKeys, 8}, {2, 2, kOwnKeys, 6});
        lowerAttention(graph);
        std::vector<Literal> fed{partOf(q, rank * kOwnQueries, kOwnQueries), partOf(k, rank * kOwnKeys, kOwnKeys),
                                 partOf(v, rank * kOwnKeys, kOwnKeys)};
        for (Node* node : graph.order()) {
            auto const* exchange = as<DistCollective>(*node->layer);
            if (exchange == nullptr) continue;
            Tensor* const sent = node->output();
            graph.replaceUses(sent, graph.addInput(text("sent", fed.size()), sent->type, sent->shape));
            if (exchange->operation == DistCollective::Operation::Scatter)
                fed.push_back(Literal::of<int32_t>({1}, {static_cast<int32_t>(rank)}));
            else
                fed.push_back(sequenceFirst(sent->shape[3] == DimExpr(8) ? k : v));
            graph.remove(node);
        }
        test::expectClose(test::runGraph(graph, fed)[0], partOf(whole, rank * kOwnQueries, kOwnQueries), 1e-6,
                          text("rank ", rank));
    }
}

TEST(LowerAttentionOfRanks, seesTheKeysOfAllRanks) { expectAsOne({}); }

TEST(LowerAttentionOfRanks, isCausalInTheWholeSequence) {
    for (auto const causal : {Attention::Causal::UpperLeft, Attention::Causal::LowerRight}) {
        Attention layer;
        layer.causal = causal;
        expectAsOne(layer);
        layer.before = 1;
        layer.after = 2;
        expectAsOne(layer);
    }
}

TEST(LowerAttentionOfRanks, takesAMaskOverAllKeys) {
    expectAsOne({}, test::spread({1, 1, 1, kRanks * kOwnKeys}, -3, 3));
}

TEST(LowerAttentionOfRanks, quantizesItsWeightsToo) {
    Graph graph;
    Attention layer = LowerAttention::quantizing();
    layer.ranks = 2;
    Tensor* const x = graph.addInput("x", DataType::Float32, {1, 2, 3, 4});
    Tensor* const scale = graph.emit(Constant(Literal::scalar(0.01F)), {});
    graph.markOutput(graph.emit(layer, {x, x, x, nullptr, nullptr, nullptr, nullptr, scale}, "attention"));
    lowerAttention(graph);
    std::string const kinds = test::kindsOf(graph);
    EXPECT_NE(kinds.find("DistCollective"), std::string::npos) << kinds;
    EXPECT_NE(kinds.find("Softmax Quantize Dequantize MatrixMultiply"), std::string::npos) << kinds;
}

TEST(LowerAttentionOfRanks, refusesWhatSeveralRanksCannotShare) {
    test::Input const x{DataType::Float32, {1, 2, 3, 4}};
    test::Input const lengths{DataType::Int32, {1}};
    Attention layer;
    auto const errorOf = [&](std::vector<test::Input> const& inputs) { return test::inferError(layer, inputs); };
    layer.ranks = 0;
    EXPECT_EQ(errorOf({x, x, x}), "node (Attention): 0 ranks; expected 1 to 1048576");
    layer.ranks = INT64_MAX;
    EXPECT_EQ(errorOf({x, x, x}), "node (Attention): 9223372036854775807 ranks; expected 1 to 1048576");
    layer.ranks = 2;
    EXPECT_EQ(errorOf({x, x, x, {DataType::Float32, {3, 3}}}),
              "node (Attention): the mask [3,3] does not broadcast to the products [1,2,3,6] of query and key");
    EXPECT_EQ(errorOf({x, x, x, {DataType::Bool, {3, 6}}, lengths}),
              "node (Attention): an attention of 2 ranks supports sequences of one length; pad them and add a mask");
    layer.causal = Attention::Causal::UpperLeft;
    EXPECT_EQ(
        errorOf({x, x, x, {DataType::Bool, {3, 6}}}),
        "node (Attention): an attention of 2 ranks is causal or has a mask, not both; use a mask that is causal too");
    layer.causal = Attention::Causal::None;
    layer.products = Attention::Products::Raw;
    EXPECT_EQ(errorOf({x, x, x}),
              "node (Attention): an attention of 2 ranks does not support the products as an output");
    layer.products = Attention::Products::None;
    layer.key.axes = {0, 1, -1, 3};
    EXPECT_EQ(errorOf({x, x, x}), "node (Attention): an attention of 2 ranks reads keys and values without a sequence");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/segment_memory.h"

#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

constexpr size_t kBytes = 64; // of x [16] and of each softmax

struct LaidOut {
    explicit LaidOut(Graph const& graph) : engine(build(graph, {})) {}
    int numberOf(std::string_view name) const {
        for (auto const& node : engine.plan().graph.nodes()) {
            if (node->name == name) return engine.shapeProgram().numberOf(node->output());
        }
        return -1;
    }
    std::vector<int> followersOf(int leader) const {
        std::vector<int> tensors;
        for (SegmentMemory::Follower const& one : memory.followersOf(leader)) tensors.push_back(one.tensor);
        return tensors;
    }

    Engine engine;
    ShapeProgram::Shapes shapes =
        engine.shapeProgram().evaluate({{toDims(engine.plan().graph.inputs()[0]->shape), {}}});
    SegmentMemory memory =
        layOutSegment(engine, shapes, engine.segments()[0], std::vector<size_t>(engine.steps().size(), 0));
};

/// x [16] → four softmaxes "a", "b", "c", "d", the last an output
Graph chain(bool isFirstAnOutput) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {16});
    for (char const* name : {"a", "b", "c", "d"}) {
        x = graph.emit(Softmax{}, {x}, name);
        if (isFirstAnOutput && name[0] == 'a') graph.markOutput(x);
    }
    graph.markOutput(x);
    return graph;
}

TEST(SegmentMemory, isFreeAgainAfterTheLastReader) {
    LaidOut const l(chain(false));
    ASSERT_EQ(l.engine.steps().size(), 4U);
    EXPECT_EQ(l.memory.layout.bytes, 2 * kBytes) << "what a step reads, and what it writes";
}

TEST(SegmentMemory, isKeptForOutputsToTheEnd) {
    LaidOut const l(chain(true));
    ASSERT_EQ(l.engine.steps().size(), 4U);
    EXPECT_EQ(l.memory.layout.bytes, 3 * kBytes);
}

TEST(SegmentMemory, holdsWhatTheSegmentWrites) {
    LaidOut const l(chain(false));
    for (char const* name : {"a", "b", "c", "d"}) EXPECT_GE(l.memory.pieceOf[static_cast<size_t>(l.numberOf(name))], 0);
    int const x = l.engine.shapeProgram().numberOf(l.engine.plan().graph.inputs()[0]);
    EXPECT_EQ(l.memory.pieceOf[static_cast<size_t>(x)], -1);
}

/// x [2,3] → view a → softmax b → view y and, of y, view z → softmax w
TEST(SegmentMemory, hasTheFollowersOfEachTensor) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {2, 3});
    Tensor* const a = graph.emit(Shuffle::reshaping({6}), {x}, "a");
    Tensor* const b = graph.emit(Softmax{}, {a}, "b");
    Tensor* const y = graph.emit(Shuffle::reshaping({3, 2}), {b}, "y");
    Tensor* const z = graph.emit(Shuffle::reshaping({6}), {y}, "z");
    for (Tensor* const output : {y, graph.emit(Softmax{}, {z}, "w")}) graph.markOutput(output);
    LaidOut const l(graph);
    int const input = l.engine.shapeProgram().numberOf(l.engine.plan().graph.inputs()[0]);
    EXPECT_EQ(l.followersOf(input), std::vector{l.numberOf("a")});
    EXPECT_EQ(l.followersOf(l.numberOf("y")), (std::vector{l.numberOf("b"), l.numberOf("z")}));
    EXPECT_TRUE(l.followersOf(l.numberOf("b")).empty());
    EXPECT_TRUE(l.followersOf(l.numberOf("w")).empty());
}

} // namespace
} // namespace tenon

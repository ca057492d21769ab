// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dist_collective/dist_collective.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using enum DistCollective::Operation;
using test::floats;
using test::inferError;

DistCollective among(DistCollective::Operation operation, int64_t ranks, std::vector<int64_t> group = {}) {
    DistCollective layer;
    layer.operation = operation;
    layer.reduction = ReduceOperation::Sum;
    layer.ranks = ranks;
    layer.root = 0;
    layer.group = std::move(group);
    return layer;
}

constexpr DistCollective::Operation kAll[]{AllReduce,     AllGather, Broadcast, Reduce,
                                           ReduceScatter, AllToAll,  Gather,    Scatter};

std::string shapeOf(DistCollective const& layer, Shape x) {
    Operand in;
    in.shape = std::move(x);
    return text(layer.infer({{in}, "node"})[0].shape);
}

TEST(DistCollective, givesWhatItGetsWhereItIsAlone) {
    for (auto const operation : kAll) {
        test::LayerCase const one{.inputs = {floats({2, 2}, {1, 2, 3, NAN})},
                                  .expected = {floats({2, 2}, {1, 2, 3, NAN})}};
        one.expect(among(operation, 1));
        one.expect(among(operation, 1, {0}));
        test::LayerCase{.inputs = {floats({0, 2}, {})}, .expected = {floats({0, 2}, {})}}.expect(among(operation, 1));
    }
    test::LayerCase{.inputs = {test::ints({1}, {INT64_MAX})}, .expected = {test::ints({1}, {INT64_MAX})}}.expect(
        among(AllReduce, 1));
}

TEST(DistCollective, joinsAndDividesTheFirstAxis) { // as NCCL documents: counts of sent and received elements
    DimExpr const n = DimExpr::symbol("N");
    for (auto const operation : {AllReduce, Broadcast, Reduce, AllToAll}) {
        EXPECT_EQ(shapeOf(among(operation, 3), {6, 2}), "[6,2]");
        EXPECT_EQ(shapeOf(among(operation, 3), {n, 2}), "[N,2]");
    }
    for (auto const operation : {AllGather, Gather}) {
        EXPECT_EQ(shapeOf(among(operation, 3), {6, 2}), "[18,2]");
        EXPECT_EQ(shapeOf(among(operation, 3, {4, 0, 2}), {0, 2}), "[0,2]");
    }
    for (auto const operation : {ReduceScatter, Scatter}) {
        EXPECT_EQ(shapeOf(among(operation, 3), {6, 2}), "[2,2]");
        EXPECT_EQ(shapeOf(among(operation, 3), {n, 2}), text(Shape{floorDiv(n, DimExpr(3)), 2}));
    }
}

TEST(DistCollective, saysWhatDoesNotFit) {
    test::Input const x{DataType::Float32, {4, 2}};
    std::string const node = "node (DistCollective): ";
    for (auto const operation : {ReduceScatter, AllToAll, Scatter})
        EXPECT_EQ(inferError(among(operation, 3), {x}),
                  node + "axis 0 of [4,2] is to be divided among 3 ranks; expected a multiple of that");
    EXPECT_EQ(inferError(among(AllGather, 0), {x}), node + "0 ranks; expected 1 to 1048576");
    EXPECT_EQ(inferError(among(AllReduce, 1, {0, -1}), {x}), node + "rank -1 in its group; expected 0 to 1048576");
    EXPECT_EQ(inferError(among(AllReduce, 1, {0, 2, 0}), {x}), node + "rank 0 is in its group twice");
    EXPECT_EQ(inferError(among(AllGather, 3, {0, 1}), {x}),
              node + "3 ranks (setNbRanks), and a group of 2; expected the same number");
    EXPECT_EQ(inferError(among(Gather, 2, {2, 1}), {x}),
              node + "gather with rank 0 as its root, which is not in its group");
    DistCollective rootless = among(Broadcast, 2);
    rootless.root = -1;
    EXPECT_EQ(inferError(rootless, {x}), node + "broadcast with rank -1 as its root; expected 0 to 1048576");
    DistCollective reducing = among(AllReduce, 2);
    reducing.reduction = ReduceOperation::None;
    EXPECT_EQ(inferError(reducing, {x}), node + "all_reduce without a reduction; expected kSUM to kAVG");
    EXPECT_EQ(inferError(among(AllGather, 2), {{DataType::Float32, {}}}),
              node + "input 0 has shape [], of rank 0; expected rank 1 to 8");
}

TEST(DistCollective, isNotAloneAmongRanks) {
    std::string const rest =
        " ranks, but the context has no communicator; set one of NCCL with setCommunicator, on a GPU";
    EXPECT_EQ(test::errorOf([] { among(AllReduce, 2).expectAlone(); }), "all_reduce among 2" + rest);
    EXPECT_EQ(test::errorOf([] { among(Scatter, 1, {0, 1, 2}).expectAlone(); }), "scatter among 3" + rest);
}

} // namespace
} // namespace tenon

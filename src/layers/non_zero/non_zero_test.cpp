// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "base/text.h"
#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "layers/gather/gather.h"
#include "layers/reduce/reduce.h"
#include "layers/shuffle/shuffle.h"
#include "passes/fold_constants.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"

#include <limits>

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;

NonZero narrow() {
    NonZero layer;
    layer.indices = DataType::Int32;
    return layer;
}

Literal count(int64_t n) { return Literal::scalar<int64_t>(n); }

Literal bools(Dims const& dims, std::vector<uint8_t> const& values) {
    return Literal::copyOf(DataType::Bool, dims, values.data());
}

// numpy: np.stack(np.nonzero([[3, 0, 0], [0, 4, 5]]))
TEST(NonZero, listsCoordinatesInRowMajorOrder) {
    LayerCase const layerCase{.inputs = {floats({2, 3}, {3, 0, 0, 0, 4, 5})},
                              .expected = {ints({2, 3}, {0, 1, 1, 0, 1, 2}), count(3)}};
    layerCase.expect(NonZero());
    layerCase.in(DataType::Float16).expect(NonZero());
    layerCase.in(DataType::BFloat16).expect(NonZero());
    LayerCase{.inputs = {ints({1, 2, 3}, {0, -1, 0, 0, 0, 7})},
              .expected = {ints({3, 2}, {0, 0, 0, 1, 1, 2}), count(2)}}
        .expect(NonZero());
    LayerCase{.inputs = {bools({4}, {1, 0, 0, 1})}, .expected = {ints({1, 2}, {0, 3}), count(2)}}.expect(NonZero());
}

TEST(NonZero, tellsZeroFromNumbersLikeIt) {
    constexpr float kLeast = std::numeric_limits<float>::min();
    LayerCase{.inputs = {floats({6}, {-0.F, NAN, INFINITY, 0, kLeast, -INFINITY})},
              .expected = {ints({1, 4}, {1, 2, 4, 5}), count(4)},
              .types = {DataType::Float32}}
        .expect(NonZero());
}

TEST(NonZero, findsNothingAmongZeros) {
    LayerCase{.inputs = {floats({2, 2}, {0, 0, 0, 0})}, .expected = {ints({2, 0}, {}), count(0)}}.expect(NonZero());
}

// "for scalar input, NonZero produces output shape (0, N) instead of (1, N)": ONNX
TEST(NonZero, givesAScalarNoRow) {
    LayerCase{.inputs = {floats({}, {2})}, .expected = {ints({0, 1}, {}), count(1)}}.expect(NonZero());
    LayerCase{.inputs = {floats({}, {0})}, .expected = {ints({0, 0}, {}), count(0)}}.expect(NonZero());
}

TEST(NonZero, givesIndicesIn32BitsToo) {
    LayerCase{.inputs = {floats({3}, {0, 1, 2})},
              .expected = {Literal::of<int32_t>({1, 2}, {1, 2}), Literal::scalar<int32_t>(2)}}
        .expect(narrow());
}

/// Every third element of X, whose rows are longer and shorter than the pieces that kernels process.
void expectEveryThird(Dims const& x) {
    std::vector<float> values;
    std::vector<std::vector<int64_t>> places(static_cast<size_t>(x.rank()));
    Dims at = Dims::filled(x.rank(), 0);
    for (int64_t i = 0; i < x.volume(); ++i, nextIndex(at, x)) {
        values.push_back(i % 3 == 0 ? 1.F : 0.F);
        for (int axis = 0; axis < x.rank() && i % 3 == 0; ++axis) places[static_cast<size_t>(axis)].push_back(at[axis]);
    }
    std::vector<int64_t> all;
    for (auto const& row : places) all.insert(all.end(), row.begin(), row.end());
    auto const found = static_cast<int64_t>(places[0].size());
    LayerCase{.inputs = {floats(x, values)}, .expected = {ints({x.rank(), found}, all), count(found)}}.expect(
        NonZero());
}

TEST(NonZero, looksThroughLargeTensorsInPieces) {
    expectEveryThird({100001});
    expectEveryThird({3, 50021});
    expectEveryThird({70, 31, 2, 11});
}

TEST(NonZero, refusesTypesThatAreNotComputedWith) {
    EXPECT_EQ(inferError(NonZero(), {{DataType::Float8, {2}}}),
              "node (NonZero): input 0 is float8, which is not supported for computation; cast it first");
    NonZero layer;
    layer.indices = DataType::Float32;
    EXPECT_EQ(inferError(layer, {{DataType::Bool, {2}}}),
              "node (NonZero): the type of the indices is float32; expected int32 or int64");
}

/// The nonzero elements of x, and their sum.
Graph picking(Tensor*& x) {
    Graph graph;
    x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* const places = graph.emit(NonZero(), {x});
    Tensor* const row = graph.emit(Shuffle{}, {places, graph.emit(Constant(ints({1}, {-1})), {})});
    Tensor* const picked = graph.emit(Gather{}, {x, row});
    graph.markOutput(picked);
    Reduce sum;
    sum.axes = {0};
    graph.markOutput(graph.emit(sum, {picked}));
    return graph;
}

TEST(NonZero, decidesShapesBehindItInEachRun) {
    Tensor* x = nullptr;
    Graph const graph = picking(x);
    BuildConfig config;
    config.profiles.emplace_back()["x"] = {{0}, {4}, {8}, {}, {}, {}};
    test::EngineRun engine(graph, config);
    auto const expectRun = [&](std::vector<float> const& elements, std::vector<float> const& picked, float sum) {
        auto const found = engine.run({floats({static_cast<int64_t>(elements.size())}, elements)});
        EXPECT_EQ(found[0], floats({static_cast<int64_t>(picked.size())}, picked));
        EXPECT_EQ(found[1], floats({}, {sum}));
    };
    expectRun({0, 2, 0, 3}, {2, 3}, 5);
    expectRun({1, 2, 4, 8, 16, 32, 64, 128}, {1, 2, 4, 8, 16, 32, 64, 128}, 255);
    expectRun({0, 0, 0}, {}, 0);
    expectRun({}, {}, 0);
    expectRun({0, 2, 0, 3}, {2, 3}, 5);
}

TEST(NonZero, isNotTakenForAnotherOfItsName) {
    Graph graph;
    for (char const* name : {"a", "b"}) {
        Tensor* const places = graph.emit(NonZero(), {graph.addInput(name, DataType::Float32, {3})}, "same");
        places->name = text("places of ", name);
        graph.markOutput(places);
    }
    auto const found = test::runEngine(graph, {floats({3}, {0, 0, 1}), floats({3}, {1, 1, 0})});
    EXPECT_EQ(found[0], ints({1, 1}, {2}));
    EXPECT_EQ(found[1], ints({1, 2}, {0, 1}));
}

TEST(NonZero, ofAConstantIsAConstant) {
    Graph graph;
    Tensor* const x = graph.emit(Constant(floats({2, 2}, {0, 1, 2, 0})), {});
    graph.markOutput(graph.emit(NonZero(), {x}));
    foldConstants(graph);
    ASSERT_TRUE(graph.outputs()[0]->literal());
    EXPECT_EQ(*graph.outputs()[0]->literal(), ints({2, 2}, {0, 1, 1, 0}));
}

/// Shapes that depend on the elements of shape tensors are known before the run, whatever computes them.
TEST(NonZero, isComputedOnTheHostWhereItDecidesAShape) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {6});
    Tensor* const flags = graph.addInput("flags", DataType::Int64, {4});
    Tensor* const places = graph.emit(NonZero(), {flags}); // [1, 2]: 2 and 3
    Tensor* const shape = graph.emit(Shuffle{}, {places, graph.emit(Constant(ints({1}, {2})), {})});
    graph.markOutput(graph.emit(Shuffle{}, {x, shape}));
    auto const found = test::runEngine(graph, {floats({6}, {1, 2, 3, 4, 5, 6}), ints({4}, {0, 0, 1, 1})});
    EXPECT_EQ(found[0], floats({2, 3}, {1, 2, 3, 4, 5, 6}));
}

/// The indices of the ones in as many ones as the vector x has elements, times `one`: as PyTorch exports x[:, i:j].
Graph placesOfOnes(int64_t one) {
    test::OnnxModel model(17);
    model.input("x", {"N"});
    model.node("Shape", {"x"}, {"n"});
    auto& value =
        *test::attribute(model.node("ConstantOfShape", {"n"}, {"ones"}), "value", proto::AttributeProto::TENSOR)
             .mutable_t();
    value.add_dims(1);
    value.set_data_type(proto::TensorProto::INT64);
    value.add_int64_data(one);
    model.node("NonZero", {"ones"}, {"places"});
    model.output("places");
    Graph graph;
    EXPECT_TRUE(onnx::parse(test::asBytes(model.bytes()), graph));
    return graph;
}

TEST(NonZero, ofAsManyOnesAsAnExtentSaysHasThatExtent) {
    Graph const graph = placesOfOnes(1);
    EXPECT_EQ(text(graph.outputs()[0]->shape), "[1,N]");
    EXPECT_EQ(test::runEngine(graph, {floats({3}, {0, 0, 0})})[0], ints({1, 3}, {0, 1, 2}));
    EXPECT_EQ(test::runEngine(graph, {floats({0}, {})})[0], ints({1, 0}, {}));
    EXPECT_EQ(test::runEngine(placesOfOnes(0), {floats({3}, {1, 1, 1})})[0], ints({1, 0}, {}));
}

} // namespace
} // namespace tenon

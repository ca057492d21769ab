// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fill/fill.h"

#include "base/text.h"
#include "graph/evaluate.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Literal number(int64_t value) { return Literal::scalar(value); }

Fill range(DataType type) {
    Fill layer;
    layer.extent = Fill::Extent::Limit;
    layer.type = type;
    return layer;
}

Fill linspace(DataType type, std::vector<int64_t> dims) {
    Fill layer;
    layer.type = type;
    layer.dims = std::move(dims);
    return layer;
}

Fill random(Fill::Operation operation, std::vector<int64_t> dims) {
    Fill layer = linspace(DataType::Float32, std::move(dims));
    layer.operation = operation;
    layer.seeded = true;
    layer.seed = 42;
    return layer;
}

// the known answers that the authors publish with their library Random123, in kat_vectors
TEST(Philox, givesTheKnownAnswers) {
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, 0), (philox::Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, UINT64_MAX),
              (philox::Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
              (philox::Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Fill, countsUpToALimit) { // numpy: np.arange(3, 9, 3), np.arange(10, 4, -2), np.arange(10, 6, -3), np.arange(5, 2)
    LayerCase{.inputs = {number(9), number(3), number(3)}, .expected = {ints({2}, {3, 6})}}.expect(
        range(DataType::Int64));
    LayerCase{.inputs = {number(4), number(10), number(-2)}, .expected = {ints({3}, {10, 8, 6})}}.expect(
        range(DataType::Int64));
    Literal const limit = Literal::scalar<int32_t>(6);
    LayerCase{.inputs = {limit, Literal::scalar<int32_t>(10), Literal::scalar<int32_t>(-3)},
              .expected = {Literal::of<int32_t>({2}, {10, 7})}}
        .expect(range(DataType::Int32));
    LayerCase{.inputs = {number(2), number(5), number(1)}, .expected = {ints({0}, {})}}.expect(range(DataType::Int64));
    LayerCase{.inputs = {number(3)}, .expected = {ints({3}, {0, 1, 2})}}.expect(range(DataType::Int64));
}

TEST(Fill, countsUpToALimitOfFloats) { // numpy: np.arange(1, 5, 2), np.arange(0, 1, 0.3), np.arange(1, -1, -0.5)
    auto const scalar = [](float value) { return Literal::scalar(value); };
    LayerCase const whole{.inputs = {scalar(5), scalar(1), scalar(2)}, .expected = {floats({2}, {1, 3})}};
    whole.expect(range(DataType::Float32));
    whole.in(DataType::Float16).expect(range(DataType::Float16));
    whole.in(DataType::BFloat16).expect(range(DataType::BFloat16));
    LayerCase{.inputs = {scalar(1), scalar(0), scalar(0.3F)}, .expected = {floats({4}, {0, 0.3F, 0.6F, 0.9F})}}.expect(
        range(DataType::Float32));
    LayerCase{.inputs = {scalar(-1), scalar(1), scalar(-0.5F)}, .expected = {floats({4}, {1, 0.5F, 0, -0.5F})}}.expect(
        range(DataType::Float32));
}

TEST(Fill, countsFromAlphaInStepsOfBeta) { // Y[i] = alpha + i · beta
    Fill layer = linspace(DataType::Float32, {5});
    layer.alpha = 0.5;
    layer.beta = -0.25;
    LayerCase{.inputs = {}, .expected = {floats({5}, {0.5F, 0.25F, 0, -0.25F, -0.5F})}}.expect(layer);
    layer = linspace(DataType::Int64, {3});
    layer.alphaInteger = (int64_t{1} << 62) + 1; // a double cannot represent this
    layer.betaInteger = 2;
    int64_t const first = layer.alphaInteger;
    LayerCase{.inputs = {}, .expected = {ints({3}, {first, first + 2, first + 4})}}.expect(layer);
    layer = linspace(DataType::UInt8, {4});
    layer.alphaInteger = 250;
    layer.betaInteger = 3;
    LayerCase{.inputs = {}, .expected = {Literal::of<uint8_t>({4}, {250, 253, 0, 3})}}.expect(layer);
    LayerCase{.inputs = {}, .expected = {Literal::scalar(0.F)}}.expect(linspace(DataType::Float32, {}));
}

TEST(Fill, takesAStepForEachAxis) { // Y[i,j,k] = alpha + i · beta0 + j · beta1 + k · beta2
    std::vector<float> reals;
    std::vector<int64_t> whole;
    for (int i = 0; i < 3 * 4 * 5; ++i) {
        reals.push_back(1 + static_cast<float>(i / 20) * 0.5F - static_cast<float>(i / 5 % 4) * 2 +
                        static_cast<float>(i % 5) * 100);
        whole.push_back(7 + i / 20 * 1000 - i / 5 % 4 * 3 + i % 5);
    }
    Literal const dims = ints({3}, {3, 4, 5});
    LayerCase{.inputs = {dims, Literal::scalar(1.F), floats({3}, {0.5F, -2, 100})},
              .expected = {floats({3, 4, 5}, reals)}}
        .expect(linspace(DataType::Float32, {}));
    LayerCase{.inputs = {dims, number(7), ints({3}, {1000, -3, 1})}, .expected = {ints({3, 4, 5}, whole)}}.expect(
        linspace(DataType::Int64, {}));
}

TEST(Fill, takesIntegersOfAnotherWidth) {
    Literal const alpha = Literal::scalar<int32_t>(7);
    LayerCase{.inputs = {ints({1}, {3}), alpha, Literal::of<int32_t>({1}, {-2})}, .expected = {ints({3}, {7, 5, 3})}}
        .expect(linspace(DataType::Int64, {}));
    LayerCase{.inputs = {ints({1}, {3}), number(7), ints({1}, {-2})},
              .expected = {Literal::of<int32_t>({3}, {7, 5, 3})}}
        .expect(linspace(DataType::Int32, {}));
}

TEST(Fill, ofManyElementsIsTheSameInParts) { // on several threads
    std::vector<int64_t> whole(3 * 70001);
    for (size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<int64_t>(i / 70001 * 5 + i % 70001 * 2);
    LayerCase{.inputs = {{}, {}, ints({2}, {5, 2})}, .expected = {ints({3, 70001}, whole)}}.expect(
        linspace(DataType::Int64, {3, 70001}));
}

/// The results of the reference, with which every kernel is compared.
std::vector<float> drawn(Fill const& layer) {
    Graph graph;
    Node const* node = graph.emit(layer, {}, "node")->producer();
    Literal const y = evaluate(*node, {}).at(0);
    LayerCase{.inputs = {}, .expected = {y}}.expect(layer);
    return y.toFloat();
}

struct Moments {
    double mean = 0, variance = 0, least = INFINITY, most = -INFINITY;

    explicit Moments(std::vector<float> const& values) {
        auto const count = static_cast<double>(values.size());
        for (float const x : values) {
            mean += double{x} / count;
            least = std::min(least, double{x});
            most = std::max(most, double{x});
        }
        for (float const x : values) variance += (double{x} - mean) * (double{x} - mean) / count;
    }
};

constexpr int64_t kMany = 100'003; // not a multiple of 4

TEST(Fill, drawsUniformNumbers) { // mean (a + b) / 2, variance (b - a)² / 12; five standard errors
    Fill layer = random(Fill::Operation::RandomUniform, {kMany});
    layer.alpha = -3;
    layer.beta = 5;
    Moments const found(drawn(layer));
    EXPECT_NEAR(found.mean, 1, 5 * std::sqrt(64 / 12.0 / kMany));
    EXPECT_NEAR(found.variance, 64 / 12.0, 0.1);
    EXPECT_GE(found.least, -3);
    EXPECT_LT(found.most, 5);
    EXPECT_LT(found.least, -2.99);
    EXPECT_GT(found.most, 4.99);
}

TEST(Fill, drawsNormalNumbers) { // of variance s², and fourth moments 3s⁴: the variance has standard error s² sqrt(2/n)
    Fill layer = random(Fill::Operation::RandomNormal, {kMany});
    layer.alpha = 10;
    layer.beta = 2;
    auto const values = drawn(layer);
    Moments const found(values);
    EXPECT_NEAR(found.mean, 10, 5 * 2 / std::sqrt(double{kMany}));
    EXPECT_NEAR(found.variance, 4, 5 * 4 * std::sqrt(2.0 / kMany));
    double within = 0; // one standard deviation: erf(1 / sqrt(2))
    for (float const x : values) within += std::abs(x - 10) < 2 ? 1.0 / kMany : 0;
    EXPECT_NEAR(within, std::erf(std::sqrt(0.5)), 0.01);
}

TEST(Fill, drawsOtherNumbersWithAnotherSeed) {
    Fill layer = random(Fill::Operation::RandomUniform, {100});
    auto const first = drawn(layer);
    EXPECT_EQ(drawn(layer), first);
    layer.seed = 43;
    EXPECT_NE(drawn(layer), first);
}

TEST(Fill, drawsOtherNumbersInEachRunWithoutASeed) {
    Fill layer = random(Fill::Operation::RandomUniform, {100});
    layer.seeded = false;
    Graph graph;
    graph.markOutput(graph.emit(layer, {}));
    BuildConfig config;
    config.profiles.emplace_back();
    test::EngineRun engine(graph, config);
    auto const first = engine.run({}).at(0).toFloat();
    auto const second = engine.run({}).at(0).toFloat();
    auto const third = engine.run({}).at(0).toFloat(); // a recorded one, where a device records
    EXPECT_NE(first, second);
    EXPECT_NE(second, third);
    EXPECT_NE(first, third);
    for (float const x : third) EXPECT_TRUE(x >= 0 && x < 1) << x;
}

TEST(Fill, isPartOfTheArithmeticOfShapes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), DimExpr::symbol("S")});
    auto const constant = [&](int64_t value) { return graph.emit(Constant(number(value)), {}); };
    Gather pick;
    Tensor* batch = graph.emit(pick, {graph.emit(ShapeOf{}, {x}), constant(0)});
    Tensor* length = graph.emit(pick, {graph.emit(ShapeOf{}, {x}), constant(1)});
    Fill const layer = range(DataType::Int64);
    EXPECT_EQ(text(graph.emit(layer, {length, constant(0), constant(1)})->shape), "[S]");
    EXPECT_EQ(text(graph.emit(layer, {length, constant(0), constant(2)})->shape), "[(S/^2)]");
    EXPECT_EQ(text(graph.emit(layer, {constant(0), length, constant(-1)})->shape), "[S]");
    Tensor* end = graph.emit(elementwise(PointwiseOp::Sum), {batch, length});
    EXPECT_EQ(text(graph.emit(layer, {end, batch, constant(1)})->shape), "[S]"); // positions after a past of N
    Tensor* three = graph.emit(layer, {constant(3), constant(0), constant(1)});
    EXPECT_EQ(text(*three->values), "[0,1,2]");
    Tensor* next = graph.emit(elementwise(PointwiseOp::Sum), {length, constant(2)});
    EXPECT_EQ(text(*graph.emit(layer, {next, length, constant(1)})->values), "[S,(S+1)]");
}

TEST(Fill, refusesWhatDoesNotFit) {
    using test::Input;
    auto const error = [](Fill const& layer, std::vector<Input> const& inputs) {
        return test::inferError(layer, inputs);
    };
    EXPECT_EQ(error(linspace(DataType::Bool, {2}), {}),
              "node (Fill): Linspace of bool; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
    Fill whole = random(Fill::Operation::RandomNormal, {2});
    whole.type = DataType::Int32;
    EXPECT_EQ(error(whole, {}), "node (Fill): RandomNormal of int32; expected float32, float16 or bfloat16");
    whole = random(Fill::Operation::RandomNormal, {});
    whole.extent = Fill::Extent::Limit;
    EXPECT_EQ(error(whole, {}), "node (Fill): random numbers have no limit; set their dimensions");
    EXPECT_EQ(error(linspace(DataType::Float32, {2, 3}), {}),
              "node (Fill): one step for a result of rank 2; expected a step for each axis, as input 2");
    Input const dims{DataType::Int64, {2}};
    Input const one{DataType::Float32, {}};
    EXPECT_EQ(error(linspace(DataType::Float32, {}), {dims, one, {DataType::Float32, {3}}}),
              "node (Fill): beta has 3 elements for a result of rank 2; expected a step for each axis");
    EXPECT_EQ(error(linspace(DataType::Float32, {}), {dims, {DataType::Int32, {}}, one}),
              "node (Fill): alpha is int32 and the result float32; expected one type (add a cast)");
    EXPECT_EQ(error(linspace(DataType::Float32, {}), {dims, one, {DataType::Int32, {2}}}),
              "node (Fill): beta is int32 and the result float32; expected one type (add a cast)");
    EXPECT_EQ(error(range(DataType::Int64), {{DataType::Int32, {}}}),
              "node (Fill): limit is int32 and the result int64; expected one type (add a cast)");
    EXPECT_EQ(error(range(DataType::Int64), {{DataType::Int64, {2}}}),
              "node (Fill): limit has shape [2]; expected one element");
    EXPECT_EQ(error(linspace(DataType::Int64, {-2}), {}), "node (Fill): gives [-2]; expected extents of 0 or more");
}

TEST(Fill, saysThatALimitIsNotReached) {
    auto const error = [](Fill const& layer, std::vector<Literal> const& numbers) {
        return test::errorOf([&] {
            Graph graph;
            std::vector<Tensor*> inputs;
            for (Literal const& one : numbers) inputs.push_back(graph.emit(Constant(one), {}));
            graph.emit(layer, inputs, "node");
        });
    };
    EXPECT_EQ(error(range(DataType::Int64), {number(5), number(0), number(0)}),
              "node (Fill): delta is 0; expected another number");
    auto const scalar = [](float value) { return Literal::scalar(value); };
    std::string const rest = " the number of elements is undefined; expected finite numbers, and steps other than 0";
    EXPECT_EQ(error(range(DataType::Float32), {scalar(5), scalar(1), scalar(0)}),
              "node (Fill): from 1 to 5 in steps of 0" + rest);
    EXPECT_EQ(error(range(DataType::Float32), {scalar(INFINITY), scalar(1), scalar(1)}),
              "node (Fill): from 1 to inf in steps of 1" + rest);
}

} // namespace
} // namespace tenon

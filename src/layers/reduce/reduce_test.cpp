// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/recorded.h"
#include "support/run_engine.h"

#include <array>
#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;
using test::spread;
using enum ReduceOperation;

Reduce over(std::vector<int64_t> axes, ReduceOperation operation = Sum, bool keep = false) {
    Reduce layer;
    layer.operation = operation;
    layer.axes = std::move(axes);
    layer.keepDimensions = keep;
    return layer;
}

constexpr auto kRecords = "src/layers/reduce/reduce_test.txt";

// record_reduce.py: each operation over the last axis, the first, the spatial ones, two apart, and all
TEST(Reduce, foldsAnyAxes) {
    std::vector<std::pair<std::string, std::vector<int64_t>>> const places{
        {"last", {-1}}, {"first", {0}}, {"spatial", {2, 3}}, {"apart", {1, 3}}, {"all", {}}};
    for (ReduceOperation operation : {Sum, Prod, Max, Min, Avg, L1, L2, SumSquare, LogSum, LogSumExp}) {
        for (auto const& [name, axes] : places) {
            SCOPED_TRACE(text(operation, ' ', name));
            LayerCase const test{.inputs = {spread({2, 18, 2, 3}, 0.9F, 1.1F)},
                                 .expected = {test::recorded(kRecords, text(operation, '.', name))}};
            test.expect(over(axes, operation, true));
            test.in(DataType::BFloat16).expect(over(axes, operation, true));
        }
    }
}

TEST(Reduce, dropsTheAxesThatItFolds) {
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6})}, .expected = {floats({2}, {6, 15})}}.expect(over({1}));
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6})}, .expected = {floats({3}, {5, 7, 9})}}.expect(over({-2}));
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6})}, .expected = {floats({}, {3.5F})}}.expect(over({}, Avg));
}

TEST(Reduce, addsUpManyNumbersExactly) { // 2^18 times 0.1 in float32: math.fsum gives 26214.4003906
    std::vector<float> const x(1 << 18, 0.1F);
    LayerCase sum{
        .inputs = {floats({1, 1, 512, 512}, x)}, .expected = {floats({1, 1, 1, 1}, {26214.4F})}, .tolerance = 1e-5};
    sum.expect(over({2, 3}, Sum, true));
    sum.inputs.push_back(ints({2}, {2, 3}));
    sum.expectFed(over({}, Sum, true));
}

TEST(Reduce, doesNotOverflowInExp) { // 1000 + log(1 + e^-8 + e^-1000)
    LayerCase{.inputs = {floats({3}, {1000, 992, 0})}, .expected = {floats({}, {1000.00033541F})}}.expect(
        over({0}, LogSumExp));
}

TEST(Reduce, ofNoElementsIsTheNeutralOne) { // numpy's sum, prod; max and min as ONNX defines them
    auto const none = floats({2, 0}, {});
    LayerCase{.inputs = {none}, .expected = {floats({2}, {0, 0})}}.expect(over({1}));
    LayerCase{.inputs = {none}, .expected = {floats({2}, {1, 1})}}.expect(over({1}, Prod));
    LayerCase{.inputs = {none}, .expected = {floats({2}, {-INFINITY, -INFINITY})}}.expect(over({1}, Max));
    LayerCase{.inputs = {none}, .expected = {floats({2}, {NAN, NAN})}}.expect(over({1}, Avg));
}

// numpy: np.max, np.min, np.sum and so on give NaN if one of the elements is NaN
TEST(Reduce, isNanWhereAnElementIs) {
    for (int64_t const count : {1, 5, 16, 33, 2000}) {
        for (auto const operation : {Max, Min, Sum, Prod, Avg, L1, L2, SumSquare, LogSum, LogSumExp}) {
            for (int64_t const axis : {0, 1}) {
                Dims const dims = axis == 0 ? Dims{count, 3} : Dims{3, count};
                std::vector<float> x(static_cast<size_t>(3 * count), 1);
                x[static_cast<size_t>(axis == 0 ? 3 * (count - 1) + 1 : 2 * count - 1)] = NAN; // the last of the second
                double const many = static_cast<double>(count);
                bool const adds = operation == Sum || operation == L1 || operation == SumSquare;
                double const all = adds                     ? many
                                   : operation == L2        ? std::sqrt(many)
                                   : operation == LogSum    ? std::log(many)
                                   : operation == LogSumExp ? 1 + std::log(many)
                                                            : 1;
                auto const one = static_cast<float>(all);
                LayerCase{.inputs = {floats(dims, x)}, .expected = {floats({3}, {one, NAN, one})}}.expect(
                    over({axis}, operation));
            }
        }
    }
}

TEST(Reduce, foldsIntegersAndBooleans) {
    auto const x = ints({2, 3}, {1, -2, 3, 4, 5, INT64_MAX});
    LayerCase{.inputs = {x}, .expected = {ints({2}, {2, INT64_MIN + 8})}}.expect(over({1}));
    LayerCase{.inputs = {x}, .expected = {ints({2}, {-2, 4})}}.expect(over({1}, Min));
    LayerCase{.inputs = {ints({3}, {7, -2, 3})}, .expected = {ints({}, {12})}}.expect(over({0}, L1));
    LayerCase{.inputs = {ints({3}, {7, -2, 3})}, .expected = {ints({}, {2})}}.expect(over({0}, Avg));
    uint8_t const bits[]{0, 1, 0, 0};
    uint8_t const any[]{1, 0};
    LayerCase{.inputs = {Literal::copyOf(DataType::Bool, {2, 2}, bits)},
              .expected = {Literal::copyOf(DataType::Bool, {2}, any)}}
        .expect(over({1}, Max));
}

/// The sum of 7 · i % 11 - 5 over [a, b, c] for each remaining index, in plain loops.
TEST(Reduce, foldsIntegersAlongAnyAxes) {
    constexpr int64_t kA = 3;
    constexpr int64_t kB = 70;
    constexpr int64_t kC = 1030; // more than are folded in parallel
    std::vector<int32_t> x;
    std::vector<int32_t> overB(kA * kC);
    std::vector<int32_t> overAC(kB);
    std::vector<int32_t> most(kA * kB, INT32_MIN);
    for (int64_t i = 0; i < kA * kB * kC; ++i) {
        auto const value = static_cast<int32_t>(7 * i % 11 - 5);
        x.push_back(value);
        overB[static_cast<size_t>(i / (kB * kC) * kC + i % kC)] += value;
        overAC[static_cast<size_t>(i / kC % kB)] += value * value;
        auto& greatest = most[static_cast<size_t>(i / kC)];
        greatest = std::max(greatest, value);
    }
    auto const input = Literal::of<int32_t>({kA, kB, kC}, x);
    LayerCase{.inputs = {input}, .expected = {Literal::of<int32_t>({kA, kC}, overB)}}.expect(over({1}));
    LayerCase{.inputs = {input}, .expected = {Literal::of<int32_t>({kB}, overAC)}}.expect(over({0, 2}, SumSquare));
    LayerCase{.inputs = {input}, .expected = {Literal::of<int32_t>({kA, kB}, most)}}.expect(over({2}, Max));
}

/// 1 + (i mod 8) / 8 over [a,b,c] for each remaining index, in plain loops: exact in all types except for the sums.
TEST(Reduce, foldsManyNumbersAlongAnyAxes) {
    for (auto const& [a, b, c] : {std::array<int64_t, 3>{5, 300, 16}, {1, 9000, 3}, {3, 7, 1500}, {70, 2, 9}}) {
        std::vector<float> x;
        std::vector<float> overB(static_cast<size_t>(a * c));
        std::vector<float> overC(static_cast<size_t>(a * b));
        std::vector<float> overAC(static_cast<size_t>(b), -INFINITY);
        for (int64_t i = 0; i < a * b * c; ++i) {
            x.push_back(1 + static_cast<float>(i * 5 % 8) / 8);
            overB[static_cast<size_t>(i / (b * c) * c + i % c)] += x.back() / static_cast<float>(b);
            overC[static_cast<size_t>(i / c)] += x.back() / static_cast<float>(c);
            auto& greatest = overAC[static_cast<size_t>(i / c % b)];
            greatest = std::max(greatest, x.back());
        }
        auto const expect = [&](Dims const& dims, std::vector<float> const& y, Reduce const& layer) {
            LayerCase{.inputs = {floats({a, b, c}, x)}, .expected = {floats(dims, y)}, .tolerance = 1e-4}.expect(layer);
        };
        expect({a, c}, overB, over({1}, Avg));
        expect({a, b}, overC, over({2}, Avg));
        expect({1, b, 1}, overAC, over({0, 2}, Max, true));
    }
}

TEST(Reduce, takesLogarithmsOfLongSums) { // log(n · e^x) = x + log(n), and of infinities
    std::vector<float> const x(3 * 5000, 2.5F);
    float const expected = 2.5F + std::log(5000.0F);
    LayerCase{.inputs = {floats({3, 5000}, x)}, .expected = {floats({3}, {expected, expected, expected})}}.expect(
        over({1}, LogSumExp));
    LayerCase{.inputs = {floats({5000, 3}, x)}, .expected = {floats({3}, {expected, expected, expected})}}.expect(
        over({0}, LogSumExp));
    LayerCase{.inputs = {floats({2, 2}, {-INFINITY, -INFINITY, 1, INFINITY})},
              .expected = {floats({2}, {-INFINITY, INFINITY})}}
        .expect(over({1}, LogSumExp));
}

// the values of foldsAnyAxes
TEST(Reduce, foldsAxesThatOnlyTheRunKnows) {
    std::vector<std::pair<std::string, std::vector<int64_t>>> const places{
        {"last", {-1}}, {"first", {0}}, {"spatial", {3, 2}}, {"apart", {1, -1}}, {"all", {3, 1, 0, 2}}};
    for (ReduceOperation operation : {Sum, Prod, Max, Min, Avg, L1, L2, SumSquare, LogSum, LogSumExp}) {
        for (auto const& [name, axes] : places) {
            SCOPED_TRACE(text(operation, ' ', name));
            LayerCase const test{
                .inputs = {spread({2, 18, 2, 3}, 0.9F, 1.1F), Literal::of({static_cast<int64_t>(axes.size())}, axes)},
                .expected = {test::recorded(kRecords, text(operation, '.', name))}};
            test.expect(over({}, operation, true));
            test.expectFed(over({}, operation, true));
        }
    }
}

TEST(Reduce, dropsAxesThatOnlyTheRunKnows) {
    Literal const x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    LayerCase const rows{.inputs = {x, ints({1}, {1})}, .expected = {floats({2}, {6, 15})}};
    rows.expect(over({}));
    rows.expectFed(over({}));
    LayerCase{.inputs = {x, Literal::of<int32_t>({1}, {-2})}, .expected = {floats({3}, {5, 7, 9})}}.expectFed(over({}));
    LayerCase{.inputs = {x, ints({2}, {1, 0})}, .expected = {floats({}, {3.5F})}}.expectFed(over({}, Avg));
    LayerCase{.inputs = {ints({2, 2}, {1, 2, 3, INT64_MAX}), ints({1}, {0})},
              .expected = {ints({2}, {4, INT64_MIN + 1})}}
        .expectFed(over({}));
}

TEST(Reduce, ofAnEmptyListOfAxesFoldsAll) {
    LayerCase const all{.inputs = {floats({2, 2}, {1, 2, 3, 4}), ints({0}, {})}, .expected = {floats({1, 1}, {10})}};
    all.expect(over({}, Sum, true));
    all.expectFed(over({}, Sum, true));
}

TEST(Reduce, ofNoElementsAlongAxesThatOnlyTheRunKnows) { // np.zeros((2, 0)).prod(1), .sum(0)
    LayerCase{.inputs = {floats({2, 0}, {}), ints({1}, {1})}, .expected = {floats({2}, {1, 1})}}.expectFed(
        over({}, Prod));
    LayerCase{.inputs = {floats({2, 0}, {}), ints({1}, {0})}, .expected = {floats({0}, {})}}.expectFed(over({}));
}

/// The sum along any axis of [300,70,9], by one engine whose axis changes from run to run.
TEST(Reduce, followsAxesThatChangeFromRunToRun) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {300, 70, 9});
    Tensor* axes = graph.addInput("axes", DataType::Int64, {1});
    graph.markOutput(graph.emit(over({}, Sum, true), {x, axes}, "node"));
    BuildConfig config;
    config.profiles.emplace_back() = {{"x", {{300, 70, 9}, {300, 70, 9}, {300, 70, 9}, {}, {}, {}}},
                                      {"axes", {{1}, {1}, {1}, {-3}, {0}, {2}}}};
    test::EngineRun engine(graph, config);
    std::vector<float> values;
    for (int64_t i = 0; i < int64_t{300} * 70 * 9; ++i) values.push_back(static_cast<float>(i * 5 % 8));
    Literal const input = floats({300, 70, 9}, values);
    Dims const all{300, 70, 9};
    for (int64_t const given : {0, 1, 2, -1, 0}) {
        SCOPED_TRACE(given);
        int const axis = resolveAxis(given, 3);
        Dims folded = all;
        folded[axis] = 1;
        std::vector<float> sums(static_cast<size_t>(folded.volume()));
        int64_t const inner = all.volume(axis + 1, 3);
        for (int64_t i = 0; i < all.volume(); ++i)
            sums[static_cast<size_t>(i / (inner * all[axis]) * inner + i % inner)] += values[static_cast<size_t>(i)];
        test::expectClose(engine.run({input, ints({1}, {given})}).at(0), floats(folded, sums), 1e-5, "sum");
    }
}

TEST(Reduce, refusesAxesOfTheRunThatDoNotFit) {
    auto const error = [](std::vector<int64_t> const& axes) {
        return test::errorOf([&] {
            LayerCase{
                .inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6}), Literal::of({static_cast<int64_t>(axes.size())}, axes)},
                .expected = {}}
                .expectFed(over({}));
        });
    };
    EXPECT_EQ(error({2}), "node (Reduce): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error({1, -1}), "node (Reduce): axis 1 is listed twice");
    EXPECT_EQ(error({0, 1, 1}), "node (Reduce): axes lists 3 axes; expected 2 at most");
    EXPECT_EQ(test::inferError(over({}), {{DataType::Float32, {2, 3}}, {DataType::Int64, {DimExpr::symbol("K")}}}),
              "node (Reduce): axes has shape [K]; the number of axes decides the rank; expected a length that is known "
              "when the engine is built");
    EXPECT_EQ(test::inferError(over({}), {{DataType::Float32, {2, 3}}, {DataType::Float32, {1}}}),
              "node (Reduce): axes is float32; expected int32 or int64");
    EXPECT_EQ(test::inferError(over({}), {{DataType::Float32, {2, 3}}, {DataType::Int64, {1, 1}}}),
              "node (Reduce): axes has shape [1,1], of rank 2; expected rank 0 to 1");
}

TEST(Reduce, withoutAnOperationCopies) {
    auto const bytes = Literal::of<uint8_t>({3}, {1, 255, 0});
    LayerCase{.inputs = {bytes}, .expected = {bytes}}.expect(over({}, None));
    LayerCase{.inputs = {floats({2, 2}, {1, 2, 3, 4})}, .expected = {floats({2, 2}, {1, 2, 3, 4})}}.expect(
        over({}, None));
}

// numpy: np.sum([], …), np.prod, np.mean; the extremes of no elements are those of the type
TEST(Reduce, ofNothingIsWhatTheOperationBeginsWith) {
    Literal const none = floats({0, 2}, {});
    std::pair<ReduceOperation, float> const identities[]{
        {Sum, 0}, {Prod, 1}, {Max, -INFINITY}, {Min, INFINITY},     {Avg, NAN},
        {L1, 0},  {L2, 0},   {SumSquare, 0},   {LogSum, -INFINITY}, {LogSumExp, -INFINITY}};
    for (auto const& [operation, identity] : identities) {
        SCOPED_TRACE(text(operation));
        LayerCase{.inputs = {none}, .expected = {floats({2}, {identity, identity})}}.expect(over({0}, operation));
    }
    std::pair<ReduceOperation, int64_t> const ofIntegers[]{{Sum, 0}, {Prod, 1}, {Max, INT64_MIN}, {Min, INT64_MAX}};
    for (auto const& [operation, identity] : ofIntegers)
        LayerCase{.inputs = {ints({0}, {})}, .expected = {ints({1}, {identity})}}.expect(over({0}, operation, true));
}

TEST(Reduce, knowsTheProductOfAShape) {
    Operand x{.type = DataType::Int64, .shape = {3}, .values = Shape{2, DimExpr::symbol("n"), 4}};
    Operands const in({x}, "node");
    EXPECT_EQ(text(over({0}, Prod).infer(in)[0].values.value()), text(Shape{DimExpr::symbol("n") * 2 * 4}));
    EXPECT_EQ(text(over({0}, Sum).infer(in)[0].values.value()), text(Shape{DimExpr::symbol("n") + 2 + 4}));
    EXPECT_FALSE(over({0}, SumSquare).infer(in)[0].values);
}

TEST(Reduce, refusesAxesThatAreNotThere) {
    EXPECT_EQ(test::inferError(over({2}), {{DataType::Float32, {2, 3}}}),
              "node (Reduce): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(test::inferError(over({1, -1}), {{DataType::Float32, {2, 3}}}),
              "node (Reduce): axes [1, -1] name axis 1 twice");
}

TEST(Reduce, refusesTypesThatAnOperationDoesNotTake) {
    EXPECT_EQ(test::inferError(over({0}, LogSum), {{DataType::Int32, {2}}}),
              "node (Reduce): input 0 is int32, which LogSum does not support");
    EXPECT_EQ(test::inferError(over({0}, Sum), {{DataType::Bool, {2}}}),
              "node (Reduce): input 0 is bool, which Sum does not support");
}

} // namespace
} // namespace tenon

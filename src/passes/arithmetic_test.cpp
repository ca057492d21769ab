// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What passes may do to numbers, as docs/arithmetic.md says it: elementwise chains stay the same bit for bit, sums of
// products are within a bound.

#include "passes/pass.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/normalization/normalization.h"
#include "layers/pointwise/pointwise.h"
#include "support/expect_same.h"
#include "support/layer_case.h"
#include "support/random_steps.h"
#include "support/random_sums.h"
#include "support/run_graph.h"
#include "support/written_graph.h"

#include <cmath>
#include <limits>

namespace tenon {
namespace {

using test::floats;
using test::WrittenGraph;
using enum PointwiseOp;

constexpr float kMost = std::numeric_limits<float>::max();

std::vector<Literal> resultsAfter(std::span<Pass const> passes, WrittenGraph const& net) {
    Graph changed = net.graph;
    runPasses(changed, passes, {});
    return test::runGraph(changed, net.values);
}

TEST(Arithmetic, ofRandomChainsStaysTheSameBitForBit) {
    for (uint32_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(text("seed ", seed));
        std::mt19937 random(seed);
        WrittenGraph const net = test::randomSteps(random);
        auto const expected = test::runGraph(net.graph, net.values);
        for (size_t i = 0; i < pipeline().size(); ++i) {
            SCOPED_TRACE(pipeline()[i].name);
            test::expectSameBits(resultsAfter(pipeline().subspan(i, 1), net), expected);
        }
        SCOPED_TRACE("all passes");
        test::expectSameBits(resultsAfter(pipeline(), net), expected);
        if (testing::Test::HasFailure()) return;
    }
}

// ---- chains that exporters and applications write, by formulas on floats

struct Chain : WrittenGraph {
    std::vector<float> x;
    Dims dims;

    explicit Chain(std::vector<float> elements) : Chain(elements, {std::ssize(elements)}) {}
    Chain(std::vector<float> elements, Dims const& shape) : x(std::move(elements)), dims(shape) {
        input(dims);
        values[0] = floats(dims, x);
    }
    Tensor* in() { return graph.inputs()[0]; }

    /// All passes keep y equal to `formula` of each element.
    void expect(Tensor* y, std::function<float(float)> const& formula) {
        y->name = text('y');
        graph.markOutput(y);
        std::vector<float> expected;
        for (float element : x) expected.push_back(formula(element));
        test::expectSameBits(resultsAfter(pipeline(), *this), {floats(dims, expected)});
    }
};

TEST(Arithmetic, dividesWhereTheNetworkDivides) {
    std::vector<float> multiples;
    for (int i = 0; i < 60; ++i) multiples.push_back(static_cast<float>(41 * i));
    Chain floor(multiples);
    floor.expect(floor.emit(Floor, floor.emit(Div, floor.in(), floor.number(41))),
                 [](float x) { return std::floor(x / 41.0F); });
    Chain left({1, 7, 41, 49, 0, -0.0F, INFINITY});
    left.expect(left.emit(Floor, left.emit(Div, left.number(49), left.in())),
                [](float x) { return std::floor(49.0F / x); });
    Chain small({1e-38F, 3e-45F, 1, kMost}); // 1/c is infinite
    small.expect(small.emit(Div, small.in(), small.number(1e-40F)), [](float x) { return x / 1e-40F; });
}

TEST(Arithmetic, keepsSumsThatRoundToIntegers) {
    Chain net({0.2F, 0.5F, 1.5F, -2.75F, 1234.5F, 4e6F});
    Tensor* const up = net.emit(Sum, net.in(), net.number(12582912));
    net.expect(net.emit(Sub, up, net.number(12582912)), [](float x) { return std::nearbyint(x); });
}

TEST(Arithmetic, keepsDifferencesThatAreExactAndThenGrow) {
    Chain mask({0, 1});
    Tensor* const hidden = mask.emit(Prod, mask.emit(Sub, mask.number(1), mask.in()), mask.number(-kMost));
    mask.expect(mask.emit(Prod, hidden, mask.number(2)), [](float x) { return (1 - x) * -kMost * 2; });
    Chain billion({1, 1.0000001F, 2});
    Tensor* const many = billion.emit(Prod, billion.emit(Sub, billion.in(), billion.number(1)), billion.number(1e9F));
    billion.expect(billion.emit(Sum, many, billion.number(2)), [](float x) {
        float const product = (x - 1) * 1e9F;
        return product + 2;
    });
    Chain bend({37.7749F, 37.77491F, 37.775F, 37.7748F});
    Tensor* const steep = bend.emit(Prod, bend.emit(Sub, bend.in(), bend.number(37.7749F)), bend.number(1e5F));
    bend.expect(bend.emit(Sigmoid, steep), [](float x) {
        float const z = (x - 37.7749F) * 1e5F;
        return static_cast<float>(1 / (1 + std::exp(-double{z})));
    });
}

TEST(Arithmetic, movesNoFactorOverAnother) { // x (1e-20 x) is finite where x x is infinite
    Chain net({1e25F, 1e20F, 3, 1e-15F});
    Tensor* const y = net.emit(Prod, net.in(), net.emit(Prod, net.in(), net.number(1e-20F)));
    net.expect(y, [](float x) { return x * (x * 1e-20F); });
}

TEST(Arithmetic, clipsToBoundsThatMultiplyToNothing) { // clamp(x - 0.5, min = 0) * 2
    for (float most : {INFINITY, kMost, 6.0F, 1.0F}) {
        Chain net({0, 0.5F, 1, 3, 100, 1e30F, NAN});
        Tensor* const clipped = net.emit(Clip, net.emit(Sub, net.in(), net.number(0.5F)), 0, most);
        net.expect(net.emit(Prod, clipped, net.number(2)), [most](float x) {
            float const z = x - 0.5F;
            return std::isnan(x) ? x : std::min(std::max(z, 0.0F), most) * 2;
        });
    }
}

TEST(Arithmetic, keepsRootsOfWhatIsNegative) { // C's pow, as ONNX has it
    Chain net({4, 0, -0.0F, -INFINITY, INFINITY, -4, NAN});
    net.expect(net.emit(Pow, net.in(), net.number(0.5F)), [](float x) { return std::pow(x, 0.5F); });
    Chain inverse({4, 0, -0.0F, -INFINITY, INFINITY, -4, NAN});
    inverse.expect(inverse.emit(Pow, inverse.in(), inverse.number(-0.5F)), [](float x) { return std::pow(x, -0.5F); });
}

TEST(Arithmetic, keepsTheSignOfZero) { // 1 / -0 is -infinity
    Chain net({0, -0.0F, 2});
    net.expect(net.emit(Recip, net.emit(Prod, net.in(), net.number(5))), [](float x) { return 1 / (x * 5); });
    Chain sum({0, -0.0F, 2});
    sum.expect(sum.emit(Recip, sum.emit(Sum, sum.in(), sum.number(0))), [](float x) { return 1 / (x + 0.0F); });
    Chain minus({0, -0.0F, 2});
    minus.expect(minus.emit(Recip, minus.emit(Sub, minus.number(0), minus.in())),
                 [](float x) { return 1 / (0.0F - x); });
}

TEST(Arithmetic, ofGatesIsUndefinedAtMinusInfinity) { // as in ONNX Runtime, whether they are one layer or a chain
    std::vector<float> const ends{-INFINITY, INFINITY, NAN};
    auto const limits = [](float x) { return x > 0 ? x : NAN; };
    Chain swish(ends);
    swish.expect(swish.emit(Prod, swish.in(), swish.emit(Sigmoid, swish.in())), limits);
    Chain hardSwish(ends);
    Tensor* const clipped = hardSwish.emit(Clip, hardSwish.emit(Sum, hardSwish.in(), hardSwish.number(3)), 0, 6);
    hardSwish.expect(hardSwish.emit(Div, hardSwish.emit(Prod, hardSwish.in(), clipped), hardSwish.number(6)), limits);
    for (PointwiseOp const op : {GeluErf, GeluTanh, Mish, HardSwish}) {
        Chain layer(ends);
        layer.expect(layer.emit(op, layer.in()), limits);
    }
}

/// x as a function of itself in a form that exporters write, and the one step that it becomes.
struct Written {
    PointwiseOp step;
    std::function<Tensor*(Chain&, Tensor*)> write;
};

std::vector<Written> functions() {
    auto const share = [](Chain& net, Tensor* x) { // 1 + erf(x / sqrt(2))
        return net.emit(Sum, net.emit(Erf, net.emit(Div, x, net.number(std::sqrt(2.0F)))), net.number(1));
    };
    auto const relu6 = [](Chain& net, Tensor* x) { return net.emit(Clip, net.emit(Sum, x, net.number(3)), 0, 6); };
    return {
        {Swish, [](Chain& net, Tensor* x) { return net.emit(Prod, x, net.emit(Sigmoid, x)); }},
        {Swish, [](Chain& net,
                   Tensor* x) { return net.emit(Prod, net.emit(Sigmoid, net.emit(Prod, x, net.number(1.702F))), x); }},
        {Mish, [](Chain& net, Tensor* x) { return net.emit(Prod, x, net.emit(Tanh, net.emit(Softplus, x, 1, 1))); }},
        {HardSwish,
         [=](Chain& net, Tensor* x) { return net.emit(Div, net.emit(Prod, x, relu6(net, x)), net.number(6)); }},
        {HardSwish,
         [=](Chain& net, Tensor* x) { return net.emit(Prod, x, net.emit(Div, relu6(net, x), net.number(6))); }},
        {HardSwish,
         [=](Chain& net, Tensor* x) { return net.emit(Prod, x, net.emit(Prod, relu6(net, x), net.number(1 / 6.0F))); }},
        {HardSwish, [](Chain& net, Tensor* x) { return net.emit(Prod, x, net.emit(HardSigmoid, x, 1 / 6.0F, 0.5)); }},
        {GeluErf,
         [=](Chain& net, Tensor* x) { return net.emit(Prod, net.emit(Prod, x, share(net, x)), net.number(0.5F)); }},
        {GeluErf,
         [=](Chain& net, Tensor* x) { return net.emit(Prod, net.emit(Prod, x, net.number(0.5F)), share(net, x)); }},
        {GeluErf,
         [=](Chain& net, Tensor* x) { return net.emit(Prod, x, net.emit(Div, share(net, x), net.number(2))); }},
    };
}

TEST(Arithmetic, ofRecognisedFunctionsStaysWithinItsBound) {
    std::vector<float> x{NAN, INFINITY, -INFINITY, 0, 0x1p125F, -0x1p125F, -3, 1e-30F, 1e-40F};
    for (float e = -12; e < 12; e += 0.0137F) x.push_back(e);
    for (auto const& [step, write] : functions()) {
        SCOPED_TRACE(text(step));
        Chain net(x);
        net.graph.markOutput(write(net, net.in()));
        Graph changed = net.graph;
        runPasses(changed, pipeline(), {});
        auto const* layer = as<Pointwise>(*changed.outputs()[0]->producer()->layer);
        ASSERT_TRUE(layer && layer->steps.size() == 1 && layer->steps[0].op == step) << print(changed);
        auto const found = test::runGraph(changed, net.values)[0].toFloat();
        auto const expected = test::runGraph(net.graph, net.values)[0].toFloat();
        for (size_t i = 0; i < x.size(); ++i) {
            bool const same = found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]));
            EXPECT_TRUE(same || std::abs(found[i] - expected[i]) <= 0x1p-20F * std::abs(x[i]))
                << "f(" << x[i] << ") = " << found[i] << "; expected " << expected[i];
        }
    }
}

TEST(Arithmetic, ofSumsOfProductsStaysWithinItsBound) {
    for (uint32_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(text("seed ", seed));
        std::mt19937 random(seed);
        auto const [net, sizes] = test::randomSums(random);
        auto const expected = test::runGraph(net.graph, net.values);
        test::expectWithin(resultsAfter(pipeline(), net)[0], expected[0], sizes);
        if (testing::Test::HasFailure()) return;
    }
}

/// x [1,1,1,n] and convolutions with one weight.
struct Convolved : Chain {
    explicit Convolved(std::vector<float> const& elements) : Chain(elements, {1, 1, 1, std::ssize(elements)}) {}

    Tensor* by(float weight, Tensor* of) {
        return graph.emit(Convolution{}, {of, constant(floats({1, 1, 1, 1}, {weight}))});
    }
};

TEST(Arithmetic, ofConvolutionsKeepsWhatWouldNotFitItsBound) {
    std::vector<float> const x{0.2F, 0.5F, 37.7749F, 37.775F, 1.5F, -2.75F, 1234.5F, 82};
    Convolved rounded(x);
    Tensor* const up = rounded.emit(Sum, rounded.by(1, rounded.in()), rounded.number(12582912));
    rounded.expect(rounded.emit(Sub, up, rounded.number(12582912)), [](float e) { return std::nearbyint(e); });
    Convolved steep(x);
    steep.expect(steep.by(1e5F, steep.emit(Sub, steep.in(), steep.number(37.7749F))),
                 [](float e) { return (e - 37.7749F) * 1e5F; });
    Convolved divided(x);
    divided.expect(divided.emit(Floor, divided.emit(Div, divided.by(1, divided.in()), divided.number(41))),
                   [](float e) { return std::floor(e / 41.0F); });
    Convolved tiny({1e15F, 3e14F}); // 1e-20 * 1e-20 has few digits
    tiny.expect(tiny.emit(Prod, tiny.by(1e-20F, tiny.in()), tiny.number(1e-20F)),
                [](float e) { return e * 1e-20F * 1e-20F; });
    Convolved mask({0, 1}); // 1 - x convolved, times -FLT_MAX
    Tensor* const hidden = mask.emit(Sub, mask.number(1), mask.by(1, mask.in()));
    mask.expect(mask.emit(Prod, hidden, mask.number(-kMost)), [](float e) { return (1 - e) * -kMost; });
}

TEST(Arithmetic, ofAttentionKeepsFactorsOfExtremeSize) { // 1e-30 q and 1e30 k
    WrittenGraph net;
    Tensor* const q = net.emit(Prod, net.input({2, 3, 4}), net.number(1e-30F));
    Tensor* const k = net.emit(Div, net.input({2, 5, 4}), net.number(1e-30F));
    for (Literal& values : net.values)
        values = floats(values.dims(), std::vector<float>(values.toFloat().size(), 1e12F));
    Tensor* const scores = net.emit(Prod, net.product(q, k, MatrixOperation::Transpose), net.number(1e-25F));
    net.graph.markOutput(net.product(net.softmax(scores), net.input({2, 5, 3})));
    Graph changed = net.graph;
    runPasses(changed, pipeline(), {});
    EXPECT_EQ(test::kindsOf(changed).find("Attention"), std::string::npos) << print(changed);
    test::expectSame(changed, net.graph, net.values);
}

TEST(Arithmetic, ofNormalizationsKeepsScalesThatOverflow) { // 0 times FLT_MAX is 0
    WrittenGraph net;
    Tensor* const x = net.input({2, 4});
    net.values[0] = floats({2, 4}, {1e-3F, 1e-3F, 1e-3F, 1e-3F, -2, 2, -2, 2});
    Tensor* const centered = net.emit(Sub, x, net.average(x));
    Tensor* const variance = net.average(net.emit(Prod, centered, centered));
    Tensor* const root = net.emit(Sqrt, net.emit(Sum, variance, net.number(1e-5F)));
    Tensor* const y = net.emit(Prod, net.emit(Div, centered, root), net.constant(floats({4}, {kMost, 0.1F, 1, 2})));
    net.graph.markOutput(y);
    auto const found = resultsAfter(pipeline(), net)[0].toFloat();
    EXPECT_EQ(std::vector(found.begin(), found.begin() + 4), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Arithmetic, ofNormalizationsKeepsNansAndInfinities) {
    for (bool const centers : {true, false}) {
        SCOPED_TRACE(centers);
        WrittenGraph net;
        Tensor* const x = net.input({5, 4});
        net.values[0] =
            floats({5, 4}, {1, 2, 3, 4, 1, NAN, 3, 4, 1, INFINITY, 3, -INFINITY, 3, 4, 1, 2, 1, -INFINITY, 0, 2});
        Tensor* const deviation = centers ? net.emit(Sub, x, net.average(x)) : x;
        Tensor* const variance = net.average(net.emit(Pow, deviation, net.number(2)));
        Tensor* const root = net.emit(Sqrt, net.emit(Sum, variance, net.number(1e-5F)));
        Tensor* const scaled = net.emit(Prod, net.emit(Div, deviation, root), net.constant(test::spread({4}, 0.5F, 2)));
        net.graph.markOutput(net.emit(Sum, scaled, net.constant(test::spread({4}, 0.5F, 2))));
        Graph changed = net.graph;
        runPasses(changed, pipeline(), {});
        EXPECT_EQ(test::kindsOf(changed), "Normalization");
        test::expectSame(changed, net.graph, net.values);
    }
}

TEST(Arithmetic, ofSumsBeforeANormalizationKeepsTheirOrder) {
    WrittenGraph net;
    Tensor* const x = net.input({1, 4});
    Tensor* const skip = net.input({1, 4});
    net.values[0] = floats({1, 4}, {0.25F, 0.5F, 1, 2});
    net.values[1] = floats({1, 4}, {-1e9F, -1e9F, -1e9F, -1e9F});
    Tensor* const sum = net.emit(Sum, net.emit(Sum, x, net.constant(floats({4}, {1e9F, 1e9F, 1e9F, 1e9F}))), skip);
    Normalization layer;
    layer.axes = {-1};
    net.graph.markOutput(net.graph.emit(layer, {sum}));
    Graph changed = net.graph;
    runPasses(changed, pipeline(), {});
    EXPECT_EQ(test::kindsOf(changed), "Pointwise Normalization") << print(changed);
}

} // namespace
} // namespace tenon

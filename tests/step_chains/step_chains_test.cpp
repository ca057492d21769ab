// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains of elementwise steps, after every kind of layer whose kernels fuse them, and alone.

#include "steps/epilogue.h"

#include "base/parallel.h"
#include "base/text.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/normalization/normalization.h"
#include "layers/pointwise/pointwise.h"
#include "support/layer_case.h"
#include "support/random_steps.h"
#include "support/random_sums.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/tested_device.h"

#include <cmath>

namespace tenon {
namespace {

using test::LayerCase;
using enum PointwiseOp;

enum class Operand { None, Whole, Channel };

/// One link of a chain: a step, and its operands besides the result of the step before.
struct Link {
    EpilogueStep step;
    Operand operand = Operand::None;
};

std::string nameOf(std::vector<Link> const& chain) {
    std::string name;
    for (auto const& [step, operand] : chain)
        name += text(name.empty() ? "" : ", ", step.op, '(', step.alpha, ", ", step.beta, ')',
                     operand == Operand::Whole     ? " with a tensor"
                     : operand == Operand::Channel ? " by channel"
                                                   : "");
    return name;
}

bool readsNumbers(PointwiseOp op) {
    for (float const x : {-0.7F, 0.3F, 0.9F}) {
        if (compute({op, 0, -1, 0.25, 0.75}, x, 1) != compute({op, 0, -1, -0.5, 0.5}, x, 1)) return true;
    }
    return false;
}

/// Every step that fits an epilogue; steps with parameters with two different sets of these.
std::vector<Link> allLinks() {
    std::vector<Link> links;
    for (int i = 0; i < kPointwiseOps; ++i) {
        auto const op = static_cast<PointwiseOp>(i);
        Operand const operand = operandCount(op) == 2 ? Operand::Whole : Operand::None;
        auto const add = [&](double alpha, double beta) {
            EpilogueStep const step{op, -1, alpha, beta};
            if (fitsEpilogue(step)) links.push_back({step, operand});
            return fitsEpilogue(step);
        };
        bool const takesAnyNumbers = add(0.25, 0.75);
        if (!takesAnyNumbers) add(1, 1);
        if (takesAnyNumbers && operand == Operand::None && readsNumbers(op)) add(-0.5, 0.5);
    }
    for (PointwiseOp const op : {Sum, Prod, Div}) links.push_back({{op}, Operand::Channel});
    return links;
}

/// Those most likely to interfere with each other.
std::vector<Link> fewLinks() {
    return {{{LeakyRelu, -1, 0.25}},      {{Affine, -1, 0.25, 0.75}}, {{Sum}, Operand::Whole},
            {{Prod}, Operand::Channel},   {{Clip, -1, 0.25, 0.75}},   {{HardSigmoid, -1, -0.5, 0.5}},
            {{ScaledTanh, -1, -0.5, 0.5}}};
}

/// Multiples of 1/64 in [-1, 1], which are exact in all floating point types.
Literal sixtyFourths(Dims const& dims, int seed) {
    std::vector<float> values;
    for (int64_t i = 0; i < dims.volume(); ++i)
        values.push_back(static_cast<float>((i * 37 + seed * 11) % 129 - 64) / 64);
    return test::floats(dims, values);
}

Literal positive(Dims const& dims, int seed) {
    std::vector<float> values;
    for (int64_t i = 0; i < dims.volume(); ++i) values.push_back(static_cast<float>((i * 5 + seed) % 7 + 2) / 4);
    return test::floats(dims, values);
}

/// W [K,C/groups,window…] (transposed [C,K,window…]): for each result one weight is 1, the others 0.
Literal picking(Dims const& dims) {
    std::vector<float> values(static_cast<size_t>(dims.volume()), 0);
    int64_t const window = dims.volume(2, dims.rank());
    for (int64_t i = 0; i < dims[0]; ++i)
        values[static_cast<size_t>((i * dims[1] + i % dims[1]) * window + (i + window / 2) % window)] = 1;
    return test::floats(dims, values);
}

Literal computed(Dims const& dims, std::function<void(HostTensor const&)> const& compute) {
    auto const memory = allocateHost(bytesOf(DataType::Float32, dims.volume()));
    compute({DataType::Float32, dims, memory.get()});
    return Literal::borrowed(DataType::Float32, dims, memory.get(), memory);
}

std::vector<HostTensor> viewsOf(std::vector<Literal> const& literals) {
    std::vector<HostTensor> views;
    for (Literal const& literal : literals) views.push_back(literal.view());
    return views;
}

/// The steps of a chain whose operands are the inputs from `next` on. Roots are taken only of nonnegative values.
Epilogue epilogueOf(std::vector<Link> const& chain, int64_t next) {
    Epilogue steps;
    for (auto [step, operand] : chain) {
        if (step.op == Sqrt) steps.push_back({Abs});
        if (operand != Operand::None) step.input = next++;
        steps.push_back(step);
    }
    return steps;
}

/// A layer with its own inputs, and its result without steps after it.
struct Host {
    using WithSteps = std::function<std::unique_ptr<Layer>(Epilogue const&)>;

    std::string name;
    WithSteps withSteps;
    std::vector<Literal> inputs; // the number of inputs before those of the steps
    Literal result;
    int channelAxis = 1;

    /// The kernels compute the chain after this layer as the reference computes the steps of the layer's result.
    void expect(std::vector<Link> const& chain, DataType type, size_t variant) const {
        SCOPED_TRACE(text(name, ": ", nameOf(chain)));
        LayerCase test{
            .inputs = inputs, .expected = {}, .tolerance = 2e-4, .constants = 0b10, .types = {type}, .one = variant};
        Dims perChannel = Dims::filled(result.dims().rank(), 1);
        perChannel[channelAxis] = result.dims()[channelAxis];
        std::vector<Literal> operands(inputs.size());
        for (Link const& link : chain) {
            if (link.operand == Operand::None) continue;
            operands.push_back(positive(link.operand == Operand::Whole ? result.dims() : perChannel,
                                        static_cast<int>(operands.size())));
            test.inputs.push_back(operands.back());
        }
        Epilogue const steps = epilogueOf(chain, static_cast<int64_t>(inputs.size()));
        test.expected = {computed(result.dims(), [&](HostTensor const& y) {
            std::ranges::copy(result.as<float>(), y.as<float>().begin());
            applyEpilogue(steps, viewsOf(operands), y);
        })};
        (type == DataType::Float32 ? test : test.in(type)).expect(*withSteps(steps));
    }
};

/// A layer that supports an epilogue.
template <class T> Host hostOf(std::string name, T const& layer, std::vector<Literal> inputs, int channelAxis = 1) {
    Graph graph;
    std::vector<Tensor*> tensors;
    for (Literal const& input : inputs) tensors.push_back(graph.addInput("x", input.type(), toShape(input.dims())));
    Dims const dims = toDims(graph.add(layer.clone(), tensors, "node")->output()->shape);
    Literal const result =
        computed(dims, [&](HostTensor const& y) { layer.reference(viewsOf(inputs), std::span(&y, 1)); });
    inputs.resize(T::kFirstExtra);
    auto const withSteps = [layer](Epilogue const& steps) {
        auto finished = std::make_unique<T>(layer);
        finished->epilogue = steps;
        return finished;
    };
    return {std::move(name), withSteps, std::move(inputs), result, channelAxis};
}

template <class T> Host sliding(std::string name, Dims const& x, Dims const& w, Window window, int64_t groups = 1) {
    T layer;
    layer.window = std::move(window);
    layer.groups = groups;
    return hostOf(std::move(name), layer, {sixtyFourths(x, 3), picking(w)});
}

/// Layers of one kind, which different kernels compute.
using Family = std::vector<Host>;

Family products() {
    Family hosts;
    hosts.push_back(hostOf("MatrixMultiply", MatrixMultiply{}, {sixtyFourths({5, 6}, 1), picking({6, 20})}, 1));
    hosts.push_back(hostOf("stacked MatrixMultiply", MatrixMultiply{},
                           {sixtyFourths({2, 3, 6}, 1), sixtyFourths({2, 6, 20}, 2)}, 2));
    return hosts;
}

Window const kSame{.prePadding = {1, 1}, .postPadding = {1, 1}};
Window const kDoubling{.stride = {2, 2}};

Family convolutions() {
    Family hosts;
    hosts.push_back(sliding<Convolution>("1x1", {2, 16, 3, 2}, {18, 16, 1, 1}, {}));
    hosts.push_back(sliding<Convolution>("3x3", {2, 16, 3, 2}, {18, 16, 3, 3}, kSame));
    hosts.push_back(sliding<Convolution>("3x3 of a picture", {1, 3, 3, 4}, {16, 3, 3, 3}, kSame));
    hosts.push_back(sliding<Convolution>("grouped", {2, 32, 2, 3}, {32, 16, 3, 3}, kSame, 2));
    return hosts;
}

Family convolutionsOfFewChannels() {
    Family hosts;
    hosts.push_back(sliding<Convolution>("depthwise", {2, 18, 3, 4}, {18, 1, 3, 3}, kSame, 18));
    hosts.push_back(sliding<Convolution>("oddly grouped", {2, 6, 3, 4}, {4, 3, 3, 3}, kSame, 2));
    hosts.push_back(sliding<Convolution>("multiplying channels", {2, 8, 3, 2}, {16, 1, 3, 3}, kSame, 8));
    hosts.push_back(sliding<Convolution>("grouped volumes", {2, 6, 2, 2, 3}, {4, 3, 1, 1, 1}, {}, 2));
    return hosts;
}

Family deconvolutions() {
    Family hosts;
    hosts.push_back(sliding<Deconvolution>("doubling", {2, 16, 2, 3}, {16, 18, 2, 2}, kDoubling));
    hosts.push_back(sliding<Deconvolution>("deconvolution", {1, 16, 2, 3}, {16, 18, 3, 3}, kDoubling));
    hosts.push_back(sliding<Deconvolution>("doubling few channels", {2, 16, 2, 3}, {16, 3, 2, 2}, kDoubling));
    return hosts;
}

/// Alternating 1/2 and -1/2, so that normalized values are 1 and -1 before scaling.
Host normalizing(std::string name, Dims const& x, int axis, Dims const& parameter) {
    Normalization layer;
    layer.axes = {axis};
    layer.epsilon = 0;
    std::vector<float> values;
    int64_t const inner = x.volume(axis + 1, x.rank());
    for (int64_t i = 0; i < x.volume(); ++i) values.push_back(i / inner % 2 == 0 ? 0.5F : -0.5F);
    return hostOf(std::move(name), layer,
                  {test::floats(x, values), sixtyFourths(parameter, 1), sixtyFourths(parameter, 2)}, x.rank() - 1);
}

Family normalizations() {
    Family hosts;
    hosts.push_back(normalizing("rows", {3, 2, 16}, 2, {16}));
    hosts.push_back(normalizing("long rows", {2, 2048}, 1, {2048}));
    hosts.push_back(normalizing("odd rows", {5, 6}, 1, {6}));
    hosts.push_back(normalizing("columns", {2, 4, 18}, 1, {4, 1}));
    return hosts;
}

Family chainsThemselves() {
    auto const withSteps = [](Epilogue const& steps) {
        auto layer = std::make_unique<Pointwise>();
        std::vector<Dims> const dims(kMostEpilogueInputs + 1);
        layer->steps = programOf(steps, dims, {}).steps;
        return layer;
    };
    Literal const x = sixtyFourths({2, 18, 3, 2}, 3);
    return {{"Pointwise", withSteps, {x}, x, 1}};
}

std::vector<Family> allFamilies() {
    return {products(),       convolutions(),   convolutionsOfFewChannels(),
            deconvolutions(), normalizations(), chainsThemselves()};
}

using Chains = std::vector<std::vector<Link>>;

/// Every pair of links adjacent, first and second or second and third, and every pair with one between them.
Chains allPairs(std::vector<Link> const& links) {
    Chains chains;
    size_t const count = links.size();
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b < count; ++b) chains.push_back({links[a], links[b], links[(a + b) % count]});
    }
    return chains;
}

Chains allTriples(std::vector<Link> const& links) {
    Chains chains;
    for (Link const& a : links) {
        for (Link const& b : links) {
            for (Link const& c : links) chains.push_back({a, b, c});
        }
    }
    return chains;
}

// On a GPU some kernels are compiled for each chain: fewer must suffice.
std::vector<Link> linksOfPairs() { return test::testedDevice() != Device::Cpu ? fewLinks() : allLinks(); }
std::vector<Link> linksOfTriples() {
    auto links = fewLinks();
    if (test::testedDevice() != Device::Cpu) links.resize(4);
    return links;
}

TEST(StepChains, ofAnyTwoStepsAreWhatTheyAre) { // after each kind of layer, by one of its kernels' variants in turn
    ThreadLimit const limit(1);
    auto const chains = allPairs(linksOfPairs());
    for (Family const& family : allFamilies()) {
        for (size_t i = 0; i < chains.size(); ++i)
            family[i % family.size()].expect(chains[i], DataType::Float32, i / family.size());
    }
}

TEST(StepChains, ofAnyThreeStepsAreWhatTheyAre) { // after each layer
    ThreadLimit const limit(1);
    auto const chains = allTriples(linksOfTriples());
    for (Family const& family : allFamilies()) {
        for (Host const& host : family) {
            for (size_t i = 0; i < chains.size(); ++i) host.expect(chains[i], DataType::Float32, i);
        }
    }
}

TEST(StepChains, areTheSameInSixteenBits) {
    ThreadLimit const limit(1);
    auto const chains = allPairs(fewLinks());
    for (Family const& family : allFamilies()) {
        for (DataType type : {DataType::Float16, DataType::BFloat16}) {
            for (size_t i = 0; i < chains.size(); ++i)
                family[i % family.size()].expect(chains[i], type, i / family.size());
        }
    }
}

/// Engines compute random networks of elementwise layers bit for bit as the layers' references do, one by one.
TEST(StepChains, ofRandomLayersAreTheSameBitForBit) {
    ThreadLimit const limit(1);
    uint32_t const networks = test::testedDevice() != Device::Cpu ? 25 : 400; // on a GPU kernels are compiled for each
    for (uint32_t seed = 0; seed < networks; ++seed) {
        SCOPED_TRACE(text("seed ", seed));
        std::mt19937 random(seed + 100'000);
        test::WrittenGraph const net = test::randomSteps(random);
        test::expectSameBits(test::runEngine(net.graph, net.values), test::runGraph(net.graph, net.values));
        if (testing::Test::HasFailure()) return;
    }
}

/// After products engines stay within the error of the sum.
TEST(StepChains, behindRandomProductsStayWithinTheirBound) {
    ThreadLimit const limit(1);
    BuildConfig config;
    config.settings.precision.tf32 = false;
    uint32_t const networks = test::testedDevice() != Device::Cpu ? 50 : 400;
    for (uint32_t seed = 0; seed < networks; ++seed) {
        SCOPED_TRACE(text("seed ", seed));
        std::mt19937 random(seed + 200'000);
        auto const [net, sizes] = test::randomSums(random);
        auto const expected = test::runGraph(net.graph, net.values);
        test::expectWithin(test::runEngine(net.graph, net.values, config)[0], expected[0], sizes);
        if (testing::Test::HasFailure()) return;
    }
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/recorded.h"

#include <array>
#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;
using Numbers = std::vector<double>;

constexpr uint32_t kConstants = 1U << Rnn::kWeights | 1U << Rnn::kRecurrent | 1U << Rnn::kBias;

Rnn rnn(RnnOperation operation, RnnDirection direction, int64_t hidden, int64_t layers = 1) {
    Rnn layer;
    layer.operation = operation;
    layer.direction = direction;
    layer.hiddenSize = hidden;
    layer.layers = layers;
    return layer;
}

constexpr std::array kOperations{RnnOperation::Relu, RnnOperation::Tanh, RnnOperation::Lstm, RnnOperation::Gru};
constexpr std::array kDirections{RnnDirection::Forward, RnnDirection::Bidirectional, RnnDirection::Reverse};

Literal lengthsOf(std::vector<int32_t> const& lengths) {
    return Literal::of({static_cast<int64_t>(lengths.size())}, lengths);
}

// h' = max(0, b + R h), of R = 1/2, b = 1/4 + 1/8 and h = 1 before
TEST(Rnn, ofNoInputFollowsItsState) {
    LayerCase{.inputs = {floats({2, 0}, {}),
                         {},
                         floats({1, 1}, {1}),
                         {},
                         floats({1, 1, 0}, {}),
                         floats({1, 1, 1}, {0.5F}),
                         floats({1, 2}, {0.25F, 0.125F})},
              .expected = {floats({2, 1}, {0.875F, 0.8125F}), floats({1, 1}, {0.8125F})},
              .constants = 0b1110000}
        .expect(rnn(RnnOperation::Relu, RnnDirection::Forward, 1));
}

TEST(Rnn, ofNoStepsKeepsItsState) {
    LayerCase{.inputs = {floats({0, 2}, {}),
                         {},
                         floats({1, 1}, {3}),
                         {},
                         floats({1, 1, 2}, {1, 1}),
                         floats({1, 1, 1}, {0.5F}),
                         floats({1, 2}, {0.25F, 0.125F})},
              .expected = {floats({0, 1}, {}), floats({1, 1}, {3})},
              .constants = 0b1110000}
        .expect(rnn(RnnOperation::Relu, RnnDirection::Forward, 1));
}

// ---- against ONNX Runtime

LayerCase recordedCase(Rnn const& layer, std::string const& name, bool rest) {
    int64_t const directions = layer.directions();
    int64_t const rows = layer.gates() * 4;
    LayerCase test{.inputs = {spread({3, 2, 3}, -1, 1),
                              {},
                              {},
                              {},
                              spread({directions, rows, 3}, -0.8F, 0.9F),
                              spread({directions, rows, 4}, -0.7F, 0.6F),
                              spread({directions, 2 * rows}, -0.3F, 0.4F)},
                   .expected = {}};
    if (rest) {
        test.inputs[Rnn::kLengths] = lengthsOf({3, 2});
        test.inputs[Rnn::kHidden] = spread({directions, 2, 4}, -1, 1);
    }
    std::vector<std::string> parts{"y", "hidden"};
    if (layer.operation == RnnOperation::Lstm) {
        if (rest) test.inputs[Rnn::kCell] = test.inputs[Rnn::kHidden];
        parts.emplace_back("cell");
    }
    for (std::string const& part : parts)
        test.expected.push_back(test::recorded("src/layers/rnn/rnn_test.txt", text(name, '.', part)));
    return test;
}

/// With the functions that record_rnn.py uses, in all directions.
Rnn other(Rnn layer) {
    std::vector<RnnActivation> const own =
        layer.operation == RnnOperation::Tanh   ? std::vector<RnnActivation>{{RnnFunction::Elu, 0.5}}
        : layer.operation == RnnOperation::Lstm ? std::vector<RnnActivation>{{RnnFunction::HardSigmoid, 0.25, 0.5},
                                                                             {RnnFunction::Affine, 0.75, 0.125},
                                                                             {RnnFunction::Softsign}}
        : layer.resetsAfter
            ? std::vector<RnnActivation>{{RnnFunction::HardSigmoid, 0.25, 0.5}, {RnnFunction::LeakyRelu, 0.125}}
            : std::vector<RnnActivation>{{RnnFunction::Softsign}, {RnnFunction::ScaledTanh, 0.75, 1.25}};
    for (int64_t i = 0; i < layer.directions(); ++i)
        layer.activations.insert(layer.activations.end(), own.begin(), own.end());
    layer.clip = layer.operation == RnnOperation::Tanh ? 0.75 : 0.5;
    layer.couplesForget = layer.operation == RnnOperation::Lstm;
    return layer;
}

/// All recorded cases of these operations; `kind` is the suffix of their names, `changed` modifies a layer.
template <class Operations>
void expectRecorded(Operations const& operations, std::string_view kind, Rnn (*changed)(Rnn)) {
    constexpr std::string_view kNames[]{"forward", "bidirectional", "reverse"};
    auto const expectOne = [&](RnnOperation operation, bool resetsAfter, RnnDirection direction, bool rest) {
        Rnn layer = rnn(operation, direction, 4);
        layer.stepsFirst = true;
        layer.resetsAfter = resetsAfter;
        layer = changed(layer);
        std::string const name =
            text(names(operation)[static_cast<size_t>(operation)], kind, resetsAfter ? "." : "ResetsBefore.",
                 kNames[static_cast<size_t>(direction)], rest ? ".states" : ".plain");
        SCOPED_TRACE(name);
        LayerCase test = recordedCase(layer, name, rest);
        test.expect(layer);
        test.constants = kConstants;
        test.expect(layer);
    };
    for (RnnOperation const operation : operations) {
        for (bool const resetsAfter : {true, false}) {
            if (!resetsAfter && operation != RnnOperation::Gru) continue;
            for (RnnDirection const direction : kDirections) {
                for (bool const rest : {false, true}) expectOne(operation, resetsAfter, direction, rest);
            }
        }
    }
}

TEST(Rnn, computesWhatOnnxRuntimeDoesWithOtherFunctions) {
    expectRecorded(std::array{RnnOperation::Tanh, RnnOperation::Lstm, RnnOperation::Gru}, "Other", other);
}

TEST(Rnn, computesWhatOnnxRuntimeDoes) {
    expectRecorded(kOperations, "", [](Rnn layer) { return layer; });
}

// ---- against the equations, sequence by sequence

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One cell: W [gates·H,depth] (or none: X is added), R [gates·H,H], b [2,gates·H].
struct Cell {
    Rnn layer;
    std::span<float const> w, r, b, p;
    int64_t direction = 0;

    double clipped(double x) const { return layer.clip == 0 ? x : std::max(-layer.clip, std::min(x, layer.clip)); }
    /// With ONNX's functions; `usual` if the layer has none.
    double activated(size_t place, double x, double usual) const {
        if (layer.activations.empty()) return usual;
        size_t const count = layer.operation == RnnOperation::Lstm ? 3 : layer.operation == RnnOperation::Gru ? 2 : 1;
        auto const [function, alpha, beta] = layer.activations[static_cast<size_t>(direction) * count + place];
        switch (function) {
        case RnnFunction::Relu: return x > 0 ? x : 0;
        case RnnFunction::Tanh: return std::tanh(x);
        case RnnFunction::Sigmoid: return 1 / (1 + std::exp(-x));
        case RnnFunction::Affine: return alpha * x + beta;
        case RnnFunction::LeakyRelu: return x >= 0 ? x : alpha * x;
        case RnnFunction::ThresholdedRelu: return x >= alpha ? x : 0;
        case RnnFunction::ScaledTanh: return alpha * std::tanh(beta * x);
        case RnnFunction::HardSigmoid: return std::min(std::max(alpha * x + beta, 0.0), 1.0);
        case RnnFunction::Elu: return x >= 0 ? x : alpha * (std::exp(x) - 1);
        case RnnFunction::Softsign: return x / (1 + std::fabs(x));
        case RnnFunction::Softplus: return std::log(1 + std::exp(x));
        }
        return 0;
    }
    double sigmoidOf(double x) const { return activated(0, clipped(x), sigmoid(clipped(x))); }
    double tanhOf(double x) const { return activated(1, clipped(x), std::tanh(clipped(x))); }

    Numbers products(std::span<float const> matrix, std::span<double const> x, size_t biasAt) const {
        Numbers sums(static_cast<size_t>(layer.gates() * layer.hiddenSize));
        for (size_t row = 0; row < sums.size(); ++row) {
            sums[row] = static_cast<double>(b[biasAt + row]);
            if (matrix.empty()) sums[row] += x[row % x.size()];
            for (size_t k = 0; !matrix.empty() && k < x.size(); ++k)
                sums[row] += static_cast<double>(matrix[row * x.size() + k]) * x[k];
        }
        return sums;
    }

    void step(std::span<double const> x, Numbers& h, Numbers& c) const {
        size_t const size = h.size();
        Numbers const in = products(w, x, 0);
        Numbers const of = products(r, h, in.size());
        Numbers reset = h;
        for (size_t u = 0; u < size && layer.gates() == 3; ++u) reset[u] *= sigmoidOf(in[size + u] + of[size + u]);
        Numbers const ofReset = products(r, reset, in.size());
        for (size_t u = 0; u < size; ++u) {
            auto const sum = [&](size_t gate) { return in[gate * size + u] + of[gate * size + u]; };
            double const clippedSum = clipped(sum(0));
            if (layer.operation == RnnOperation::Relu) h[u] = activated(0, clippedSum, std::max(0.0, clippedSum));
            if (layer.operation == RnnOperation::Tanh) h[u] = activated(0, clippedSum, std::tanh(clippedSum));
            if (layer.operation == RnnOperation::Lstm) {
                auto const seen = [&](size_t gate) {
                    return p.empty() ? 0 : static_cast<double>(p[gate * size + u]) * c[u];
                };
                double const in = sigmoidOf(sum(0) + seen(0));
                double const kept = layer.couplesForget ? 1 - in : sigmoidOf(sum(2) + seen(2));
                c[u] = c[u] * kept + tanhOf(sum(3)) * in;
                h[u] = sigmoidOf(sum(1) + seen(1)) * activated(2, c[u], std::tanh(c[u]));
            }
            if (layer.operation == RnnOperation::Gru) {
                double const state = layer.resetsAfter ? sigmoidOf(sum(1)) * of[2 * size + u] : ofReset[2 * size + u];
                double const fresh = tanhOf(in[2 * size + u] + state);
                h[u] = fresh + sigmoidOf(sum(0)) * (h[u] - fresh);
            }
        }
    }
};

/// Sequences one after the other: X [N,S,E], with weights, and optionally lengths and states.
struct Formula {
    Rnn layer;
    int64_t sequences, steps, elements;
    std::vector<int32_t> lengths = {};
    bool states = false;
    bool peepholes = false;

    LayerCase test() const {
        int64_t const cells = layer.layers * layer.directions();
        int64_t const rows = layer.gates() * layer.hiddenSize;
        float const range = 2 / std::sqrt(static_cast<float>(layer.hiddenSize));
        LayerCase made{.inputs = {spread({sequences, steps, elements}, -1, 1),
                                  {},
                                  {},
                                  {},
                                  spread({layer.weightsCount(elements)}, -range, range),
                                  spread({cells * rows * layer.hiddenSize}, -range, range),
                                  spread({cells, 2, rows}, -0.5F, 0.5F)},
                       .expected = {},
                       .tolerance = 2e-5};
        if (peepholes) made.inputs.push_back(spread({cells, 3 * layer.hiddenSize}, -1, 1));
        if (layer.weightsCount(elements) == 0) made.inputs[Rnn::kWeights] = {};
        if (!lengths.empty()) made.inputs[Rnn::kLengths] = lengthsOf(lengths);
        if (states) made.inputs[Rnn::kHidden] = spread({sequences, cells, layer.hiddenSize}, -1, 1);
        if (states && layer.operation == RnnOperation::Lstm) made.inputs[Rnn::kCell] = made.inputs[Rnn::kHidden];
        compute(made);
        return made;
    }

private:
    void compute(LayerCase& made) const {
        int64_t const cells = layer.layers * layer.directions();
        int64_t const width = layer.directions() * layer.hiddenSize;
        std::vector<float> y;
        std::vector<float> hidden;
        std::vector<float> cell;
        for (int64_t n = 0; n < sequences; ++n) {
            auto const x = made.inputs[Rnn::kX].as<float>().subspan(static_cast<size_t>(n * steps * elements),
                                                                    static_cast<size_t>(steps * elements));
            Numbers below(x.begin(), x.end());
            size_t weightsAt = 0;
            for (int64_t i = 0; i < layer.layers; ++i) {
                Numbers above(static_cast<size_t>(steps * width), 0);
                for (int64_t d = 0; d < layer.directions(); ++d) {
                    Numbers h = stateOf(made, Rnn::kHidden, n * cells + i * layer.directions() + d);
                    Numbers c = stateOf(made, Rnn::kCell, n * cells + i * layer.directions() + d);
                    Cell const one = cellOf(made, i * layer.directions() + d, weightsAt);
                    run(one, below, above, {n, d}, h, c);
                    hidden.insert(hidden.end(), h.begin(), h.end());
                    cell.insert(cell.end(), c.begin(), c.end());
                }
                below = above;
            }
            y.insert(y.end(), below.begin(), below.end());
        }
        Dims const states{sequences, cells, layer.hiddenSize};
        made.expected = {floats({sequences, steps, width}, y), floats(states, hidden)};
        if (layer.operation == RnnOperation::Lstm) made.expected.push_back(floats(states, cell));
    }

    Numbers stateOf(LayerCase const& made, size_t input, int64_t state) const {
        auto const size = static_cast<size_t>(layer.hiddenSize);
        if (made.inputs[input].data() == nullptr) return Numbers(size, 0);
        auto const values = made.inputs[input].as<float>().subspan(static_cast<size_t>(state) * size, size);
        return Numbers(values.begin(), values.end());
    }

    Cell cellOf(LayerCase const& made, int64_t index, size_t& weightsAt) const {
        auto const rows = static_cast<size_t>(layer.gates() * layer.hiddenSize);
        auto const at = static_cast<size_t>(index);
        bool const isFirst = index < layer.directions();
        auto depth = static_cast<size_t>(isFirst ? elements : layer.directions() * layer.hiddenSize);
        if (isFirst && layer.skipsInput) depth = 0;
        std::span<float const> w;
        if (depth != 0) w = made.inputs[Rnn::kWeights].as<float>().subspan(weightsAt, rows * depth);
        weightsAt += rows * depth;
        auto const size = static_cast<size_t>(layer.hiddenSize);
        std::span<float const> p;
        if (peepholes) p = made.inputs[Rnn::kPeepholes].as<float>().subspan(at * 3 * size, 3 * size);
        return {layer,
                w,
                made.inputs[Rnn::kRecurrent].as<float>().subspan(at * rows * size, rows * size),
                made.inputs[Rnn::kBias].as<float>().subspan(at * 2 * rows, 2 * rows),
                p,
                index % layer.directions()};
    }

    struct Place {
        int64_t sequence, direction;
    };
    void run(Cell const& cell, Numbers const& below, Numbers& above, Place const& place, Numbers& h, Numbers& c) const {
        int64_t const length = lengths.empty() ? steps : lengths[static_cast<size_t>(place.sequence)];
        bool const backward = place.direction == 1 || layer.direction == RnnDirection::Reverse;
        size_t const depth = below.size() / static_cast<size_t>(steps);
        for (int64_t k = 0; k < length; ++k) {
            auto const t = static_cast<size_t>(backward ? length - 1 - k : k);
            cell.step(std::span(below).subspan(t * depth, depth), h, c);
            std::ranges::copy(h,
                              above.begin() + static_cast<std::ptrdiff_t>((t * static_cast<size_t>(layer.directions()) +
                                                                           static_cast<size_t>(place.direction)) *
                                                                          h.size()));
        }
    }
};

void expectFormula(Formula const& formula) {
    LayerCase test = formula.test();
    test.constants = kConstants | (formula.peepholes ? 1U << Rnn::kPeepholes : 0);
    test.expect(formula.layer);
}

TEST(Rnn, stacksLayersOfEveryKind) {
    for (RnnOperation const operation : kOperations) {
        for (RnnDirection const direction : kDirections) {
            for (bool const skips : {false, true}) {
                Rnn layer = rnn(operation, direction, 5, 2);
                layer.skipsInput = skips;
                SCOPED_TRACE(printFields(layer));
                expectFormula({layer, 3, 4, skips ? 5 : 3, {4, 1, 3}, true});
                layer.layers = 1;
                expectFormula({layer, 3, 4, skips ? 5 : 3});
            }
        }
    }
}

TEST(Rnn, takesAnyHiddenSize) {
    for (RnnOperation const operation : kOperations) {
        for (int64_t const hidden : {1, 15, 16, 17, 48, 64, 70, 129}) {
            SCOPED_TRACE(text(names(operation)[static_cast<size_t>(operation)], ' ', hidden));
            expectFormula({rnn(operation, RnnDirection::Forward, hidden), 2, 3, 7});
        }
    }
    for (int64_t const hidden : {1, 16, 70, 129}) {
        Rnn layer = rnn(RnnOperation::Gru, RnnDirection::Bidirectional, hidden);
        layer.resetsAfter = false;
        expectFormula({layer, 3, 3, 7, {3, 1, 2}, true});
    }
    expectFormula({rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 300), 1, 2, 20});
    expectFormula({rnn(RnnOperation::Gru, RnnDirection::Forward, 300), 9, 2, 20});
}

TEST(Rnn, takesAnyNumberOfSequencesAndSteps) {
    for (int64_t const sequences : {1, 6, 7, 25}) {
        for (int64_t const steps : {1, 9}) {
            std::vector<int32_t> lengths;
            for (int64_t i = 0; i < sequences; ++i) lengths.push_back(static_cast<int32_t>(i % (steps + 1)));
            SCOPED_TRACE(text(sequences, " sequences of ", steps));
            expectFormula({rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 20), sequences, steps, 4});
            expectFormula(
                {rnn(RnnOperation::Gru, RnnDirection::Bidirectional, 20), sequences, steps, 4, lengths, true});
        }
    }
    expectFormula({rnn(RnnOperation::Tanh, RnnDirection::Forward, 40), 30, 600, 3}); // more than one piece of steps
}

TEST(Rnn, readsStepsFirst) { // X [S,N,E], the transposed [N,S,E] above
    for (int64_t const sequences : {2, 40}) {
        Formula formula{rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 33, 2), sequences, 5, 3, {}, true};
        LayerCase test = formula.test();
        auto const turned = [](Literal const& literal) {
            Dims const dims = literal.dims();
            std::vector<float> values(literal.as<float>().size());
            for (int64_t i = 0; i < dims.volume(); ++i) {
                int64_t const row = i / dims[2];
                values[static_cast<size_t>((row % dims[1] * dims[0] + row / dims[1]) * dims[2] + i % dims[2])] =
                    literal.as<float>()[static_cast<size_t>(i)];
            }
            return floats({dims[1], dims[0], dims[2]}, values);
        };
        for (size_t const input : {Rnn::kX, Rnn::kHidden, Rnn::kCell}) test.inputs[input] = turned(test.inputs[input]);
        for (Literal& expected : test.expected) expected = turned(expected);
        test.constants = kConstants;
        formula.layer.stepsFirst = true;
        test.expect(formula.layer);
    }
}

TEST(Rnn, looksAtTheCellThroughPeepholes) {
    for (RnnDirection const direction : kDirections) {
        for (int64_t const hidden : {5, 33}) {
            Formula const formula{rnn(RnnOperation::Lstm, direction, hidden, 2), 3, 4, 6, {4, 1, 3}, true, true};
            expectFormula(formula);
            formula.test().expect(formula.layer); // with weights as inputs
        }
    }
}

constexpr std::array kFunctions{RnnFunction::Relu,       RnnFunction::Tanh,        RnnFunction::Sigmoid,
                                RnnFunction::Affine,     RnnFunction::LeakyRelu,   RnnFunction::ThresholdedRelu,
                                RnnFunction::ScaledTanh, RnnFunction::HardSigmoid, RnnFunction::Elu,
                                RnnFunction::Softsign,   RnnFunction::Softplus};

TEST(Rnn, takesEveryFunctionInEveryPlace) {
    for (RnnOperation const operation : kOperations) {
        for (RnnFunction const function : kFunctions) {
            for (bool const resetsAfter : {true, false}) {
                if (!resetsAfter && operation != RnnOperation::Gru) continue;
                Rnn layer = rnn(operation, RnnDirection::Bidirectional, 19);
                layer.resetsAfter = resetsAfter;
                for (int64_t i = 0; i < 2 * layer.activationCount(); ++i) { // a different one at each position
                    auto const at = static_cast<size_t>(function) + static_cast<size_t>(3 * i);
                    RnnFunction const own = kFunctions[at % kFunctions.size()];
                    double const alpha = 0.3 + 0.05 * static_cast<double>(i); // without a step at 0
                    layer.activations.push_back({own, own == RnnFunction::ThresholdedRelu ? 0 : alpha, 0.2});
                }
                SCOPED_TRACE(printFields(layer));
                layer.clip = 0.9;
                expectFormula({layer, 3, 4, 5, {4, 1, 3}, true});
            }
        }
    }
}

TEST(Rnn, letsThroughWhatReachesAThreshold) { // of 2 x
    Rnn layer = rnn(RnnOperation::Relu, RnnDirection::Forward, 1);
    layer.activations = {{RnnFunction::ThresholdedRelu, 1}};
    LayerCase{.inputs = {floats({1, 4, 1}, {-1, 0.25F, 0.5F, 3}), {}, {}, {}, floats({1}, {2}), floats({1}, {0})},
              .expected = {floats({1, 4, 1}, {0, 0, 1, 6}), floats({1, 1, 1}, {6})}}
        .expect(layer);
}

TEST(Rnn, couplesTheForgetGateAndClipsBehindPeepholes) {
    for (double const clip : {0.0, 0.6}) {
        Rnn layer = rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 33, 2);
        layer.clip = clip;
        layer.couplesForget = clip == 0;
        Formula const formula{layer, 3, 4, 6, {4, 1, 3}, true, true};
        expectFormula(formula);
        formula.test().expect(layer); // with weights as inputs
    }
}

TEST(Rnn, isComputedIn16BitsToo) {
    LayerCase test = Formula{rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 20), 2, 4, 6, {4, 2}, true}.test();
    test.constants = kConstants;
    test.in(DataType::Float16).expect(rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 20));
    test.in(DataType::BFloat16).expect(rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 20));
}

TEST(Rnn, needsNoBias) { // h = relu(2 x + 3 h)
    LayerCase{.inputs = {floats({1, 2, 1}, {1, -1}), {}, {}, {}, floats({1}, {2}), floats({1}, {3})},
              .expected = {floats({1, 2, 1}, {2, 4}), floats({1, 1, 1}, {4})}}
        .expect(rnn(RnnOperation::Relu, RnnDirection::Forward, 1));
}

// ---- refusals

std::string refusal(Rnn const& layer, std::vector<Shape> const& shapes, int wrong = -1) {
    std::vector<test::Input> inputs;
    for (size_t i = 0; i < shapes.size(); ++i) {
        DataType const type = i == Rnn::kLengths ? DataType::Int32 : DataType::Float32;
        inputs.push_back({static_cast<int>(i) == wrong ? DataType::Float16 : type, shapes[i]});
    }
    return test::inferError(layer, inputs);
}

TEST(Rnn, refusesShapesThatDoNotFit) {
    Rnn const lstm = rnn(RnnOperation::Lstm, RnnDirection::Bidirectional, 4);
    EXPECT_EQ(refusal(lstm, {{5}}), "node (Rnn): input 0 has shape [5], of rank 1; expected rank 2 to 8");
    EXPECT_EQ(refusal(lstm, {{2, 5, 3}, {3}}),
              "node (Rnn): the sequence length tensor has shape [3]; expected [2] for input 0 [2,5,3]");
    EXPECT_EQ(refusal(lstm, {{2, 5, 3}, {2}, {2, 1, 4}}),
              "node (Rnn): the hidden state has shape [2,1,4]; expected [2,2,4] for input 0 [2,5,3]");
    EXPECT_EQ(refusal(lstm, {{2, 5, 3}, {2}, {2, 2, 4}, {2, 2, 4}, {32, 4}}),
              "node (Rnn): the input weight tensor has shape [32,4] of 128 values; expected 96");
    EXPECT_EQ(refusal(lstm, {{2, 5, 3}, {2}, {2, 2, 4}, {2, 2, 4}, {2, 16, 3}, {2, 16, 4}, {2, 32}, {2, 8}}),
              "node (Rnn): the peephole tensor has shape [2,8] of 16 values; expected 24");
    EXPECT_EQ(refusal(lstm, {{2, 5, 3}, {2}, {2, 2, 4}}, 2),
              "node (Rnn): input 0 is float32 and the hidden state is float16; expected one type (add a cast)");
    EXPECT_EQ(refusal(lstm, {{2, 5, 3}, {2}}, 1), "node (Rnn): the sequence length tensor is float16; expected int32");
}

TEST(Rnn, refusesFieldsThatDoNotFit) {
    Rnn layer = rnn(RnnOperation::Gru, RnnDirection::Forward, 4);
    EXPECT_EQ(refusal(layer, {{2, 5, 3}, {2}, {2, 1, 4}, {2, 1, 4}}),
              "node (Rnn): has a cell state, which only an Lstm has; the operation is Gru");
    EXPECT_EQ(test::errorOf([&] {
                  Graph graph;
                  Tensor* x = graph.addInput("x", DataType::Float32, {2, 5, 3});
                  graph.emit(layer, {x, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, x}, "node");
              }),
              "node (Rnn): has peepholes, which only an Lstm has; the operation is Gru");
    layer.activations.resize(1);
    EXPECT_EQ(refusal(layer, {{2, 5, 3}}), "node (Rnn): has 1 activations; expected 2 for each direction of Gru");
    layer.activations.clear();
    layer.clip = -1;
    EXPECT_EQ(refusal(layer, {{2, 5, 3}}), "node (Rnn): clips at -1; expected 0 or more");
    layer.clip = 0;
    layer.couplesForget = true;
    EXPECT_EQ(refusal(layer, {{2, 5, 3}}),
              "node (Rnn): couples its forget gate, which only an Lstm has; the operation is Gru");
    layer.couplesForget = false;
    layer.skipsInput = true;
    EXPECT_EQ(refusal(layer, {{2, 5, 3}}), "node (Rnn): skips the input matrix, but input 0 "
                                           "[2,5,3] has 3 elements per step; expected 4, the hidden size");
    layer.layers = 0;
    EXPECT_EQ(refusal(layer, {{2, 5, 3}}), "node (Rnn): has 0 layers of hidden size 4; expected 1 to 2147483647");
}

TEST(Rnn, refusesToRunWithoutWeightsOrBeyondTheSteps) {
    Rnn const layer = rnn(RnnOperation::Tanh, RnnDirection::Forward, 4);
    std::vector<Dims> inputs{{2, 5, 3}, {}, {}, {}, {}, {4, 4}};
    EXPECT_EQ(test::errorOf([&] { problemOf(layer, inputs); }), "the input weights have 0 values; expected 12");
    inputs[Rnn::kWeights] = {4, 3};
    RnnProblem const problem = problemOf(layer, inputs);
    int32_t const lengths[]{5, 6};
    EXPECT_EQ(test::errorOf([&] { checkLengths(lengths, problem); }), "sequence 1 has length 6; expected 0 to 5");
}

} // namespace
} // namespace tenon

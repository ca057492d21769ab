// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "base/error.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"

#include <algorithm>
#include <cmath>

namespace tenon::onnx {
namespace {

enum Input { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

RnnDirection directionOf(NodeReader& node) {
    std::string const name = node.string("direction", "forward");
    if (name == "forward") return RnnDirection::Forward;
    if (name == "bidirectional") return RnnDirection::Bidirectional;
    if (name == "reverse") return RnnDirection::Reverse;
    fail(ErrorCode::InvalidModel, "direction is \"", name, "\"; expected forward, reverse or bidirectional");
}

/// Whether a function has parameters, and their defaults: those of the operator of its name.
struct Numbers {
    bool hasAlpha, hasBeta;
    double alpha, beta;
};

Numbers numbersOf(RnnFunction function) {
    switch (function) {
    case RnnFunction::Affine:
    case RnnFunction::ScaledTanh: return {true, true, 1, function == RnnFunction::Affine ? 0.0 : 1.0};
    case RnnFunction::HardSigmoid: return {true, true, 0.2F, 0.5};
    case RnnFunction::LeakyRelu: return {true, false, 0.01F, 0};
    case RnnFunction::ThresholdedRelu:
    case RnnFunction::Elu: return {true, false, 1, 0};
    default: return {false, false, 0, 0};
    }
}

RnnFunction functionOf(std::string const& name) {
    auto const all = names(RnnFunction());
    auto const found = std::ranges::find(all, name);
    if (found == all.end())
        fail(ErrorCode::InvalidModel, "activation \"", name, "\" is not supported; expected one of ",
             joined(all, ", "));
    return static_cast<RnnFunction>(found - all.begin());
}

/// The next value of a list of parameters, which functions take in their order.
double next(std::vector<float> const& from, size_t& at, double otherwise) {
    return at < from.size() ? from[at++] : otherwise;
}

/// Of all directions; empty if they are the layer's default ones.
std::vector<RnnActivation> activationsOf(NodeReader& node, Rnn const& layer) {
    auto const alphas = node.reals("activation_alpha", {});
    auto const betas = node.reals("activation_beta", {});
    if (!node.has("activations")) return {};
    auto const named = node.strings("activations");
    auto const count = static_cast<size_t>(layer.directions() * layer.activationCount());
    if (named.size() < count)
        fail(ErrorCode::InvalidModel, "has ", named.size(), " activations: ", joined(named, ", "), "; expected ", count,
             ", ", layer.activationCount(), " for each direction");
    std::vector<RnnActivation> all;
    bool isUsual = true;
    for (size_t i = 0, alpha = 0, beta = 0; i < count; ++i) { // the default of RNN has two, for any direction
        RnnFunction const function = functionOf(named[i]);
        auto const own = numbersOf(function);
        all.push_back({function, own.hasAlpha ? next(alphas, alpha, own.alpha) : 0,
                       own.hasBeta ? next(betas, beta, own.beta) : 0});
        auto const cell = static_cast<int64_t>(i) / layer.activationCount();
        auto const place = i % static_cast<size_t>(layer.activationCount());
        isUsual = isUsual && function == layer.activationsOf(cell)[place].function;
    }
    return isUsual ? std::vector<RnnActivation>() : all;
}

double clipOf(NodeReader& node) {
    if (!node.has("clip")) return 0;
    float const clip = node.real("clip", 0);
    if (!(clip > 0)) fail(ErrorCode::InvalidModel, "clip is ", double{clip}, "; expected a number above 0");
    return std::isinf(clip) ? 0 : clip;
}

/// X [S,N,E], W [D,G·H,E], R [D,G·H,H], B? [D,2·G·H], lengths? [N], initial states? [D,N,H] → Y [S,D,N,H], states
/// [D,N,H]; with layout 1 X [N,S,E], initial states [N,D,H] → Y [N,S,D,H], states [N,D,H]
std::vector<Tensor*> import(NodeReader& node, Rnn layer) {
    node.ignore({"output_sequence"}); // before opset 7: outputs that are named exist
    layer.activations = activationsOf(node, layer);
    layer.clip = clipOf(node);
    int64_t const layout = node.integer("layout", 0);
    if (layout != 0 && layout != 1) fail(ErrorCode::InvalidModel, "layout is ", layout, "; expected 0 or 1");
    layer.stepsFirst = layout == 0;
    Shape const& recurrent = node.input(kR)->shape;
    if (recurrent.size() != 3)
        fail(ErrorCode::InvalidModel, "input 2 '", node.input(kR)->name, "' has shape ", recurrent,
             "; expected [directions,gates*hidden_size,hidden_size]");
    layer.hiddenSize = node.has("hidden_size") ? node.integer("hidden_size") : recurrent[2].constant();
    auto const optional = [&](int i) { return i < node.inputCount() && node.hasInput(i) ? node.input(i) : nullptr; };
    std::vector<Tensor*> inputs(Rnn::kInputs);
    inputs[Rnn::kX] = node.input(kX);
    inputs[Rnn::kLengths] = optional(kLengths);
    inputs[Rnn::kHidden] = optional(kInitialH);
    inputs[Rnn::kCell] = optional(kInitialC);
    inputs[Rnn::kWeights] = node.input(kW);
    inputs[Rnn::kRecurrent] = node.input(kR);
    inputs[Rnn::kBias] = optional(kB);
    inputs[Rnn::kPeepholes] = optional(kPeepholes);
    Shuffle apart = Shuffle::reshaping({0, 0, layer.directions(), layer.hiddenSize});
    if (layer.stepsFirst) apart.secondTranspose = {0, 2, 1, 3};
    Node* const added = node.addLayer(std::make_unique<Rnn>(std::move(layer)), std::move(inputs));
    std::vector<Tensor*> outputs = added->outputs();
    if (node.hasOutput(0)) outputs[0] = node.add(std::move(apart), {outputs[0]});
    outputs.resize(static_cast<size_t>(node.outputCount()));
    return outputs;
}

std::vector<Tensor*> importLstm(NodeReader& node) {
    Rnn layer;
    layer.operation = RnnOperation::Lstm;
    layer.direction = directionOf(node);
    layer.couplesForget = node.integer("input_forget", 0) != 0;
    return import(node, std::move(layer));
}

std::vector<Tensor*> importGru(NodeReader& node) {
    Rnn layer;
    layer.operation = RnnOperation::Gru;
    layer.direction = directionOf(node);
    layer.resetsAfter = node.integer("linear_before_reset", 0) != 0;
    return import(node, std::move(layer));
}

std::vector<Tensor*> importRnn(NodeReader& node) {
    Rnn layer;
    layer.direction = directionOf(node);
    auto const found = node.strings("activations");
    layer.operation = !found.empty() && found.front() == "Relu" ? RnnOperation::Relu : RnnOperation::Tanh;
    return import(node, std::move(layer));
}

constexpr Importer kAll[]{{"LSTM", importLstm}, {"GRU", importGru}, {"RNN", importRnn}};

} // namespace

ImporterList rnnImporters() { return kAll; }

} // namespace tenon::onnx

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"

#include "base/error.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"

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

/// The attribute's, or for each direction the operator's own.
std::vector<std::string> activationsOf(NodeReader& node, Rnn const& layer, std::vector<std::string> const& usual) {
    if (node.has("activations")) return node.strings("activations");
    std::vector<std::string> all;
    for (int64_t i = 0; i < layer.directions(); ++i) all.insert(all.end(), usual.begin(), usual.end());
    return all;
}

/// An Error where they are not `names` for each direction.
void expectActivations(NodeReader& node, Rnn const& layer, std::vector<std::string> const& names) {
    std::vector<std::string> expected;
    for (int64_t i = 0; i < layer.directions(); ++i) expected.insert(expected.end(), names.begin(), names.end());
    auto found = activationsOf(node, layer, names);
    if (found.size() > expected.size()) found.resize(expected.size()); // the default of RNN has two, for any direction
    if (found != expected)
        fail(ErrorCode::Unsupported, "activations ", joined(found, ", "), " are not supported; expected ",
             joined(expected, ", "));
}

void refuseWhatIsNotThere(NodeReader& node) {
    node.ignore({"activation_alpha", "activation_beta"}); // the activations that are supported have none
    node.ignore({"output_sequence"});                     // before opset 7: what is named is given
    if (node.has("clip")) fail(ErrorCode::Unsupported, "the attribute clip is not supported");
    if (node.integer("input_forget", 0) != 0)
        fail(ErrorCode::Unsupported, "the attribute input_forget is not supported");
}

/// X [S,N,E], W [D,G·H,E], R [D,G·H,H], B? [D,2·G·H], lengths? [N], initial states? [D,N,H] → Y [S,D,N,H], states
/// [D,N,H]; with layout 1 X [N,S,E], initial states [N,D,H] → Y [N,S,D,H], states [N,D,H]
std::vector<Tensor*> import(NodeReader& node, Rnn layer) {
    refuseWhatIsNotThere(node);
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
    expectActivations(node, layer, {"Sigmoid", "Tanh", "Tanh"});
    return import(node, std::move(layer));
}

std::vector<Tensor*> importGru(NodeReader& node) {
    Rnn layer;
    layer.operation = RnnOperation::Gru;
    layer.direction = directionOf(node);
    layer.resetsAfter = node.integer("linear_before_reset", 0) != 0;
    expectActivations(node, layer, {"Sigmoid", "Tanh"});
    return import(node, std::move(layer));
}

std::vector<Tensor*> importRnn(NodeReader& node) {
    Rnn layer;
    layer.direction = directionOf(node);
    auto const found = activationsOf(node, layer, {"Tanh"});
    bool const isRelu = !found.empty() && found.front() == "Relu";
    layer.operation = isRelu ? RnnOperation::Relu : RnnOperation::Tanh;
    expectActivations(node, layer, {isRelu ? "Relu" : "Tanh"});
    return import(node, std::move(layer));
}

constexpr Importer kAll[]{{"LSTM", importLstm}, {"GRU", importGru}, {"RNN", importRnn}};

} // namespace

ImporterList rnnImporters() { return kAll; }

} // namespace tenon::onnx

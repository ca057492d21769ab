// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_model.h"

namespace tenon {
namespace {

using test::OneOp;
using test::spread;

/// X [3,2,4], of hidden size 5
OneOp lstm(std::vector<OneOp::Attribute> attributes, int64_t directions = 1) {
    return {
        .op = "LSTM",
        .opset = 14,
        .attributes = std::move(attributes),
        .inputs = {spread({3, 2, 4}, -1, 1), spread({directions, 20, 4}, -1, 1), spread({directions, 20, 5}, -1, 1)},
        .outputs = 3};
}

std::string const kNode = "node (LSTM, opset 14, node 0): ";

TEST(RnnOnnx, givesTheShapesOfBothLayouts) {
    EXPECT_EQ(lstm({}).shapes(), "[3,1,2,5] [1,2,5] [1,2,5]");
    EXPECT_EQ(lstm({{"direction", "bidirectional"}, {"layout", int64_t{1}}}, 2).shapes(), "[3,2,2,5] [3,2,5] [3,2,5]");
    OneOp open = lstm({{"hidden_size", int64_t{5}}});
    open.symbolic = true;
    EXPECT_EQ(open.shapes(), "[N,1,C,5] [1,C,5] [1,C,5]");
}

TEST(RnnOnnx, refusesWhatItDoesNotCompute) {
    EXPECT_EQ(lstm({{"clip", -1.0F}}).error(), kNode + "clip is -1; expected a number above 0");
    OneOp peepholes = lstm({});
    peepholes.inputs.resize(7);
    peepholes.inputs.push_back(spread({1, 10}, -1, 1));
    EXPECT_EQ(peepholes.error(), kNode + "the peephole tensor has shape [1,10] of 10 values; expected 15");
}

/// The layer that a node becomes, or the error.
std::string imported(std::string const& op, std::vector<std::string> const& activations,
                     std::vector<float> const& alpha = {}, std::vector<float> const& beta = {}, float clip = 0) {
    test::OnnxModel model;
    int const gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    model.input("x", {3, 2, 4});
    model.input("w", {2, gates * 5, 4});
    model.input("r", {2, gates * 5, 5});
    auto& node = model.node(op, {"x", "w", "r"}, {"y"}, "node");
    test::setString(node, "direction", "bidirectional");
    auto& names = test::attribute(node, "activations", proto::AttributeProto::STRINGS);
    for (std::string const& one : activations) names.add_strings(one);
    auto& alphas = test::attribute(node, "activation_alpha", proto::AttributeProto::FLOATS);
    for (float const one : alpha) alphas.add_floats(one);
    auto& betas = test::attribute(node, "activation_beta", proto::AttributeProto::FLOATS);
    for (float const one : beta) betas.add_floats(one);
    if (clip != 0) test::attribute(node, "clip", proto::AttributeProto::FLOAT).set_f(clip);
    model.output("y");
    std::string const bytes = model.bytes();
    Graph graph;
    auto const result = onnx::parse(test::asBytes(bytes), graph);
    if (!result) return result.errors[0].text;
    std::string all;
    auto const& layer = *as<Rnn>(*graph.nodes()[0]->layer);
    for (RnnActivation const& one : layer.activations)
        all += text(tenon::names(one.function)[static_cast<size_t>(one.function)], ' ', one.alpha, ' ', one.beta, ", ");
    return text(all, "clip ", layer.clip);
}

// Each function takes the next values of its parameters, or the defaults of the operator of its name.
TEST(RnnOnnx, givesActivationsTheirNumbersInTheirOrder) {
    std::vector<std::string> const six{"LeakyRelu", "Tanh", "Affine", "HardSigmoid", "Elu", "ThresholdedRelu"};
    EXPECT_EQ(imported("LSTM", six, {0.25F, 2, 0.5F}, {3}),
              "LeakyRelu 0.25 0, Tanh 0 0, Affine 2 3, HardSigmoid 0.5 0.5, Elu 1 0, ThresholdedRelu 1 0, clip 0");
    EXPECT_EQ(imported("RNN", {"Relu", "Softplus"}, {}, {}, 0.5F), "Relu 0 0, Softplus 0 0, clip 0.5");
    EXPECT_EQ(imported("RNN", {"Relu", "Relu"}), "clip 0");
    EXPECT_EQ(imported("GRU", {"Sigmoid", "Tanh", "Sigmoid", "Tanh"}), "clip 0");
}

TEST(RnnOnnx, refusesActivationsThatAreNotThere) {
    EXPECT_EQ(imported("RNN", {"Affine"}), "node (RNN, opset 13, node 0): has 1 activations: Affine; expected 2, 1 for "
                                           "each direction");
    EXPECT_EQ(imported("RNN", {"Affine", "Swish"}),
              "node (RNN, opset 13, node 0): activation \"Swish\" is not supported; expected one of Relu, "
              "Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign, Softplus");
}

TEST(RnnOnnx, refusesAModelThatIsWrong) {
    EXPECT_EQ(lstm({{"direction", "sideways"}}).error(),
              kNode + "direction is \"sideways\"; expected forward, reverse or bidirectional");
    EXPECT_EQ(lstm({{"layout", int64_t{2}}}).error(), kNode + "layout is 2; expected 0 or 1");
    EXPECT_EQ(lstm({{"direction", "bidirectional"}}).error(),
              kNode + "the input weight tensor has shape [1,20,4] of 80 values; expected 160");
    OneOp flat = lstm({});
    flat.inputs[2] = spread({20, 5}, -1, 1);
    EXPECT_EQ(flat.error(),
              kNode + "input 2 'x2' has shape [20,5]; expected [directions,gates*hidden_size,hidden_size]");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/onnx_node.h"

#include "support/api.h"
#include "support/api_plugins.h"

#include <cmath>
#include <numeric>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;

/// The error of addOnnxNode() for a node; the network must be unchanged.
std::string errorOf(INetworkDefinition& network, OnnxOperator const& op, std::vector<ITensor*> const& inputs,
                    OnnxAttributes const& attributes = OnnxAttributes(), int32_t outputs = 1) {
    int32_t const layers = network.getNbLayers();
    try {
        addOnnxNode(network, op, inputs, attributes, outputs);
    } catch (std::runtime_error const& error) {
        EXPECT_EQ(network.getNbLayers(), layers);
        return error.what();
    }
    return "no error";
}

/// One node from x to y, built and run.
Floats run(OnnxOperator const& op, OnnxAttributes const& attributes, std::vector<int64_t> const& extents,
           Floats const& x, size_t yCount) {
    Defining d;
    d.output(addOnnxNode(*d.network, op, {&d.input("x", extents)}, attributes)[0]);
    return Running(*d.build()).run(x, yCount);
}

// x is sampled half a row below each position, so that the result is the mean of two rows, the last one's other half
// being 0 outside; y = bias + weight * mask * that.
TEST(AddOnnxNode, addsAnOperatorForWhichTheNetworkHasNoMethod) {
    Defining d;
    ITensor& x = d.input("x", {1, 1, 3, 3});
    ITensor& weight = d.floats({1, 1, 1, 1}, {6});
    Floats offsets(9, 0.5F);
    offsets.resize(18, 0);
    ITensor& offset = d.floats({1, 2, 3, 3}, offsets);
    ITensor& bias = d.floats({1}, {1});
    ITensor& mask = d.floats({1, 1, 3, 3}, Floats(9, 0.5F));
    auto const y =
        addOnnxNode(*d.network, OnnxOperator("DeformConv").named("deform"), {&x, &weight, &offset, &bias, &mask},
                    OnnxAttributes().integers("strides", {1, 1}).integer("group", 1));
    ASSERT_EQ(y.size(), 1U);
    EXPECT_STREQ(y[0]->getName(), "deform:0");
    EXPECT_EQ(test::extents(y[0]->getDimensions()), (std::vector<int64_t>{1, 1, 3, 3}));
    d.output(y[0]);
    Floats const read{10, 20, 30, 40, 50, 60, 70, 80, 90};
    Floats expected;
    for (size_t i = 0; i < 9; ++i) expected.push_back(1 + 6 * 0.5F * (read[i] + (i < 6 ? read[i + 3] : 0)) / 2);
    EXPECT_EQ(Running(*d.build()).run(read, 9), expected);
}

TEST(AddOnnxNode, showsItsLayersAsThoseOfAParser) {
    Defining d;
    ITensor& x = d.input("x", {2, 3});
    ITensor* const first = addOnnxNode(*d.network, "Relu", {&x})[0];
    ITensor* const second = addOnnxNode(*d.network, "Relu", {first})[0];
    ASSERT_EQ(d.network->getNbLayers(), 2);
    ILayer* const layer = d.network->getLayer(1);
    EXPECT_EQ(layer->getType(), LayerType::kACTIVATION);
    EXPECT_STREQ(d.network->getLayer(0)->getName(), "Relu");
    EXPECT_STREQ(layer->getName(), "Relu_2");
    EXPECT_EQ(layer->getInput(0), first);
    EXPECT_EQ(layer->getOutput(0), second);
    EXPECT_STREQ(second->getName(), "Relu_2:0");
    EXPECT_STREQ(addOnnxNode(*d.network, "Relu", {second})[0]->getName(), "Relu_3:0");
}

TEST(AddOnnxNode, takesNamesThatAreThereAlready) {
    Defining d;
    ITensor& x = d.input("x", {1, 2});
    std::vector<ITensor*> inputs{&x, &x}; // read twice
    for (char const* name : {"n:0", "n:0", ""}) {
        inputs.push_back(d.network->addIdentity(x)->getOutput(0));
        inputs.back()->setName(name);
    }
    ITensor* const sum = addOnnxNode(*d.network, OnnxOperator("Sum").named("n"), inputs)[0];
    EXPECT_STREQ(sum->getName(), "n:0_3");
    d.output(sum);
    EXPECT_EQ(Running(*d.build()).run({1, 2}, 2), (Floats{5, 10}));
}

TEST(AddOnnxNode, readsConstants) {
    Defining d;
    ITensor& x = d.input("x", {2, 3});
    ITensor& axes = d.integers({1}, {1});
    d.output(addOnnxNode(*d.network, "ReduceSum", {&x, &axes}, OnnxAttributes().integer("keepdims", 0))[0]);
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 2), (Floats{6, 15}));
}

TEST(AddOnnxNode, readsInputsAsTheyAreNow) {
    Defining d;
    IShuffleLayer* const shuffle = d.network->addShuffle(d.input("x", {2, 3}));
    shuffle->setReshapeDimensions(test::dims({6}));
    shuffle->setReshapeDimensions(test::dims({3, 2}));
    ITensor* const y = addOnnxNode(*d.network, "ReduceMax", {shuffle->getOutput(0), &d.integers({1}, {0})})[0];
    EXPECT_EQ(test::extents(y->getDimensions()), (std::vector<int64_t>{1, 2}));
}

TEST(AddOnnxNode, takesAttributesOfEachType) {
    auto const celu = [](float x) { return std::fmax(0.F, x) + std::fmin(0.F, 2 * (std::exp(x / 2) - 1)); };
    Floats const y = run("Celu", OnnxAttributes().real("alpha", 2), {2}, {-1, 3}, 2); // FLOAT
    EXPECT_FLOAT_EQ(y[0], celu(-1));
    EXPECT_EQ(y[1], celu(3));
    auto const crd = OnnxAttributes().text("mode", "CRD").integer("blocksize", 2); // STRING, INT
    EXPECT_EQ(run("DepthToSpace", crd, {1, 4, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, 8), (Floats{0, 2, 1, 3, 4, 6, 5, 7}));
    EXPECT_EQ(run("Transpose", OnnxAttributes().integers("perm", {1, 0}), {2, 2}, {1, 2, 3, 4}, 4), // INTS
              (Floats{1, 3, 2, 4}));
    auto const scales = OnnxAttributes().reals("scales", {1, 1, 1, 2}); // FLOATS
    EXPECT_EQ(run(OnnxOperator("Upsample").opset(7), scales, {1, 1, 1, 2}, {1, 2}, 4), (Floats{1, 1, 2, 2}));
}

// h = relu(w·x + r·h), from h = 0
TEST(AddOnnxNode, takesAListOfTextsAndGivesSeveralOutputs) {
    Defining d;
    ITensor& x = d.input("x", {3, 1, 1});
    auto const h = addOnnxNode(*d.network, "RNN", {&x, &d.floats({1, 1, 1}, {2}), &d.floats({1, 1, 1}, {3})},
                               OnnxAttributes().texts("activations", {"Relu"}).integer("hidden_size", 1), 2);
    ASSERT_EQ(h.size(), 2U);
    EXPECT_EQ(test::extents(h[0]->getDimensions()), (std::vector<int64_t>{3, 1, 1, 1}));
    EXPECT_EQ(test::extents(h[1]->getDimensions()), (std::vector<int64_t>{1, 1, 1}));
    d.output(addOnnxNode(*d.network, "Sub", {h[0], h[1]})[0]);
    EXPECT_EQ(Running(*d.build()).run({1, 1, 1}, 3), (Floats{2 - 26, 8 - 26, 0}));
}

TEST(AddOnnxNode, givesATensorOfItsOwnWhereTheOperatorDoesNothing) {
    Defining d;
    ITensor& x = d.input("x", {2});
    ITensor* const y = addOnnxNode(*d.network, "Dropout", {&x})[0];
    ASSERT_NE(y, &x);
    EXPECT_EQ(d.network->getNbLayers(), 1);
    d.output(y);
    EXPECT_STREQ(x.getName(), "x");
    EXPECT_EQ(Running(*d.build()).run({1, 2}, 2), (Floats{1, 2}));
}

TEST(AddOnnxNode, goesByTheRulesOfTheOpsetThatIsAsked) {
    Floats const x{0, 0, std::log(3.F), 0};
    Floats const flat = run(OnnxOperator("Softmax").opset(12), OnnxAttributes().integer("axis", 0), {2, 2}, x, 4);
    EXPECT_FLOAT_EQ(flat[2], 0.5F) << "until opset 12 over all axes from this one on";
    Floats const one = run("Softmax", OnnxAttributes().integer("axis", 0), {2, 2}, x, 4);
    EXPECT_FLOAT_EQ(one[2], 0.75F);
}

TEST(AddOnnxNode, findsAPluginOfThatName) {
    test::Registered<test::TimesV2Creator> creator;
    EXPECT_EQ(run("TimesV2", OnnxAttributes().real("factor", 2.5F), {2}, {1, 2}, 2), (Floats{2.5F, 5}));
}

TEST(AddOnnxNode, saysWhichOperatorThereIsNot) {
    Defining d;
    ITensor& x = d.input("x", {2});
    std::string error = errorOf(*d.network, OnnxOperator("Reluu").named("r"), {&x});
    EXPECT_TRUE(
        error.starts_with("r (Reluu, opset 28): there is no importer, and no plugin \"Reluu\", version 1, namespace "
                          "\"\". Did you mean Relu? "))
        << error;
    error = errorOf(*d.network, OnnxOperator("Relu").domain("com.acme"), {&x});
    EXPECT_TRUE(
        error.starts_with("Relu (Relu, domain com.acme, opset 28): there is no importer, and no plugin \"Relu\", "
                          "version 1, namespace \"\". There is an importer for this op in another domain. "))
        << error;
    EXPECT_EQ(errorOf(*d.network, "", {&x}), "the name of the operator is empty; expected one of ONNX");
    EXPECT_EQ(errorOf(*d.network, OnnxOperator("Relu").opset(1000), {&x}),
              "Relu (Relu, opset 1000): there is no opset 1000 here; expected 1 to 28");
    EXPECT_EQ(errorOf(*d.network, OnnxOperator("Relu").opset(-1), {&x}),
              "Relu (Relu, opset -1): there is no opset -1 here; expected 1 to 28");
}

TEST(AddOnnxNode, saysWhatIsWrongWithInputs) {
    Defining d;
    ITensor& x = d.input("x", {1, 1, 2, 2});
    ITensor& axes = d.input("axes", {1}, DataType::kINT32);
    OnnxOperator const squeeze = OnnxOperator("Squeeze").named("s");
    EXPECT_EQ(errorOf(*d.network, squeeze, {nullptr, &axes}), "s (Squeeze, opset 28): input 0 is missing");
    EXPECT_EQ(errorOf(*d.network, squeeze, {}), "s (Squeeze, opset 28): input 0 is missing");
    EXPECT_EQ(errorOf(*d.network, "Dropout", {&x, nullptr, &axes}),
              "Dropout (Dropout, opset 28): input 2 ('axes') depends on run-time inputs; it must be an "
              "initializer, or computed from constants");
    EXPECT_EQ(errorOf(*d.network, "Dropout", {&x, nullptr, &d.integers({1}, {1})}),
              "Dropout (Dropout, opset 28): training_mode is true and the ratio 0.5, which drops elements at random; "
              "export the model for inference");
    EXPECT_EQ(errorOf(*d.network, "Relu", {&x, &axes}),
              "Relu (Relu, opset 28): input 1 ('axes') is not an input of Relu of opset 28");
    EXPECT_EQ(
        errorOf(*d.network, "MatMul", {&x, &d.floats({3, 1}, {1, 2, 3})}),
        "MatMul (MatMul, opset 28): input 0 [1,1,2,2] has 2 columns and input 1 [3,1] has 3 rows; expected the same "
        "number");
    Defining other;
    EXPECT_EQ(errorOf(*d.network, squeeze, {&x, &other.input("z", {1})}),
              "s (Squeeze): input 1: tensor z belongs to another network");
}

TEST(AddOnnxNode, saysWhatIsWrongWithAttributes) {
    Defining d;
    ITensor& x = d.input("x", {2, 2});
    OnnxOperator const turn = OnnxOperator("Transpose").named("turn");
    EXPECT_EQ(errorOf(*d.network, turn, {&x}, OnnxAttributes().integer("perm", 0)),
              "turn (Transpose, opset 28): attribute 'perm' is of type INT; expected INTS");
    EXPECT_EQ(errorOf(*d.network, turn, {&x}, OnnxAttributes().integers("prem", {1, 0})),
              "turn (Transpose, opset 28): attribute 'prem' = [1, 0] is not an attribute of Transpose of opset 28, so "
              "its effect would be lost; export the model without it, or remove it if it has no effect");
    EXPECT_EQ(errorOf(*d.network, turn, {&x}, OnnxAttributes().integer("perm", 0).real("perm", 0)),
              "turn (Transpose, opset 28): attribute 'perm' is duplicated");
    EXPECT_EQ(errorOf(*d.network, turn, {&x}, OnnxAttributes().text("", "")),
              "turn (Transpose, opset 28): has an attribute without a name");
}

TEST(AddOnnxNode, refusesOperatorsWithGraphsInside) {
    Defining d;
    ITensor& x = d.input("x", {2, 2});
    std::string const rest =
        "' is a graph, which only a node of a model can have; have a parser read the node in a model, "
        "or add equivalent layers";
    EXPECT_EQ(errorOf(*d.network, OnnxOperator("If").named("choice"), {&d.input("c", {}, DataType::kBOOL)}),
              "choice (If, opset 28): attribute 'then_branch" + rest);
    EXPECT_EQ(errorOf(*d.network, "Loop", {&d.integers({}, {3}), nullptr, &x}),
              "Loop (Loop, opset 28): attribute 'body" + rest);
    EXPECT_EQ(errorOf(*d.network, "Scan", {&x}, OnnxAttributes().integer("num_scan_inputs", 1)),
              "Scan (Scan, opset 28): attribute 'body" + rest);
}

TEST(AddOnnxNode, leavesNothingOfANodeThatFailed) {
    Defining d;
    ITensor& x = d.input("x", {1, 1, 3, 3});
    std::vector<ITensor*> const inputs{&x, &d.floats({1, 1, 1, 1}, {6}), &d.floats({1, 2, 3, 3}, Floats(18))};
    OnnxOperator const deform = OnnxOperator("DeformConv").named("deform");
    EXPECT_EQ(
        errorOf(*d.network, deform, inputs, OnnxAttributes().text("mode", "best")),
        "deform (DeformConv, opset 28): attribute 'mode' = \"best\" is not an attribute of DeformConv of opset 28, so "
        "its effect would be lost; export the model without it, or remove it if it has no effect"); // reported after
                                                                                                    // its layers were
                                                                                                    // added
    EXPECT_STREQ(addOnnxNode(*d.network, deform, inputs)[0]->getName(), "deform:0");
}

TEST(AddOnnxNode, saysHowManyOutputsThereAre) {
    Defining d;
    ITensor& x = d.input("x", {2, 2});
    EXPECT_EQ(errorOf(*d.network, "Relu", {&x}, {}, 2), "Relu (Relu, opset 28): output 1 ('Relu:1') is not supported");
    EXPECT_EQ(errorOf(*d.network, "Relu", {&x}, {}, 0), "Relu (Relu): is requested with 0 outputs; expected 1 or more");
    EXPECT_EQ(errorOf(*d.network, "Relu", {&x}, {}, -3),
              "Relu (Relu): is requested with -3 outputs; expected 1 or more");
}

/// The error of the C function for a node.
std::string errorOf(Defining& d, TenonOnnxNode node) {
    ITensor* output = nullptr;
    char const* const error = tenonAddOnnxNode(d.network.get(), &node, &output, 1);
    EXPECT_EQ(output, nullptr);
    return error ? error : "no error";
}

TEST(AddOnnxNode, saysWhatACallInCLacks) {
    Defining d;
    ITensor* const x = &d.input("x", {2, 2});
    float const two = 2;
    char const* const none = nullptr;
    EXPECT_STREQ(tenonAddOnnxNode(nullptr, nullptr, nullptr, 0), "tenonAddOnnxNode: network, node or outputs is null");
    EXPECT_EQ(errorOf(d, {nullptr, nullptr, nullptr, 0, &x, 1, nullptr, 0}), "the name of the operator is null");
    EXPECT_EQ(errorOf(d, {"Relu", nullptr, nullptr, 0, nullptr, 1, nullptr, 0}),
              "Relu (Relu): has 1 inputs at the address null; expected that of the first");
    EXPECT_EQ(errorOf(d, {"Relu", nullptr, nullptr, 0, &x, -1, nullptr, 0}),
              "Relu (Relu): has -1 inputs; expected 0 or more");
    EXPECT_EQ(errorOf(d, {"Relu", nullptr, "r", 0, &x, 1, nullptr, 1}),
              "r (Relu): has 1 attributes at the address null; expected that of the first");
    auto const withAttribute = [&](TenonOnnxAttribute attribute) {
        return errorOf(d, {"Celu", nullptr, nullptr, 0, &x, 1, &attribute, 1});
    };
    EXPECT_EQ(withAttribute({"alpha", 4, 1, &two}),
              "Celu (Celu): attribute 'alpha': is of type 4; expected 1 (FLOAT), 2 (INT), 3 (STRING), 6 (FLOATS), 7 "
              "(INTS) or 8 (STRINGS)");
    EXPECT_EQ(withAttribute({"alpha", 1, 2, &two}),
              "Celu (Celu): attribute 'alpha': has 2 values; expected one, or the type of a list");
    EXPECT_EQ(withAttribute({"alpha", 6, -1, &two}),
              "Celu (Celu): attribute 'alpha': has -1 values; expected 0 or more");
    EXPECT_EQ(withAttribute({"alpha", 1, 1, nullptr}),
              "Celu (Celu): attribute 'alpha': has 1 values at the address null; expected that of the first");
    EXPECT_EQ(withAttribute({"alpha", 3, 1, &none}), "Celu (Celu): attribute 'alpha': a text is null");
    EXPECT_EQ(withAttribute({nullptr, 1, 1, &two}), "Celu (Celu, opset 28): has an attribute without a name");
}

} // namespace
} // namespace tenon

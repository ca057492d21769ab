// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans whose description was edited, with checksums that fit.

#include "plan/file/verify.h"

#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/moe/moe.h"
#include "layers/reduce/reduce.h"
#include "layers/rnn/rnn.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "plan/json/blob_store.h"
#include "runtime/context.h"
#include "support/edit_plan.h"
#include "support/fake_plugin.h"
#include "support/layer_case.h"

#include <cstring>
#include <map>

namespace tenon {
namespace {

using test::editPlan;
using Edit = std::function<void(Json&)>;

std::string errorAfter(Graph const& network, Edit const& edit, Profile const& profile = {}) {
    BuildConfig config;
    config.profiles = {profile};
    auto const file = editPlan(writePlan(build(network, config)), edit);
    return test::errorOf([&] { readPlan(file); });
}

Graph convolutions() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 4, 8, 8});
    Tensor* weights = graph.emit(Constant(test::spread({4, 4, 3, 3}, -1, 1)), {});
    Tensor* y = graph.emit(Softmax{}, {graph.emit(Convolution{}, {x, weights}, "conv")}, "softmax");
    y->name = "y";
    graph.markOutput(y);
    return graph;
}

Json& nodeNamed(Json& json, std::string const& name) {
    Json& graph = json.contains("graph") ? json["graph"] : json; // a plan, or the network that it keeps
    for (Json& node : graph["nodes"]) {
        if (node["name"] == name) return node;
    }
    throw std::runtime_error("no node " + name);
}

Json& stepOf(Json& json, std::string const& name) {
    for (size_t i = 0; i < json["graph"]["nodes"].size(); ++i) {
        if (json["graph"]["nodes"][i]["name"] != name) continue;
        for (Json& step : json["nodes"]) {
            if (step["node"] == i) return step;
        }
    }
    throw std::runtime_error("no step for " + name);
}

TEST(Verify, takesAPlanAsItWasWritten) {
    auto const file = writePlan(build(convolutions(), {}));
    EXPECT_EQ(editPlan(file, [](Json&) {}), file);
    EXPECT_EQ(writePlan(readPlan(file)), file);
}

TEST(Verify, refusesAnotherTypeOrShapeThanTheRulesGive) {
    auto const shaped = [](Json shape) {
        return errorAfter(convolutions(), [&](Json& json) {
            for (Json& tensor : json["graph"]["tensors"]) {
                if (tensor["name"] == "y") tensor["shape"] = shape;
            }
        });
    };
    EXPECT_EQ(shaped({1, 4, 6, 7}),
              "softmax (Softmax): gives y as float32 [1,4,6,6]; the engine file has float32 [1,4,6,7]");
    EXPECT_EQ(shaped({1, 4, 6}),
              "softmax (Softmax): gives y as float32 [1,4,6,6]; the engine file has float32 [1,4,6]");
}

TEST(Verify, refusesFieldsThatTheLayerDoesNotTake) {
    std::string const error =
        errorAfter(convolutions(), [](Json& json) { nodeNamed(json, "conv")["fields"]["groups"] = 0; });
    EXPECT_EQ(error, "conv (Convolution): has 0 groups; expected 1 or more");
}

TEST(Verify, refusesAWayThatTheKernelDoesNotOffer) {
    auto const changed = [](std::string const& key, Json const& value) {
        return errorAfter(convolutions(), [&](Json& json) { stepOf(json, "conv")["variant"][key] = value; });
    };
    for (auto const& [key, value] : std::vector<std::pair<std::string, Json>>{
             {"packed", 0}, {"packed", 7}, {"tactic", 12345}, {"compute", "int8"}, {"view", true}, {"code", true}}) {
        std::string const error = changed(key, value);
        EXPECT_TRUE(error.starts_with("conv (Convolution): kernel ")) << key << ": " << error;
        EXPECT_TRUE(error.find("does not support the labels of the engine file here: ") != std::string::npos) << error;
    }
}

TEST(Verify, refusesLabelsThatAreNotTheTensors) {
    std::string const error = errorAfter(
        convolutions(), [](Json& json) { stepOf(json, "softmax")["variant"]["outputs"][0]["type"] = "float16"; });
    EXPECT_EQ(error, "softmax (Softmax): takes y as float16 linear cpu; the engine file has float32 linear cpu");
    std::string const both = errorAfter(convolutions(), [](Json& json) {
        stepOf(json, "softmax")["variant"]["outputs"][0]["type"] = "int64";
        for (Json& tensor : json["graph"]["tensors"]) {
            if (tensor["name"] == "y") tensor["label"] = {{"type", "int64"}, {"device", "cpu"}};
        }
    });
    EXPECT_TRUE(both.find("does not support the labels of the engine file here: ") != std::string::npos) << both;
}

TEST(Verify, refusesDevicesThatCannotBe) {
    std::string const reason =
        "field device is \"../../evil\"; expected the name of a device: 1 to 15 characters of a-z, "
        "0-9 and _";
    EXPECT_EQ(errorAfter(convolutions(), [](Json& json) { json["device"] = "../../evil"; }), reason);
    EXPECT_EQ(errorAfter(convolutions(),
                         [](Json& json) { stepOf(json, "conv")["variant"]["inputs"][0]["device"] = "../../evil"; }),
              reason);
}

std::string errorWhereItIsPlain(std::string_view tensor) {
    return errorAfter(convolutions(), [&](Json& json) {
        for (Json& one : json["graph"]["tensors"]) {
            if (one["name"] == tensor) one["label"] = {{"type", "float32"}, {"device", "plain"}};
        }
    });
}

/// A plugin whose library is never opened.
TEST(Verify, refusesDevicesThatAreNotTheEngines) {
    EXPECT_EQ(errorWhereItIsPlain("y"), "y is float32 linear plain in an engine for cpu");
    EXPECT_EQ(errorWhereItIsPlain("x"), "x is float32 linear plain in an engine for cpu");
}

TEST(Verify, refusesAKernelThatIsLeftOutOrThereTwice) {
    EXPECT_EQ(errorAfter(convolutions(), [](Json& json) { json["nodes"].erase(json["nodes"].size() - 1); }),
              "softmax (Softmax): has no kernel, or is at the wrong position");
    EXPECT_EQ(errorAfter(convolutions(), [](Json& json) { json["nodes"].push_back(Json(json["nodes"][0])); }),
              "the nodes are in the wrong order");
}

/// In groups of three channels, which no kernel of Tenon supports.
Graph groupsOfThree() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 6, 8, 8});
    Convolution layer;
    layer.groups = 2;
    Tensor* y = graph.emit(layer, {x, graph.emit(Constant(test::spread({6, 3, 3, 3}, -1, 1)), {})}, "conv");
    y->name = "y";
    graph.markOutput(y);
    return graph;
}

/// The error if its weights are other bytes.
std::string errorWithOtherWeights(Graph const& graph) {
    Bytes const file = editPlan(writePlan(build(graph, {})), [](Json& json) {
        ASSERT_NE(stepOf(json, "conv")["packed"]["blob"], json["network"]);
        stepOf(json, "conv")["packed"]["blob"] = json["network"];
    });
    return test::errorOf([&] {
        Engine const engine(readPlan(file));
        Context context(engine, 1);
        context.memoryBytes();
    });
}

TEST(Verify, refusesPackedWeightsThatAreLessThanTheKernelReads) {
    std::string const own = errorWithOtherWeights(convolutions());
    EXPECT_TRUE(own.starts_with("conv (Convolution): packed weights have ")) << own;
    EXPECT_NE(own.find(" bytes; expected "), std::string::npos) << own;
    std::string const library = errorWithOtherWeights(groupsOfThree());
    EXPECT_NE(library.find("packed weights do not match their descriptor, or are truncated"), std::string::npos)
        << library;
}

TEST(Verify, refusesAShapeTensorThatIsNotOnTheHost) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 4});
    Tensor* const half = graph.addInput("half", DataType::Int64, {2});
    Tensor* const wanted = graph.emit(elementwise(PointwiseOp::Sum), {half, half}, "sum");
    graph.markOutput(graph.emit(Shuffle{}, {x, wanted}, "reshape"));
    Profile const profile{{"x", {{1, 4}, {2, 4}, {3, 4}, {}, {}, {}}},
                          {"half", {{2}, {2}, {2}, {1, 1}, {1, 2}, {1, 3}}}};
    std::string const error = errorAfter(
        graph,
        [](Json& json) {
            for (Json& tensor : json["graph"]["tensors"]) {
                if (tensor["name"] == "half") tensor.erase("on_host");
            }
        },
        profile);
    EXPECT_EQ(error, "sum (Elementwise): reads the elements of half for shapes; expected a shape tensor");
}

/// A network whose shape tensor "half" is computed with from "sum" on; `edit` gets the tensors by name.
std::string errorOfShapeTensors(std::function<void(std::map<std::string, Json*>&)> const& edit) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 4});
    Tensor* const half = graph.addInput("half", DataType::Int64, {2});
    Tensor* const wanted = graph.emit(elementwise(PointwiseOp::Sum), {half, half}, "sum");
    wanted->name = "wanted";
    graph.markOutput(graph.emit(Shuffle{}, {x, wanted}, "reshape"));
    Profile const profile{{"x", {{1, 4}, {2, 4}, {3, 4}, {}, {}, {}}},
                          {"half", {{2}, {2}, {2}, {1, 1}, {1, 2}, {1, 3}}}};
    return errorAfter(
        graph,
        [&](Json& json) {
            std::map<std::string, Json*> tensors;
            for (Json& tensor : json["graph"]["tensors"]) tensors[tensor["name"]] = &tensor;
            edit(tensors);
        },
        profile);
}

TEST(Verify, refusesAShapeTensorThatIsNotPlain) {
    EXPECT_EQ(errorOfShapeTensors([](auto& tensors) {
                  EXPECT_TRUE(tensors.at("half")->contains("on_host"));
                  (*tensors.at("half"))["label"] = {{"type", "int32"}, {"device", "cpu"}};
              }),
              "half is int32 linear cpu in an engine for cpu, and is a shape tensor");
}

TEST(Verify, refusesTwoInputsOfOneName) {
    Graph graph;
    Tensor* a = graph.addInput("a", DataType::Float32, {4});
    Tensor* b = graph.addInput("b", DataType::Float32, {4});
    Tensor* y = graph.emit(elementwise(PointwiseOp::Sum), {a, b});
    y->name = "y";
    graph.markOutput(y);
    EXPECT_EQ(errorAfter(graph,
                         [](Json& json) {
                             for (Json& tensor : json["graph"]["tensors"]) {
                                 if (tensor["name"] == "b") tensor["name"] = "a";
                             }
                         }),
              "two inputs of the engine are called a");
}

TEST(Verify, refusesAManifestOfOtherPlugins) {
    EXPECT_EQ(errorAfter(convolutions(),
                         [](Json& json) {
                             json["plugins"] = {{{"node", "yolo"}, {"name", "Yolo"}}};
                         }),
              "the engine was modified: its manifest lists 1 plugins; expected the 0 in the engine");
}

TEST(Verify, refusesALayerWhoseParametersOverflow) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 2, 3});
    Rnn rnn;
    rnn.operation = RnnOperation::Tanh;
    rnn.hiddenSize = 4;
    Tensor* weights = graph.emit(Constant(test::spread({12}, -1, 1)), {});
    Tensor* own = graph.emit(Constant(test::spread({16}, -1, 1)), {});
    Tensor* y = graph.emit(rnn, {x, nullptr, nullptr, nullptr, weights, own}, "rnn");
    y->name = "y";
    graph.markOutput(y);
    auto const sized = [&](int64_t size) {
        return errorAfter(graph, [&](Json& json) { nodeNamed(json, "rnn")["fields"]["hidden_size"] = size; });
    };
    EXPECT_EQ(sized(int64_t{1} << 32), "rnn (Rnn): has 1 layers of hidden size 4294967296; expected 1 to 2147483647");
    EXPECT_EQ(sized(5), "rnn (Rnn): the input weight tensor has shape [12] of 12 values; expected 15");
}

TEST(Verify, buildsAgainWhatKernelsOfThisMachineDoNotOffer) {
    std::vector<std::string> logged;
    ReadOptions options;
    options.log = [&](Severity, std::string const& line) { logged.push_back(line); };
    auto const file = editPlan(writePlan(build(convolutions(), {})), [](Json& json) {
        json["built_on"] = "a processor of the future";
        stepOf(json, "conv")["variant"]["packed"] = 0;
    });
    Plan const plan = readPlan(file, options);
    EXPECT_EQ(plan.builtOn, backendOf(Device::Cpu).describe());
    ASSERT_FALSE(logged.empty());
    EXPECT_TRUE(logged[0].starts_with("the engine was built for cpu (a processor of the future); conv (Convolution): "
                                      "kernel "))
        << logged[0];
    EXPECT_TRUE(logged[0].ends_with(": its network is built again")) << logged[0];
}

TEST(Verify, buildsAgainWhatWasBuiltWithAKernelOfAnotherVersion) {
    std::vector<std::string> logged;
    ReadOptions options;
    options.log = [&](Severity, std::string const& line) { logged.push_back(line); };
    auto const file = editPlan(writePlan(build(convolutions(), {})),
                               [](Json& json) { stepOf(json, "conv")["kernel"] = "kernel_of_the_future"; });
    Plan const plan = readPlan(file, options);
    EXPECT_EQ(plan.nodes.size(), build(convolutions(), {}).nodes.size());
    ASSERT_FALSE(logged.empty());
    EXPECT_TRUE(logged[0].ends_with(
        ", conv (Convolution) with kernel kernel_of_the_future, which does not exist here: its network is built again"))
        << logged[0];
}

TEST(Verify, refusesAHeaderWhoseDescriptionBeginsInsideIt) {
    auto file = writePlan(build(convolutions(), {}));
    file.resize(64);
    auto const put = [&](size_t at, uint64_t value) { std::memcpy(file.data() + at, &value, sizeof value); };
    put(16, 64);
    put(24, 100); // bytes of the description: more than exist, less than 0 - 64
    put(40, 0);
    put(56, checksum(std::span(file).first(56)));
    EXPECT_EQ(test::errorOf([&] { readPlan(file); }), "the engine's header is inconsistent");
}

/// A plan with a plugin of two outputs, the second a size.
Bytes pluginPlan(test::FakeLog& log, Edit const& edit) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {8});
    Node* node = graph.add(std::make_unique<PluginLayer>(std::make_unique<test::FakePlugin>(log)), {x}, "keep");
    node->outputs()[0]->name = "y";
    graph.markOutput(node->outputs()[0]);
    return editPlan(writePlan(build(graph, {})), edit);
}

std::string pluginError(Edit const& edit) {
    test::FakeLog log;
    auto const file = pluginPlan(log, edit);
    ReadOptions options;
    options.source = [&](Node const&, PluginPhase) { return std::make_unique<test::FakePlugin>(log); };
    return test::errorOf([&] { readPlan(file, options); });
}

TEST(Verify, refusesRulesOfPluginsThatNameWhatIsNotThere) {
    auto const fieldsOf = [](Json& json) -> Json& { return nodeNamed(json, "keep")["fields"]; };
    EXPECT_EQ(pluginError([&](Json& json) { fieldsOf(json)["sizes"][0]["output"] = 7; }),
              "keep (Plugin): the output that is a size tensor is 7; expected 0 to 1");
    EXPECT_EQ(pluginError([&](Json& json) { fieldsOf(json)["batch_input"] = 3; }),
              "keep (Plugin): the input with the batch is 3; expected 0 to 0");
    EXPECT_EQ(pluginError([&](Json& json) { fieldsOf(json)["largest"].push_back(8); }), // x [8] and y [size.1]
              "keep (Plugin): the count of its largest extents is 3; expected 2 to 2");
    EXPECT_EQ(pluginError([&](Json& json) {
                  fieldsOf(json)["aliases"] = {0, 0, 0};
              }),
              "keep (Plugin): declares aliases for 3 outputs; it has 2");
    EXPECT_EQ(pluginError([&](Json& json) { fieldsOf(json)["outputs"].erase(1); }),
              "keep (Plugin): has 1 outputs; the engine file has 2");
    EXPECT_TRUE(pluginError([&](Json& json) {
                    fieldsOf(json)["outputs"][0]["shape"] = {"in9.0"};
                }).ends_with(": a shape depends on in9.0, which does not exist"));
}

TEST(Verify, refusesShapeTensorsOfPlugins) {
    for (size_t const count : {size_t{1}, size_t{2}}) { // of the two outputs
        std::string const error = pluginError([&](Json& json) {
            Json const outputs = nodeNamed(json, "keep")["outputs"];
            for (size_t i = 0; i < count; ++i) json["graph"]["tensors"][outputs[i].get<size_t>()]["on_host"] = true;
        });
        EXPECT_EQ(error, "keep (Plugin): cannot compute a shape tensor; the engine file requires it");
    }
}

TEST(Verify, refusesOutputsThatThePluginTellsOtherwise) {
    std::string const error =
        pluginError([](Json& json) { nodeNamed(json, "keep")["fields"]["outputs"][0]["shape"] = {0}; });
    EXPECT_TRUE(error.ends_with(": its outputs or batch differ from the engine's")) << error;
}

TEST(Verify, asksThePluginAgainWhereItsNetworkIsBuiltAgain) {
    test::FakeLog log;
    auto const file = editPlan(
        pluginPlan(log, [](Json&) {}), [](Json& json) { json["device"] = "cuda"; },
        [](Json& network) {
            nodeNamed(network, "keep")["fields"]["outputs"][0]["shape"] = {1, 2, 3};
        });
    ReadOptions options;
    options.source = [&](Node const&, PluginPhase) { return std::make_unique<test::FakePlugin>(log); };
    Plan const plan = readPlan(file, options);
    EXPECT_EQ(plan.graph.outputs()[0]->shape.size(), 1U) << "as the plugin says";
}

TEST(Verify, refusesAPluginInTheNetworkWithoutItsInput) {
    test::FakeLog log;
    auto const file = editPlan(
        pluginPlan(log, [](Json&) {}), [](Json& json) { json["device"] = "cuda"; },
        [](Json& network) { nodeNamed(network, "keep")["inputs"] = {-1}; });
    EXPECT_EQ(test::errorOf([&] { readPlan(file); }),
              "keep (Plugin): its inputs differ from those that the plugin was queried with");
}

TEST(Verify, refusesAConstantWithoutAValue) {
    auto const withoutValues = [](Json& graph) {
        for (Json& node : graph["nodes"]) {
            if (node["kind"] == "Constant") node["fields"].erase("value");
        }
    };
    std::string const here = errorAfter(convolutions(), [&](Json& json) { withoutValues(json["graph"]); });
    EXPECT_TRUE(here.ends_with(": a constant without a value")) << here;
    auto const file = editPlan(
        writePlan(build(convolutions(), {})), [](Json& json) { json["device"] = "cuda"; }, withoutValues);
    std::string const there = test::errorOf([&] { readPlan(file); });
    EXPECT_TRUE(there.ends_with(": a constant without a value")) << there;
}

/// Optional fields: without them a plan that is older than these fields can be read.
TEST(Verify, checksHowProductsOfExpertsAreRounded) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {1, 16});
    Tensor* const chosen = graph.emit(Constant(Literal::of({1, 1}, std::vector<int32_t>{0})), {});
    Tensor* const scores = graph.emit(Constant(test::floats({1, 1}, {1})), {});
    Tensor* const weights = graph.emit(Constant(test::spread({1, 16, 16}, -1, 1)), {});
    Tensor* const scale = graph.emit(Constant(test::floats({}, {1})), {});
    Moe layer;
    layer.quantizeTo = DataType::Float4;
    layer.scaleType = DataType::Float8;
    layer.blocks = {1, 1, 8};
    graph.markOutput(
        graph.emit(layer, {x, chosen, scores, weights, weights, weights, nullptr, nullptr, nullptr, scale}, "moe"));
    auto const error = [&](Edit const& edit) {
        return errorAfter(graph, [&](Json& json) { edit(nodeNamed(json, "moe")["fields"]); });
    };
    EXPECT_NE(error([](Json& fields) { fields["blocks"] = {1, 1, 0}; }).find("blocks of [1,1,0]"), std::string::npos);
    EXPECT_NE(error([](Json& fields) { fields.erase("blocks"); }).find("their blocks are missing"), std::string::npos);
    EXPECT_NE(error([](Json& fields) { fields.erase("quantize_to"); }).find("the type to quantize to is missing"),
              std::string::npos);
    EXPECT_NE(error([](Json& fields) { fields["scale_type"] = "int32"; }).find("scales of type int32"),
              std::string::npos);
}

} // namespace
} // namespace tenon

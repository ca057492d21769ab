// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/custom_nodes.h"

#include "layers/softmax/softmax.h"
#include "onnx/types.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>

namespace tenon::onnx {
namespace {

using test::asBytes;
using test::OnnxModel;
using A = proto::AttributeProto;
using Type = CustomField::Type;

/// Has two inputs and two outputs, as a plugin might.
struct Custom final : LayerOf<Custom> {
    static constexpr std::string_view kKind = "Custom";
    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override {
        return {{in[0].type, in[0].shape}, {DataType::Int32, {1}}};
    }
    void reference(std::span<HostTensor const>, std::span<HostTensor const>) const override {}
};

/// Knows the plugin Yolo, versions 1 and 2, and records its calls.
class Recorder final : public CustomNodes {
public:
    std::vector<CustomNode> made;
    std::vector<CustomNode> revived;
    std::string refusal;
    std::vector<std::string> names{"classes", "sizes", "seed", "score", "anchors", "mode", "names", "t", "body"};

    std::vector<std::string> fieldNames(CustomType const&) const override { return names; }
    std::vector<CustomType> types{{"Yolo", "1", ""}, {"Yolo", "2", ""}};

    std::vector<CustomType> registered(std::string const& name) const override {
        return name == "Yolo" ? types : std::vector<CustomType>();
    }
    std::unique_ptr<Layer> make(CustomNode const& node) override {
        if (!refusal.empty()) fail(ErrorCode::Plugin, refusal);
        made.push_back(node);
        return std::make_unique<Custom>();
    }
    std::unique_ptr<Layer> deserialize(CustomNode const& node) override {
        revived.push_back(node);
        return std::make_unique<Custom>();
    }
    std::string explainMissing(CustomType const& type) const override {
        return text("Registered is Yolo, not ", type.name, '.');
    }
};

std::vector<Tensor*> importSoftmax(NodeReader& node) { return {node.add(Softmax{}, {node.input(0)})}; }
constexpr Importer kImporters[]{{"Softmax", importSoftmax}};
ImporterList const kLists[]{kImporters};

class CustomNodeTest : public testing::Test {
protected:
    CustomNodeTest() {
        model_.input("x", {2, 3});
        model_.floats("w", {2}, {1, 2});
        node_ = &model_.node("Yolo", {"x", "w"}, {"y", "n"}, "yolo");
        model_.output("y");
    }

    ParseResult parse(bool pluginsFirst = false) {
        ParseOptions options;
        options.customNodes = &plugins_;
        options.importers = kLists;
        options.pluginsFirst = pluginsFirst;
        options.log = [this](Severity, std::string const& message) { log_.push_back(message); };
        return onnx::parse(asBytes(model_.bytes()), graph_, options);
    }

    CustomField field() {
        auto const result = parse();
        EXPECT_TRUE(result.errors.empty()) << result.errors[0].text;
        return plugins_.made.at(0).fields.at(0);
    }
    std::string error() {
        auto const result = parse();
        return result.errors.empty() ? "" : result.errors[0].text;
    }

    proto::TensorProto& tensor(ElementType type, std::vector<int64_t> const& dims) {
        auto* proto = test::attribute(*node_, "t", A::TENSOR).mutable_t();
        proto->set_data_type(static_cast<int>(type));
        for (int64_t const extent : dims) proto->add_dims(extent);
        return *proto;
    }

    OnnxModel model_;
    proto::NodeProto* node_;
    Recorder plugins_;
    Graph graph_;
    std::vector<std::string> log_;
};

template <class T> std::vector<T> valuesOf(CustomField const& field) {
    std::vector<T> values(field.bytes.size() / sizeof(T));
    std::memcpy(values.data(), field.bytes.data(), values.size() * sizeof(T));
    return values;
}

TEST_F(CustomNodeTest, isLookedUpByType) {
    EXPECT_EQ(error(), "");
    EXPECT_EQ(plugins_.made.at(0).type, (CustomType{"Yolo", "1", ""}));
    EXPECT_EQ(plugins_.made.at(0).name, "yolo");
    EXPECT_TRUE(plugins_.made.at(0).fields.empty());
    Node const& node = *graph_.tensorNamed("y")->producer();
    EXPECT_EQ(node.name, "yolo");
    EXPECT_EQ(node.output(1)->name, "n");
}

TEST_F(CustomNodeTest, keepsInitializersAsInputs) {
    parse();
    Node const& node = *graph_.tensorNamed("y")->producer();
    ASSERT_EQ(node.inputs().size(), 2U);
    EXPECT_NE(node.input(1)->literal(), nullptr);
}

TEST_F(CustomNodeTest, keepsThePlaceOfInputsThatAreLeftOut) {
    node_->set_input(1, "");
    node_->add_input("w");
    EXPECT_EQ(error(), "");
    Node const& node = *graph_.tensorNamed("y")->producer();
    ASSERT_EQ(node.inputs().size(), 3U);
    EXPECT_EQ(node.input(1), nullptr);
    EXPECT_NE(node.input(2), nullptr);
}

TEST_F(CustomNodeTest, mayAskForAVersion) {
    test::setString(*node_, "plugin_version", "2");
    EXPECT_EQ(error(), "");
    EXPECT_EQ(plugins_.made.at(0).type.version, "2");
    EXPECT_TRUE(plugins_.made.at(0).fields.empty());
}

TEST_F(CustomNodeTest, isNamedWhenItIsMissing) {
    test::setString(*node_, "plugin_version", "3");
    test::setString(*node_, "plugin_namespace", "acme");
    EXPECT_EQ(
        error(),
        "yolo (Yolo, opset 13, node 0): there is no importer, and no plugin \"Yolo\", version 3, namespace "
        "\"acme\". Registered is Yolo, not Yolo. Its attribute 'plugin_version' is \"3\"; set it to \"1\" or \"2\". "
        "Its attribute 'plugin_namespace' is \"acme\"; set it to \"\".");
}

TEST_F(CustomNodeTest, takesTheOnlyTypeOfItsNameWhereItNamesNone) {
    plugins_.types = {{"Yolo", "001", "acme"}};
    EXPECT_EQ(error(), "");
    EXPECT_EQ(plugins_.made.at(0).type, (CustomType{"Yolo", "001", "acme"}));
    EXPECT_EQ(log_, std::vector<std::string>{
                        "yolo (Yolo): has no attribute 'plugin_version' or 'plugin_namespace'; "
                        "plugin Yolo, version 001, namespace \"acme\", the only one registered, is used"});
}

TEST_F(CustomNodeTest, takesTheOnlyVersionInTheNamespaceThatItNames) {
    plugins_.types = {{"Yolo", "4", "acme"}, {"Yolo", "5", ""}};
    test::setString(*node_, "plugin_namespace", "acme");
    EXPECT_EQ(error(), "");
    EXPECT_EQ(plugins_.made.at(0).type, (CustomType{"Yolo", "4", "acme"}));
    EXPECT_EQ(log_, std::vector<std::string>{"yolo (Yolo): has no attribute 'plugin_version'; plugin Yolo, version 4, "
                                             "namespace \"acme\", the only one registered, is used"});
}

TEST_F(CustomNodeTest, isToldWhichAttributeItLacks) {
    plugins_.types = {{"Yolo", "2", ""}, {"Yolo", "3", ""}};
    EXPECT_EQ(error(),
              "yolo (Yolo, opset 13, node 0): there is no importer, and no plugin \"Yolo\", version 1, namespace "
              "\"\". Registered is Yolo, not Yolo. Its attribute 'plugin_version' is missing, which means \"1\"; "
              "set it to \"2\" or \"3\".");
}

TEST_F(CustomNodeTest, isToldToNameOneOfTheTypesWhereEachAttributeFitsAnother) {
    plugins_.types = {{"Yolo", "1", "acme"}, {"Yolo", "2", ""}};
    EXPECT_EQ(error(),
              "yolo (Yolo, opset 13, node 0): there is no importer, and no plugin \"Yolo\", version 1, namespace "
              "\"\". Registered is Yolo, not Yolo. Set its attributes 'plugin_version' and 'plugin_namespace' to "
              "those of one of them.");
}

TEST_F(CustomNodeTest, neverTakesAnotherVersionThanItNames) {
    plugins_.types = {{"Yolo", "2", ""}};
    test::setString(*node_, "plugin_version", "1");
    EXPECT_NE(error().find("Its attribute 'plugin_version' is \"1\"; set it to \"2\"."), std::string::npos);
}

TEST_F(CustomNodeTest, passesOnWhatTheCreatorSays) {
    plugins_.refusal = "createPlugin returned null";
    EXPECT_EQ(error(), "yolo (Yolo, opset 13, node 0): createPlugin returned null");
}

TEST_F(CustomNodeTest, getsTheFieldsThatItNamesInItsOrderAndNoOthers) {
    test::setInt(*node_, "classes", 80);
    test::attribute(*node_, "body", A::GRAPH).mutable_g(); // no field type can hold it
    test::setString(*node_, "exporter", "v2");
    test::attribute(*node_, "score", A::FLOAT).set_f(0.25F);
    plugins_.names = {"score", "iou", "classes"};
    EXPECT_EQ(error(), "");
    ASSERT_EQ(plugins_.made.at(0).fields.size(), 2U);
    EXPECT_EQ(plugins_.made[0].fields[0].name, "score");
    EXPECT_EQ(plugins_.made[0].fields[1].name, "classes");
    std::string const others = ", which is not one of the fields that its creator names: score, iou, classes";
    EXPECT_EQ(log_, (std::vector<std::string>{
                        "yolo (Yolo): the plugin is not given the attribute 'body' = of type GRAPH" + others,
                        "yolo (Yolo): the plugin is not given the attribute 'exporter' = \"v2\"" + others}));
}

TEST_F(CustomNodeTest, getsWhatItIsLookedUpByWhereItNamesIt) {
    test::setString(*node_, "plugin_version", "2");
    plugins_.names = {"plugin_version"};
    EXPECT_EQ(field().name, "plugin_version");
}

TEST_F(CustomNodeTest, getsIntegersAsInt32) {
    test::setInt(*node_, "classes", -80);
    auto const one = field();
    EXPECT_EQ(one.name, "classes");
    EXPECT_EQ(one.type, Type::Int32);
    EXPECT_EQ(one.length, 1);
    EXPECT_EQ(valuesOf<int32_t>(one), std::vector<int32_t>{-80});
}

TEST_F(CustomNodeTest, getsListsOfIntegersAsInt32) {
    auto& attribute = test::attribute(*node_, "sizes", A::INTS);
    attribute.add_ints(3);
    attribute.add_ints(INT32_MAX);
    auto const list = field();
    EXPECT_EQ(list.type, Type::Int32);
    EXPECT_EQ(list.length, 2);
    EXPECT_EQ(valuesOf<int32_t>(list), (std::vector<int32_t>{3, INT32_MAX}));
}

TEST_F(CustomNodeTest, getsIntegersThatNeed64BitsAsInt64) {
    test::setInt(*node_, "seed", 1LL << 40);
    auto const big = field();
    EXPECT_EQ(big.type, Type::Int64);
    EXPECT_EQ(big.length, 1);
    EXPECT_EQ(valuesOf<int64_t>(big), std::vector<int64_t>{1LL << 40});
    EXPECT_EQ(log_,
              std::vector<std::string>{"attribute 'seed' does not fit in int32; it is passed to the plugin as int64"});
}

TEST_F(CustomNodeTest, getsFloats) {
    test::attribute(*node_, "score", A::FLOAT).set_f(0.25F);
    auto& list = test::attribute(*node_, "anchors", A::FLOATS);
    list.add_floats(1);
    list.add_floats(2.5F);
    EXPECT_EQ(valuesOf<float>(field()), std::vector<float>{0.25F});
    CustomField const& anchors = plugins_.made[0].fields[1];
    EXPECT_EQ(anchors.type, Type::Float32);
    EXPECT_EQ(anchors.length, 2);
    EXPECT_EQ(valuesOf<float>(anchors), (std::vector<float>{1, 2.5F}));
}

TEST_F(CustomNodeTest, getsStringsClosedByZeros) {
    test::setString(*node_, "mode", "fast");
    auto& list = test::attribute(*node_, "names", A::STRINGS);
    list.add_strings("a");
    list.add_strings("bc");
    auto const one = field();
    EXPECT_EQ(one.type, Type::Char);
    EXPECT_EQ(one.length, 5);
    EXPECT_STREQ(reinterpret_cast<char const*>(one.bytes.data()), "fast");
    CustomField const& names = plugins_.made[0].fields[1];
    EXPECT_EQ(names.length, 5);
    EXPECT_EQ(std::memcmp(names.bytes.data(), "a\0bc\0", 5), 0);
}

TEST_F(CustomNodeTest, getsTensorsInTheirType) {
    auto& doubles = tensor(ElementType::Float64, {1, 2});
    doubles.add_double_data(0.1);
    doubles.add_double_data(-2);
    auto const values = field();
    EXPECT_EQ(values.type, Type::Float64);
    EXPECT_EQ(values.length, 2);
    EXPECT_EQ(valuesOf<double>(values), (std::vector<double>{0.1, -2}));
}

struct TensorCase {
    ElementType from;
    Type to;
    size_t bytes; // of three elements
};

TEST_F(CustomNodeTest, getsTensorsOfAllTypesThatFieldsHave) {
    constexpr TensorCase kCases[]{
        {ElementType::Float32, Type::Float32, 12},  {ElementType::Float16, Type::Float16, 6},
        {ElementType::BFloat16, Type::BFloat16, 6}, {ElementType::Int8, Type::Int8, 3},
        {ElementType::Int16, Type::Int16, 6},       {ElementType::Int32, Type::Int32, 12},
        {ElementType::Int64, Type::Int64, 24},      {ElementType::Float8E4M3FN, Type::Float8, 3},
        {ElementType::Int4, Type::Int4, 2},         {ElementType::UInt8, Type::Int32, 12},
        {ElementType::Bool, Type::Int32, 12}};
    for (TensorCase const& one : kCases) {
        node_->clear_attribute();
        size_t const bytes = static_cast<size_t>(3 * bitsOf(one.from) + 7) / 8;
        tensor(one.from, {3}).set_raw_data(std::string(bytes, '\1'));
        plugins_.made.clear();
        graph_ = Graph();
        auto const values = field();
        EXPECT_EQ(values.type, one.to) << nameOf(one.from);
        EXPECT_EQ(values.length, 3) << nameOf(one.from);
        EXPECT_EQ(values.bytes.size(), one.bytes) << nameOf(one.from);
    }
}

TEST_F(CustomNodeTest, getsNoTensorsOfOtherTypes) {
    tensor(ElementType::UInt32, {1}).set_raw_data("1234");
    EXPECT_EQ(error(),
              "yolo (Yolo, opset 13, node 0): attribute 't': is a tensor of uint32; plugin fields have no such "
              "type");
}

TEST_F(CustomNodeTest, getsNoGraphs) {
    test::attribute(*node_, "body", A::GRAPH).mutable_g();
    EXPECT_EQ(error(), "yolo (Yolo, opset 13, node 0): attribute 'body': is of type GRAPH; plugin fields hold numbers, "
                       "strings or one tensor");
}

TEST_F(CustomNodeTest, hasTheInputsThatAreReadOnTheHostLast) {
    auto& attribute = test::attribute(*node_, "tensorrt_plugin_shape_input_indices", A::INTS);
    attribute.add_ints(-2);
    attribute.add_ints(0); // the same one
    EXPECT_EQ(error(), "");
    EXPECT_EQ(plugins_.made.at(0).shapeInputs, std::vector<int64_t>{1});
    EXPECT_TRUE(plugins_.made.at(0).fields.empty());
    Node const& node = *graph_.tensorNamed("y")->producer();
    EXPECT_EQ(node.input(0)->name, "w");
    EXPECT_EQ(node.input(1)->name, "x");
}

TEST_F(CustomNodeTest, mustHaveTheInputsThatAreReadOnTheHost) {
    test::attribute(*node_, "tensorrt_plugin_shape_input_indices", A::INTS).add_ints(2);
    EXPECT_EQ(error(),
              "yolo (Yolo, opset 13, node 0): attribute 'tensorrt_plugin_shape_input_indices' names input 2; the "
              "node has 2");
}

TEST_F(CustomNodeTest, mayBeASerializedPlugin) {
    node_->set_op_type("TRT_PluginV2");
    test::setString(*node_, "name", "Yolo");
    test::setString(*node_, "version", "2");
    test::setString(*node_, "namespace", "");
    test::setString(*node_, "data", std::string("\x01\0\x02", 3));
    EXPECT_EQ(error(), "");
    EXPECT_TRUE(plugins_.made.empty());
    EXPECT_EQ(plugins_.revived.at(0).type, (CustomType{"Yolo", "2", ""}));
    ASSERT_EQ(plugins_.revived[0].state.size(), 3U);
    EXPECT_EQ(plugins_.revived[0].state[2], std::byte{2});
}

TEST_F(CustomNodeTest, namesAMissingSerializedPlugin) {
    node_->set_op_type("TRT_PluginV2");
    EXPECT_EQ(error(), "yolo (TRT_PluginV2, opset 13, node 0): its attribute 'name', the plugin's, is missing");
    test::setString(*node_, "name", "Solo");
    EXPECT_EQ(error(),
              "yolo (TRT_PluginV2, opset 13, node 0): there is no importer, and no plugin \"Solo\", version 1, "
              "namespace \"\". Registered is Yolo, not Solo.");
}

TEST_F(CustomNodeTest, goesBeforeAnImporterOnlyWhenAsked) {
    class All final : public CustomNodes {
    public:
        std::vector<CustomType> registered(std::string const& name) const override { return {{name, "1", ""}}; }
        std::vector<std::string> fieldNames(CustomType const&) const override { return {}; }
        std::unique_ptr<Layer> make(CustomNode const&) override { return std::make_unique<Custom>(); }
        std::unique_ptr<Layer> deserialize(CustomNode const&) override { return std::make_unique<Custom>(); }
        std::string explainMissing(CustomType const&) const override { return {}; }
    } all;
    for (bool const pluginsFirst : {false, true}) {
        OnnxModel model;
        model.input("x", {2});
        model.node("Softmax", {"x"}, {"y"});
        model.output("y");
        Graph graph;
        ParseOptions options;
        options.customNodes = &all;
        options.importers = kLists;
        options.pluginsFirst = pluginsFirst;
        ASSERT_TRUE(onnx::parse(asBytes(model.bytes()), graph, options));
        EXPECT_EQ(graph.nodes()[0]->kind(), pluginsFirst ? "Custom" : "Softmax");
    }
}

} // namespace
} // namespace tenon::onnx

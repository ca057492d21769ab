// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights inside of a model's local functions.

#include "NvOnnxParser.h"
#include "support/api.h"
#include "support/onnx_model.h"

#include <filesystem>
#include <fstream>
#include <numeric>

namespace tenon {
namespace {

using test::Defining;
using test::OnnxModel;
using test::Running;

using Floats = std::vector<float>;

constexpr int kCount = 100'000; // so many that unused memory is returned to the system

Floats countedFrom(float first) {
    Floats values(kCount);
    std::iota(values.begin(), values.end(), first);
    return values;
}

void fill(proto::TensorProto& tensor) {
    Floats const values = countedFrom(1);
    tensor.set_data_type(proto::TensorProto::FLOAT);
    tensor.add_dims(kCount);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
}

proto::NodeProto& inside(proto::FunctionProto& function, std::string const& op, std::vector<std::string> const& inputs,
                         std::string const& output) {
    auto& node = *function.add_node();
    node.set_op_type(op);
    for (auto const& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
}

/// Puts the weights into the function, or into its call, as "w".
using PutWeights = void (*)(proto::FunctionProto& function, proto::NodeProto& call);

void asConstant(proto::FunctionProto& function, proto::NodeProto&) {
    fill(*test::attribute(inside(function, "Constant", {}, "w"), "value", proto::AttributeProto::TENSOR).mutable_t());
}

void asAttributeOfTheCall(proto::FunctionProto& function, proto::NodeProto& call) {
    fill(*test::attribute(call, "weights", proto::AttributeProto::TENSOR).mutable_t());
    function.add_attribute("weights");
    test::attribute(inside(function, "Constant", {}, "w"), "value", proto::AttributeProto::TENSOR)
        .set_ref_attr_name("weights");
}

void asInitializersOfBranches(proto::FunctionProto& function, proto::NodeProto&) {
    auto& branching = inside(function, "If", {"c"}, "w");
    for (char const* const name : {"then_branch", "else_branch"}) {
        auto& body = *test::attribute(branching, name, proto::AttributeProto::GRAPH).mutable_g();
        body.set_name(name);
        auto& weights = *body.add_initializer();
        weights.set_name("own");
        fill(weights);
        auto& node = *body.add_node();
        node.set_op_type("Identity");
        node.add_input("own");
        node.add_output("chosen");
        body.add_output()->set_name("chosen");
    }
}

/// y = x + w, in a function that another one calls.
OnnxModel model(PutWeights put) {
    OnnxModel model;
    model.import("mine", 1);
    model.input("x", {kCount});
    model.input("c", {}, proto::TensorProto::BOOL);
    model.node("Outer", {"x", "c"}, {"y"}, "outer").set_domain("mine");
    model.output("y");
    auto const function = [&](std::string const& name) -> proto::FunctionProto& {
        auto& made = *model.proto.add_functions();
        made.set_domain("mine");
        made.set_name(name);
        for (char const* const input : {"x", "c"}) made.add_input(input);
        made.add_output("y");
        made.add_opset_import()->set_version(13);
        auto& mine = *made.add_opset_import();
        mine.set_domain("mine");
        mine.set_version(1);
        return made;
    };
    auto& call = inside(function("Outer"), "Inner", {"x", "c"}, "y");
    call.set_domain("mine");
    auto& inner = function("Inner");
    put(inner, *model.proto.mutable_functions(0)->mutable_node(0));
    inside(inner, "Add", {"x", "w"}, "y");
    return model;
}

using Read = bool (*)(nvonnxparser::IParser& parser, std::string const& bytes);

bool fromMemory(nvonnxparser::IParser& parser, std::string const& bytes) {
    return parser.parse(bytes.data(), bytes.size());
}

bool fromFile(nvonnxparser::IParser& parser, std::string const& bytes) {
    auto const path = std::filesystem::path(testing::TempDir()) / "local_functions_test.onnx";
    std::ofstream(path, std::ios::binary) << bytes;
    bool const isRead = parser.parseFromFile(path.c_str(), 0);
    std::filesystem::remove(path);
    return isRead;
}

bool inParts(nvonnxparser::IParser& parser, std::string const& bytes) {
    return parser.loadModelProto(bytes.data(), bytes.size()) && parser.parseModelProto();
}

void expectKept(PutWeights put, Read read) {
    Defining d;
    {
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
        ASSERT_TRUE(read(*parser, model(put).bytes())) << d.messages.lastError();
    }
    Running r(*d.build());
    bool c = true;
    r.context->setTensorAddress("c", &c);
    EXPECT_EQ(r.run(countedFrom(0), kCount), [] {
        Floats sums = countedFrom(0);
        for (float& sum : sums) sum += sum + 1;
        return sums;
    }());
}

TEST(LocalFunctions, keepWeightsOfConstants) {
    for (Read const read : {fromMemory, fromFile, inParts}) expectKept(asConstant, read);
}

TEST(LocalFunctions, keepWeightsThatTheirCallsGive) {
    for (Read const read : {fromMemory, fromFile, inParts}) expectKept(asAttributeOfTheCall, read);
}

TEST(LocalFunctions, keepInitializersOfTheirBranches) {
    for (Read const read : {fromMemory, fromFile, inParts}) expectKept(asInitializersOfBranches, read);
}

} // namespace
} // namespace tenon

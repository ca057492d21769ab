// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include "support/run_graph.h"

#include <gtest/gtest.h>

namespace tenon::test {
namespace {

int onnxType(DataType type) {
    switch (type) {
    case DataType::Float32: return 1;
    case DataType::UInt8: return 2;
    case DataType::Int8: return 3;
    case DataType::Int32: return 6;
    case DataType::Int64: return 7;
    case DataType::Bool: return 9;
    case DataType::Float16: return 10;
    case DataType::BFloat16: return 16;
    case DataType::Float8: return 17;
    case DataType::Int4: return 22;
    case DataType::Float4: return 23;
    case DataType::E8M0: return 24;
    }
    failOnType(type);
}

} // namespace

OnnxNodeCase::OnnxNodeCase(std::string const& op, int opset, int outputs) : model_(opset) {
    std::vector<std::string> names;
    for (int i = 0; i < outputs; ++i) {
        names.push_back(text('y', i));
        model_.output(names.back());
    }
    model_.node(op, {}, names, "node");
}

std::string OnnxNodeCase::nextInput() {
    auto& node = *model_.proto.mutable_graph()->mutable_node(0);
    node.add_input(text('x', node.input_size()));
    return node.input(node.input_size() - 1);
}

OnnxNodeCase& OnnxNodeCase::input(Literal const& value) { return input(value, onnxType(value.type())); }

OnnxNodeCase& OnnxNodeCase::input(Literal const& value, int onnxType) {
    std::vector<OnnxModel::Dim> dims;
    for (int64_t extent : value.dims()) dims.emplace_back(static_cast<int>(extent));
    model_.input(nextInput(), dims, onnxType);
    fed_.push_back(value);
    return *this;
}

OnnxNodeCase& OnnxNodeCase::constant(Literal const& value) {
    std::vector<int64_t> const dims(value.dims().begin(), value.dims().end());
    auto& tensor = model_.initializer(nextInput(), dims, onnxType(value.type()));
    tensor.set_raw_data(value.data(), value.bytes());
    return *this;
}

OnnxNodeCase& OnnxNodeCase::absent() {
    model_.proto.mutable_graph()->mutable_node(0)->add_input("");
    return *this;
}

OnnxNodeCase& OnnxNodeCase::integer(std::string const& name, int64_t value) {
    setInt(*model_.proto.mutable_graph()->mutable_node(0), name, value);
    return *this;
}

OnnxNodeCase& OnnxNodeCase::integers(std::string const& name, std::vector<int64_t> const& values) {
    auto& node = *model_.proto.mutable_graph()->mutable_node(0);
    auto& list = attribute(node, name, proto::AttributeProto::INTS);
    for (int64_t const value : values) list.add_ints(value);
    return *this;
}

OnnxNodeCase& OnnxNodeCase::real(std::string const& name, float value) {
    auto& node = *model_.proto.mutable_graph()->mutable_node(0);
    attribute(node, name, proto::AttributeProto::FLOAT).set_f(value);
    return *this;
}

OnnxNodeCase& OnnxNodeCase::string(std::string const& name, std::string const& value) {
    setString(*model_.proto.mutable_graph()->mutable_node(0), name, value);
    return *this;
}

std::vector<Literal> OnnxNodeCase::run() const {
    Graph graph;
    std::string const bytes = model_.bytes();
    auto const result = onnx::parse(asBytes(bytes), graph);
    EXPECT_TRUE(result) << (result ? "" : result.errors[0].text);
    return result ? runGraph(graph, fed_) : std::vector<Literal>(model_.proto.graph().output_size());
}

std::string OnnxNodeCase::error() const {
    Graph graph;
    std::string const bytes = model_.bytes();
    auto const result = onnx::parse(asBytes(bytes), graph);
    if (result) return "no error";
    std::string const& all = result.errors[0].text;
    return all.substr(std::min(all.find("node ("), all.size()));
}

std::vector<float> numbersOf(Literal const& literal) {
    return literal.data() ? literal.toFloat() : std::vector<float>();
}

} // namespace tenon::test

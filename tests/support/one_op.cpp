// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/one_op.h"

#include "base/error.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"
#include "support/run_graph.h"

#include <gtest/gtest.h>

namespace tenon::test {
namespace {

using Proto = proto::AttributeProto;

void set(proto::NodeProto& node, OneOp::Attribute const& one) {
    auto const& [name, value] = one;
    if (auto const* integer = std::get_if<int64_t>(&value)) setInt(node, name, *integer);
    if (auto const* real = std::get_if<float>(&value)) attribute(node, name, Proto::FLOAT).set_f(*real);
    if (auto const* string = std::get_if<std::string>(&value)) setString(node, name, *string);
    if (auto const* integers = std::get_if<std::vector<int64_t>>(&value)) {
        auto& list = attribute(node, name, Proto::INTS);
        for (int64_t const element : *integers) list.add_ints(element);
    }
    if (auto const* reals = std::get_if<std::vector<float>>(&value)) {
        auto& list = attribute(node, name, Proto::FLOATS);
        for (float const element : *reals) list.add_floats(element);
    }
}

int typeOf(DataType type) {
    switch (type) {
    case DataType::Float32: return proto::TensorProto::FLOAT;
    case DataType::Int32: return proto::TensorProto::INT32;
    case DataType::Int64: return proto::TensorProto::INT64;
    case DataType::Int8: return proto::TensorProto::INT8;
    case DataType::UInt8: return proto::TensorProto::UINT8;
    case DataType::Bool: return proto::TensorProto::BOOL;
    default: fail(ErrorCode::Unsupported, "no test has inputs of ", type);
    }
}

std::vector<OnnxModel::Dim> dimsOf(Dims const& dims, bool symbolic, bool isOpen) {
    if (isOpen) return std::vector<OnnxModel::Dim>(static_cast<size_t>(dims.rank()), std::string());
    constexpr char const* kNames[]{"N", "C", "H", "W", "A", "B", "D", "E"};
    std::vector<OnnxModel::Dim> all;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (symbolic) {
            all.emplace_back(std::string(kNames[axis]));
        } else {
            all.emplace_back(static_cast<int>(dims[axis]));
        }
    }
    return all;
}

OnnxModel modelOf(OneOp const& one) {
    OnnxModel model(one.opset);
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (size_t i = 0; i < one.inputs.size(); ++i) {
        Literal const& literal = one.inputs[i];
        inputs.push_back(literal.data() ? text('x', i) : "");
        if (literal.data() == nullptr) continue;
        if (!one.isConstant(i)) {
            model.input(inputs.back(), dimsOf(literal.dims(), one.symbolic && i == 0, one.isOpen),
                        typeOf(literal.type()));
        } else {
            model.initializer(inputs.back(), {literal.dims().begin(), literal.dims().end()}, typeOf(literal.type()))
                .set_raw_data(literal.data(), literal.bytes());
        }
    }
    for (int i = 0; i < one.outputs; ++i) outputs.push_back(text('y', i));
    auto& node = model.node(one.op, inputs, outputs, "node");
    for (auto const& attribute : one.attributes) set(node, attribute);
    for (auto const& output : outputs) {
        model.output(one.gives ? output : output + " shape");
        if (!one.gives) model.node("Shape", {output}, {output + " shape"}, output + " shape");
    }
    return model;
}

struct Parsed {
    Graph graph;
    std::string error;

    explicit Parsed(OneOp const& one) {
        std::string const bytes = modelOf(one).bytes();
        auto const result = onnx::parse(asBytes(bytes), graph);
        if (!result.errors.empty()) error = result.errors.front().text;
    }
};

} // namespace

std::vector<Literal> OneOp::fed() const {
    std::vector<Literal> all;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].data() && !isConstant(i)) all.push_back(inputs[i]);
    }
    return all;
}

std::vector<Literal> OneOp::run() const {
    Parsed const parsed(*this);
    EXPECT_EQ(parsed.error, "");
    return parsed.error.empty() ? runGraph(parsed.graph, fed()) : std::vector<Literal>{};
}

std::vector<Literal> OneOp::runInEngine() const {
    Parsed const parsed(*this);
    EXPECT_EQ(parsed.error, "");
    return parsed.error.empty() ? runEngine(parsed.graph, fed()) : std::vector<Literal>{};
}

Graph OneOp::graph() const {
    Parsed parsed(*this);
    EXPECT_EQ(parsed.error, "");
    return std::move(parsed.graph);
}

std::string OneOp::shapes() const {
    Parsed const parsed(*this);
    EXPECT_EQ(parsed.error, "");
    std::string all;
    for (Tensor const* output : parsed.graph.outputs()) all += text(all.empty() ? "" : " ", output->shape);
    return all;
}

std::string OneOp::error() const { return Parsed(*this).error; }

} // namespace tenon::test

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_model.h"

namespace tenon::test {

void OnnxModel::import(std::string const& domain, int version) {
    auto* opset = proto.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
}

proto::ValueInfoProto& OnnxModel::input(std::string const& name, std::vector<Dim> const& dims, int type) {
    auto* input = proto.mutable_graph()->add_input();
    input->set_name(name);
    auto* tensor = input->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (Dim const& dim : dims) {
        auto* added = tensor->mutable_shape()->add_dim();
        if (auto const* extent = std::get_if<int>(&dim)) added->set_dim_value(*extent);
        if (auto const* symbol = std::get_if<std::string>(&dim); symbol && !symbol->empty())
            added->set_dim_param(*symbol);
    }
    return *input;
}

proto::TensorProto& OnnxModel::initializer(std::string const& name, std::vector<int64_t> const& dims, int type) {
    auto* tensor = proto.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (int64_t const extent : dims) tensor->add_dims(extent);
    return *tensor;
}

void OnnxModel::floats(std::string const& name, std::vector<int64_t> const& dims, std::vector<float> const& values) {
    auto& tensor = initializer(name, dims);
    for (float const value : values) tensor.add_float_data(value);
}

proto::NodeProto& OnnxModel::node(std::string const& op, std::vector<std::string> const& inputs,
                                  std::vector<std::string> const& outputs, std::string const& name) {
    auto* node = proto.mutable_graph()->add_node();
    node->set_op_type(op);
    if (!name.empty()) node->set_name(name);
    for (auto const& input : inputs) node->add_input(input);
    for (auto const& output : outputs) node->add_output(output);
    return *node;
}

proto::AttributeProto& attribute(proto::NodeProto& node, std::string const& name,
                                 proto::AttributeProto::AttributeType type) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(type);
    return *attribute;
}

void setInt(proto::NodeProto& node, std::string const& name, int64_t value) {
    attribute(node, name, proto::AttributeProto::INT).set_i(value);
}

void setString(proto::NodeProto& node, std::string const& name, std::string const& value) {
    attribute(node, name, proto::AttributeProto::STRING).set_s(value);
}

std::span<std::byte const> asBytes(std::string const& bytes) { return std::as_bytes(std::span(bytes)); }

} // namespace tenon::test

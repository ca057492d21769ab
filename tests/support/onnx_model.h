// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"
#include "onnx/parse.h"

#include <onnx/onnx_pb.h>
#include <string>
#include <variant>
#include <vector>

namespace tenon {

/// The classes of ONNX itself, which write the models for the library to read.
namespace proto = ::onnx;

namespace test {

/// Builds a model for a test of the parser.
class OnnxModel {
public:
    using Proto = proto::ModelProto;
    using Dim = std::variant<int, std::string>; // an extent, or its name ("" for one without)

    explicit OnnxModel(int opset = 13) {
        proto.set_ir_version(8);
        proto.mutable_graph()->set_name("g");
        import("", opset);
    }

    Proto proto;

    void import(std::string const& domain, int version);
    proto::ValueInfoProto& input(std::string const& name, std::vector<Dim> const& dims, int type = 1);
    void output(std::string const& name) { proto.mutable_graph()->add_output()->set_name(name); }
    /// Without data: the caller fills one of the fields.
    proto::TensorProto& initializer(std::string const& name, std::vector<int64_t> const& dims, int type = 1);
    void floats(std::string const& name, std::vector<int64_t> const& dims, std::vector<float> const& values);
    proto::NodeProto& node(std::string const& op, std::vector<std::string> const& inputs,
                           std::vector<std::string> const& outputs, std::string const& name = {});

    std::string bytes() const { return proto.SerializeAsString(); }
};

proto::AttributeProto& attribute(proto::NodeProto& node, std::string const& name,
                                 proto::AttributeProto::AttributeType type);
void setInt(proto::NodeProto& node, std::string const& name, int64_t value);
void setString(proto::NodeProto& node, std::string const& name, std::string const& value);

std::span<std::byte const> asBytes(std::string const& bytes);

/// The library's parse of a message.
template <class Message> std::shared_ptr<Message const> asRead(google::protobuf::MessageLite const& written) {
    struct Kept {
        std::string bytes;
        Message message;
    };
    auto const kept = std::make_shared<Kept>();
    kept->bytes = written.SerializeAsString();
    onnx::pb::readBinary(asBytes(kept->bytes), onnx::pb::target(kept->message), {});
    return {kept, &kept->message};
}

} // namespace test
} // namespace tenon

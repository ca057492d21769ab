// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/unknown_fields.h"

#include "base/error.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <array>

namespace tenon::onnx {
namespace {

using google::protobuf::Message;
using google::protobuf::UnknownField;

struct NewerField {
    std::string_view message;
    int number;
};

// of ONNX 1.13 to 1.19 (IR version 9 to 12): read by newerField(), or without effect on what is computed
constexpr std::array<NewerField, 11> kKnown{{{"onnx.NodeProto", kNodeOverload},
                                             {"onnx.NodeProto", 9},      // metadata_props
                                             {"onnx.NodeProto", 10},     // device_configurations
                                             {"onnx.ModelProto", 26},    // configuration
                                             {"onnx.GraphProto", 16},    // metadata_props
                                             {"onnx.TensorProto", 16},   // metadata_props
                                             {"onnx.ValueInfoProto", 4}, // metadata_props
                                             {"onnx.FunctionProto", kFunctionOverload},
                                             {"onnx.FunctionProto", kFunctionAttributeDefault},
                                             {"onnx.FunctionProto", 12},   // value_info
                                             {"onnx.FunctionProto", 14}}}; // metadata_props

bool isKnown(std::string const& message, int number) {
    return std::ranges::any_of(kKnown, [&](NewerField const& f) { return f.message == message && f.number == number; });
}

} // namespace

void checkUnknownFields(Message const& message, Log const& log) {
    auto const& fields = message.GetReflection()->GetUnknownFields(message);
    auto const* type = message.GetDescriptor();
    for (int i = 0; i < fields.field_count(); ++i) {
        UnknownField const& field = fields.field(i);
        if (auto const* known = type->FindFieldByNumber(field.number()))
            fail(ErrorCode::Unsupported, "its field '", known->name(), "' is ",
                 field.type() == UnknownField::TYPE_VARINT ? text(field.varint()) : "of another kind",
                 ", which this reader does not know; save the model with an older version of ONNX");
        if (!isKnown(type->full_name(), field.number()))
            say(log, Severity::Warning,
                text("field ", field.number(), " of ", type->name(), " is newer than this reader and passed over"));
    }
}

std::string newerField(Message const& message, int number) {
    auto const& fields = message.GetReflection()->GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i) {
        UnknownField const& field = fields.field(i);
        if (field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED)
            return field.length_delimited();
    }
    return {};
}

} // namespace tenon::onnx

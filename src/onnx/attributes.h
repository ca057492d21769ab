// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <string_view>
#include <vector>

namespace tenon::onnx {

using pb::AttributeType;

/// Null when the node has none of this name.
pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name);
/// The same; an Error when it is of another type.
pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name, AttributeType type);

/// Its type. Models of IR version 1 do not state it: then it follows from the field that is set. An Error when this
/// reader does not know the type.
AttributeType typeOf(pb::AttributeProto const& attribute);
std::string_view nameOf(AttributeType type); // "INT"

/// An Error when an attribute has no name or one that another has, or has several values, or one that is not of the
/// type that it states.
void expectSoundAttributes(pb::NodeProto const& node);

/// Of an attribute of type TENSOR.
pb::TensorProto const& tensorOf(pb::AttributeProto const& attribute);

/// For messages: "3", "[1, 2]", "\"DCR\"", "a tensor"; of long ones the beginning.
std::string printValue(pb::AttributeProto const& attribute);

std::string stringAttribute(pb::NodeProto const& node, std::string_view name, std::string_view otherwise);

} // namespace tenon::onnx

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <string_view>
#include <vector>

namespace tenon::onnx {

using pb::AttributeType;

/// Null if the node has none of this name.
pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name);
/// The same; an Error if it is of another type.
pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name, AttributeType type);

/// Its type. Models of IR version 1 do not state it: then it follows from the field that is set. An Error if this
/// reader does not know the type.
AttributeType typeOf(pb::AttributeProto const& attribute);
std::string_view nameOf(AttributeType type); // "INT"

/// An Error if an attribute has no name, a duplicate name or several values, or a value of a type other than stated.
void expectSoundAttributes(pb::NodeProto const& node);

/// Of an attribute of type TENSOR.
pb::TensorProto const& tensorOf(pb::AttributeProto const& attribute);

/// For messages: "3", "[1, 2]", "\"DCR\"", "a tensor"; long values are cut off.
std::string printValue(pb::AttributeProto const& attribute);

std::string stringAttribute(pb::NodeProto const& node, std::string_view name, std::string_view otherwise);

} // namespace tenon::onnx

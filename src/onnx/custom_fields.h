// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/custom_nodes.h"
#include "onnx/flat_nodes.h"
#include "onnx/tensor_reader.h"

namespace tenon::onnx {

/// The op whose node holds a serialized plugin instead of fields.
constexpr std::string_view kSerializedPlugin = "TRT_PluginV2";

/// The key under which the node is looked up.
CustomType customType(pb::NodeProto const& node);

/// The registered type of the node: the type that it is looked up by or, if it leaves out attributes of the key, the
/// only one of its name that matches the others. None: no such type, or several.
std::optional<CustomType> registeredType(pb::NodeProto const& node, CustomNodes const& plugins);

/// A sentence on the attributes that the node needs to match a registered type of its name; empty if there are none.
std::string adviseAttributes(pb::NodeProto const& node, CustomNodes const& plugins);

/// The node with the fields that the plugin's creator declares, as far as the node has such attributes. Other
/// attributes, and a type that is not specified, are logged.
CustomNode customNode(FlatNode const& node, std::string name, CustomNodes const& plugins, TensorReader const& tensors,
                      Log const& log);

} // namespace tenon::onnx

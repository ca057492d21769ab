// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/custom_nodes.h"
#include "onnx/flat_nodes.h"
#include "onnx/tensor_reader.h"

namespace tenon::onnx {

/// The op whose node holds a serialized plugin instead of fields.
constexpr std::string_view kSerializedPlugin = "TRT_PluginV2";

/// What the node is looked up by.
CustomType customType(pb::NodeProto const& node);

/// The node with the fields that the plugin's creator declares, as far as the node has such attributes. Other
/// attributes are logged.
CustomNode customNode(FlatNode const& node, std::string name, CustomNodes const& plugins, TensorReader const& tensors,
                      Log const& log);

} // namespace tenon::onnx

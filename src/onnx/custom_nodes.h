// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::onnx {

/// One attribute of a custom node, as a plugin's creator receives it.
///   INT, INTS      int32; int64 when a value does not fit (said in the log)
///   FLOAT, FLOATS  float32
///   STRING         char, closed by a zero that the length counts
///   STRINGS        char, one string after the other, each closed by a zero
///   TENSOR         its elements in row-major order: float16/32/64, bfloat16, int8/16/32/64, float8e4m3fn, int4 (two a
///                  byte) as they are; uint8 and bool as int32; strings as STRINGS
struct CustomField {
    enum class Type { Float16, Float32, Float64, Int8, Int16, Int32, Char, BFloat16, Int64, Float8, Int4 };

    std::string name;
    Type type = Type::Int32;
    int64_t length = 0; // elements
    std::vector<std::byte> bytes;
};

/// The key under which a custom layer is looked up.
struct CustomType {
    std::string name;      // the node's op
    std::string version;   // its attribute plugin_version; "1" if missing
    std::string nameSpace; // its attribute plugin_namespace; "" if missing

    friend bool operator==(CustomType const&, CustomType const&) = default;
};

struct CustomNode {
    CustomType type;
    std::string name;                // of the node
    std::vector<CustomField> fields; // the attributes that the plugin names, in its order
    /// Inputs read on the host, after all others: those named by the attribute tensorrt_plugin_shape_input_indices.
    std::vector<int64_t> shapeInputs;
    std::vector<std::byte> state; // of a node TRT_PluginV2, instead of fields: the plugin's serialized state
};

/// Makes layers for nodes that have no importer: implemented over the plugin registry (trt/parser).
class CustomNodes {
public:
    virtual ~CustomNodes() = default;

    /// All registered types of a name, each once.
    virtual std::vector<CustomType> registered(std::string const& name) const = 0;
    /// The fields that the creator of a registered type declares.
    virtual std::vector<std::string> fieldNames(CustomType const& type) const = 0;
    /// A layer of a registered type; an Error if its creator refuses.
    virtual std::unique_ptr<Layer> make(CustomNode const& node) = 0;
    /// The same from `node.state`.
    virtual std::unique_ptr<Layer> deserialize(CustomNode const& node) = 0;
    /// Sentences about a type that is not registered: types of that or a similar name, and what to do.
    virtual std::string explainMissing(CustomType const& type) const = 0;
};

} // namespace tenon::onnx

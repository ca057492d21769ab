// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/registered_nodes.h"

#include "base/error.h"
#include "plugin/plugin_layer.h"
#include "trt/plugin/registry_face.h"

#include <algorithm>

namespace tenon::trt {
namespace {

PluginName nameOf(onnx::CustomType const& type) { return {type.name, type.version, type.nameSpace}; }

PluginValue::Type typeOf(onnx::CustomField::Type type) {
    using From = onnx::CustomField::Type;
    using To = PluginValue::Type;
    switch (type) {
    case From::Float16: return To::Float16;
    case From::Float32: return To::Float32;
    case From::Float64: return To::Float64;
    case From::Int8: return To::Int8;
    case From::Int16: return To::Int16;
    case From::Int32: return To::Int32;
    case From::Char: return To::Char;
    case From::BFloat16: return To::BFloat16;
    case From::Int64: return To::Int64;
    case From::Float8: return To::Float8;
    case From::Int4: return To::Int4;
    }
    fail(ErrorCode::Internal, "a field type without a counterpart among plugin values");
}

PluginKind preferredKind(Network const& network) {
    using Flag = api::NetworkDefinitionCreationFlag;
    if (network.getFlag(Flag::kPREFER_AOT_PYTHON_PLUGINS)) return PluginKind::RatherCompiled;
    return network.getFlag(Flag::kPREFER_JIT_PYTHON_PLUGINS) ? PluginKind::RatherComputing : PluginKind::Any;
}

} // namespace

RegisteredNodes::RegisteredNodes(Network const& network)
    : RegisteredNodes(network.registry()->core, preferredKind(network)) {}

std::vector<onnx::CustomType> RegisteredNodes::registered(std::string const& name) const {
    std::vector<onnx::CustomType> types;
    for (auto const& creator : registry_.named(name)) {
        PluginName const& its = creator->name();
        onnx::CustomType type{its.name, its.version, its.nameSpace};
        if (std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
    }
    return types;
}

PluginRegistry::Found RegisteredNodes::creatorOf(onnx::CustomType const& type) const {
    auto creator = registry_.find(nameOf(type));
    if (!creator) fail(ErrorCode::Unsupported, explainMissing(type));
    return creator;
}

std::vector<std::string> RegisteredNodes::fieldNames(onnx::CustomType const& type) const {
    return creatorOf(type)->fieldNames();
}

std::unique_ptr<Layer> RegisteredNodes::make(onnx::CustomNode const& node) {
    std::vector<PluginValue> values;
    for (onnx::CustomField const& field : node.fields)
        values.push_back({field.name, typeOf(field.type), field.length, field.bytes});
    return layerOf(creatorOf(node.type)->create(node.name, values, PluginPhase::Build, kind_), node);
}

std::unique_ptr<Layer> RegisteredNodes::deserialize(onnx::CustomNode const& node) {
    PluginValue bytes{"", PluginValue::Type::Char, static_cast<int64_t>(node.state.size()), node.state};
    return layerOf(creatorOf(node.type)->deserialize(node.name, {std::move(bytes)}), node);
}

std::unique_ptr<Layer> RegisteredNodes::layerOf(std::unique_ptr<Plugin> plugin, onnx::CustomNode const& node) {
    auto layer = std::make_unique<PluginLayer>(std::move(plugin));
    layer->setShapeInputs(node.shapeInputs);
    bool const isNew = !layer->library().empty() && std::ranges::find(libraries_, layer->library()) == libraries_.end();
    if (isNew) libraries_.push_back(layer->library());
    return layer;
}

std::string RegisteredNodes::explainMissing(onnx::CustomType const& type) const {
    return text(nameOf(type), ": not registered. ", registry_.explainMissing(nameOf(type), "", ""));
}

} // namespace tenon::trt

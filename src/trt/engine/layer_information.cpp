// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/layer_information.h"

#include "base/text.h"
#include "plan/json/json_fields.h"
#include "plan/time/time_kernels.h"
#include "plugin/plugin_layer.h"
#include "trt/engine/explorer_fields.h"

#include <array>
#include <cctype>
#include <functional>

namespace tenon::trt {
namespace {

std::string widthWord(int width) {
    switch (width) {
    case 2: return "Two";
    case 4: return "Four";
    case 8: return "Eight";
    case 16: return "Sixteen";
    case 32: return "Thirty-two";
    default: return std::to_string(width);
    }
}

/// pre_padding → PrePadding
std::string camelCase(std::string_view name) {
    std::string camel;
    bool upper = true;
    for (char const c : name) {
        if (c != '_') camel += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = c == '_';
    }
    return camel;
}

Json renamed(Json const& fields) {
    Json all = Json::object();
    for (auto const& [name, value] : fields.items()) all[camelCase(name)] = value;
    return all;
}

/// The fields of a layer, with the API's names, and the layers of the graphs inside it.
class Parameters final : public JsonWriter, public BodyTaker {
public:
    using OfBody = std::function<Json(size_t number, Graph const& body)>;
    Parameters(Layer const& layer, OfBody ofBody)
        : JsonWriter([](Literal const& literal) { return weightsJson(literal.type(), literal.dims().volume()); }),
          ofBody_(std::move(ofBody)) {
        layer.clone()->fields(*this);
    }

    void take(std::string_view name, Graph const& body) override {
        bodies_[keyOf(name)] = ofBody_(bodies_.size(), body);
    }
    Json fields() const { return renamed(json); }
    Json bodies() const { return renamed(bodies_); }

private:
    OfBody ofBody_;
    Json bodies_ = Json::object();
};

Json extentsOf(Tensor const& tensor, Dims const* known) {
    Json extents = Json::array();
    for (size_t i = 0; i < tensor.shape.size(); ++i)
        extents.push_back(known ? (*known)[static_cast<int>(i)] : tensor.shape[i].constantOr(-1));
    return extents;
}

/// The extents of a tensor if they are known; null if they are not.
using DimsOf = std::function<Dims const*(Tensor const*)>;

Json tensorsOf(std::vector<Tensor*> const& tensors, DimsOf const& dimsOf) {
    Json all = Json::array();
    for (Tensor const* tensor : tensors) {
        if (tensor == nullptr) continue;
        all.push_back({{"Name", tensor->name},
                       {"Location", tensor->onHost ? "Host" : "Device"},
                       {"Dimensions", extentsOf(*tensor, dimsOf(tensor))},
                       {"Format/Datatype", formatDescription(tensor->label)}});
        if (tensor->label.scale != 0) all.back()["Scale"] = tensor->label.scale;
        if (tensor->label.zero != 0) all.back()["ZeroPoint"] = tensor->label.zero;
        if (tensor->askedType) all.back()["AskedType"] = std::string(typeWord(*tensor->askedType));
    }
    return all;
}

std::string layerType(Node const& node) {
    auto const* plugin = as<PluginLayer>(*node.layer);
    if (!plugin) return std::string(node.kind());
    if (plugin->generation().starts_with("IPluginV3")) return "PluginV3";
    return plugin->generation().starts_with("IPluginV2") ? "PluginV2" : "Plugin";
}

std::string hexadecimal(int64_t value) {
    std::array<char, 24> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%016llx", static_cast<unsigned long long>(value));
    return digits.data();
}

std::string valueOnOneLine(Json const& value) {
    if (value.is_string()) return withoutBreaks(value.get<std::string>());
    if (value.is_object()) return "{ " + onOneLine(value) + " }";
    if (!value.is_array()) return value.dump();
    std::string all;
    bool const nested = !value.empty() && value[0].is_object();
    for (Json const& element : value)
        all += (all.empty() ? (nested ? " " : "") : nested ? ", " : ",") + valueOnOneLine(element);
    return "[" + all + "]";
}

/// The known properties of a node, whatever runs it.
Json describeNode(Node const& node, DimsOf const& dimsOf, Parameters::OfBody const& ofBody) {
    Json layer{{"Name", node.name},
               {"LayerType", layerType(node)},
               {"Inputs", tensorsOf(node.inputs(), dimsOf)},
               {"Outputs", tensorsOf(node.outputs(), dimsOf)},
               {"ParameterType", std::string(node.kind())}};
    if (auto const* plugin = as<PluginLayer>(*node.layer)) {
        layer["PluginType"] = plugin->name().name;
        layer["PluginVersion"] = plugin->name().version;
        layer["PluginNamespace"] = plugin->name().nameSpace;
        if (!plugin->metadata().empty()) layer["PluginMetadata"] = plugin->metadata();
    } else {
        Parameters const parameters(*node.layer, ofBody);
        Json const fields = parameters.fields();
        for (auto const& [name, value] : fields.items()) { // some have a field called outputs
            if (!layer.contains(name)) layer[name] = value;
        }
        layer.update(parameters.bodies());
        layer.update(explorerFields(node));
    }
    if (node.askedType) layer["AskedPrecision"] = std::string(typeWord(*node.askedType));
    return layer;
}

/// A graph inside a layer that runs it node by node, without kernels.
Json describeNodes(Graph const& body) {
    Json layers = Json::array();
    for (Node const* node : body.order()) {
        if (node->layer->constant()) continue;
        layers.push_back(describeNode(
            *node, [](Tensor const*) { return nullptr; },
            [](size_t, Graph const& inner) { return describeNodes(inner); }));
    }
    return layers;
}

Json describeSteps(Engine const& body) {
    Json layers = Json::array();
    for (Engine::Step const& step : body.steps()) layers.push_back(describeLayer(body, step, nullptr));
    return layers;
}

/// A name or, if there are graphs inside, an object with the name and the inner names.
Json nameNode(Node const& node, Parameters::OfBody const& ofBody) {
    if (node.layer->bodies().empty()) return node.name;
    Json layer{{"Name", node.name}};
    layer.update(Parameters(*node.layer, ofBody).bodies());
    return layer;
}

Json nameNodes(Graph const& body) {
    Json names = Json::array();
    for (Node const* node : body.order()) {
        if (!node->layer->constant())
            names.push_back(nameNode(*node, [](size_t, Graph const& inner) { return nameNodes(inner); }));
    }
    return names;
}

Json nameSteps(Engine const& body) {
    Json names = Json::array();
    for (Engine::Step const& step : body.steps()) names.push_back(nameLayer(step));
    return names;
}

/// As TensorRT spells them, some with "linear" or "format" and some without: tools look them up.
std::string linearDescription(DataType type) {
    switch (type) {
    case DataType::Float32: return "Row major linear FP32";
    case DataType::Int32: return "Row major linear Int32";
    case DataType::Bool: return "Row major linear BOOL";
    case DataType::Int8: return "Row major Int8 format";
    default: return text("Row major linear ", typeWord(type), " format");
    }
}

} // namespace

std::string formatDescription(Label const& label) {
    Format const& format = label.format;
    std::string_view const type = typeWord(label.type);
    if (format.isLinear()) return linearDescription(label.type);
    if (!format.channelsLast)
        return text(widthWord(format.block), " wide channel vectorized row major ", type, " format");
    std::string const last = text("Channel major ", type, " format");
    return format.block == 1 ? last : text(last, " where channel % ", format.block, " == 0");
}

Json describeLayer(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const* shapes) {
    Assignment const& assignment = *step.assignment;
    Node const& node = *assignment.node;
    auto const dimsOf = [&](Tensor const* tensor) {
        return shapes ? &shapes->dims[static_cast<size_t>(engine.shapeProgram().numberOf(tensor))] : nullptr;
    };
    Json layer = describeNode(node, dimsOf, [&](size_t number, Graph const& body) {
        return step.bodies.empty() ? describeNodes(body) : describeSteps(*step.bodies[number]);
    });
    layer["TacticName"] = assignment.kernel ? nameOfWay(*assignment.kernel, assignment.variant) : layerType(node);
    layer["TacticValue"] = hexadecimal(assignment.variant.tactic);
    layer["ComputeType"] = std::string(typeWord(assignment.variant.compute));
    layer["StreamId"] = 0;
    layer["Metadata"] = node.metadata;
    return layer;
}

Json nameLayer(Engine::Step const& step) {
    return nameNode(*step.assignment->node, [&](size_t number, Graph const& body) {
        return step.bodies.empty() ? nameNodes(body) : nameSteps(*step.bodies[number]);
    });
}

std::string withoutBreaks(std::string_view name) {
    std::string line;
    for (char const letter : name) {
        if (letter == '\n' || letter == '\r')
            line += letter == '\n' ? "\\n" : "\\r";
        else
            line += letter;
    }
    return line;
}

std::string onOneLine(Json const& layer) {
    std::string line;
    for (auto const& [name, value] : layer.items())
        line += text(line.empty() ? "" : ", ", name, ": ", valueOnOneLine(value));
    return line;
}

} // namespace tenon::trt

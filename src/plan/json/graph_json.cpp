// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/graph_json.h"

#include "base/error.h"
#include "base/utf8.h"
#include "plan/json/json_pieces.h"

#include <cmath>
#include <unordered_map>

namespace tenon {
namespace {

using Numbers = std::unordered_map<Tensor const*, int64_t>;

Json numbersOf(std::vector<Tensor*> const& tensors, Numbers const& numbers) {
    Json json = Json::array();
    for (Tensor const* tensor : tensors) json.push_back(tensor ? numbers.at(tensor) : -1);
    return json;
}

void putQuantum(Json& json, Quantum const& quantum) {
    json["scale"] = double{quantum.scale};
    if (quantum.zero != 0) json["zero"] = quantum.zero;
    if (quantum.type != DataType::Int8) json["integers"] = nameOf(quantum.type);
    if (quantum.isExact) json["exact"] = true;
}

Json tensorJson(Tensor const& tensor) {
    Json json{{"name", tensor.name}, {"type", nameOf(tensor.type)}, {"shape", toJson(tensor.shape)}};
    if (!(tensor.label == Label{tensor.type, {}, {}})) json["label"] = fieldsToJson(tensor.label);
    if (tensor.quantum.scale != 0) putQuantum(json, tensor.quantum);
    if (tensor.onHost) json["on_host"] = true;
    if (tensor.isDebug) json["debug"] = true;
    if (tensor.askedType) json["asked_type"] = nameOf(*tensor.askedType);
    return json;
}

Json nodeJson(Node const& node, Numbers const& numbers, JsonWriter::Store const& store) {
    JsonWriter fields(store);
    locate([&] { return node.name; }, [&] { node.layer->clone()->fields(fields); });
    Json json{{"name", node.name},
              {"kind", node.kind()},
              {"inputs", numbersOf(node.inputs(), numbers)},
              {"outputs", numbersOf(node.outputs(), numbers)},
              {"fields", std::move(fields.json)}};
    if (node.askedType) json["asked_type"] = nameOf(*node.askedType);
    if (node.isFirm) json["firm"] = true;
    if (!node.metadata.empty()) json["metadata"] = node.metadata;
    return json;
}

std::string nameAt(Json const& json) {
    std::string name = stringAt(json, "name");
    if (name.find('\0') != std::string::npos)
        fail(ErrorCode::InvalidPlan, "field name, \"", escaped(name), "\", contains a NUL");
    return name;
}

DataType typeAt(Json const& json, std::string_view name) {
    Json const& value = at(json, name);
    auto const type = value.is_string() ? dataTypeNamed(value.get<std::string>()) : std::nullopt;
    if (!type) fail(ErrorCode::InvalidPlan, "field ", name, " is not the name of a type");
    return *type;
}

std::optional<DataType> askedTypeAt(Json const& json) {
    return json.contains("asked_type") ? std::optional(typeAt(json, "asked_type")) : std::nullopt;
}

/// 0 if it is missing.
float scaleAt(Json const& json) {
    if (!json.contains("scale")) return 0;
    Json const& value = json["scale"];
    auto const scale = value.is_number() ? static_cast<float>(value.get<double>()) : 0.0F;
    if (!(scale > 0) || !std::isfinite(scale))
        fail(ErrorCode::InvalidPlan, "field scale is ", value.dump(), "; expected a number above 0");
    return scale;
}

int32_t zeroAt(Json const& json) {
    return json.contains("zero") ? static_cast<int32_t>(integerAt(json, "zero", -128, 255)) : 0;
}

Quantum quantumAt(Json const& json) {
    Quantum quantum{.scale = scaleAt(json), .zero = zeroAt(json)};
    if (json.contains("integers")) quantum.type = typeAt(json, "integers");
    if (quantum.type != DataType::Int8 && quantum.type != DataType::UInt8)
        fail(ErrorCode::InvalidPlan, "field integers is ", quantum.type, "; expected int8 or uint8");
    quantum.isExact = json.value("exact", false);
    return quantum;
}

/// Builds the graph in two passes: nodes with their outputs, then the edges, which may run in any direction.
class GraphReader {
public:
    GraphReader(Json const& json, JsonReader::Fetch const& fetch) : json_(json), fetch_(fetch) {}

    Graph read() {
        graph_.name = stringAt(json_, "name");
        tensors_.resize(list(json_, "tensors").size(), nullptr);
        for (Json const& number : list(json_, "inputs")) addInput(number);
        for (Json const& node : list(json_, "nodes")) addNode(node);
        size_t next = 0;
        for (Json const& node : list(json_, "nodes")) graph_.setInputs(nodes_[next++], tensorsAt(node, "inputs"));
        for (size_t i = 0; i < tensors_.size(); ++i) fill(i);
        for (Tensor* output : tensorsAt(json_, "outputs")) {
            if (!output) fail(ErrorCode::InvalidPlan, "an output of the graph is not a tensor");
            graph_.markOutput(output);
        }
        graph_.order();
        return std::move(graph_);
    }

private:
    static Json const& list(Json const& json, std::string_view name) {
        Json const& all = at(json, name);
        if (!all.is_array()) fail(ErrorCode::InvalidPlan, "field ", name, " is not a list");
        return all;
    }

    size_t numberIn(Json const& json) const {
        bool const isNumber = json.is_number_integer() && json.get<int64_t>() >= 0;
        if (!isNumber || json.get<uint64_t>() >= tensors_.size())
            fail(ErrorCode::InvalidPlan, "tensor ", json.dump(), " of ", tensors_.size());
        return json.get<size_t>();
    }

    void addInput(Json const& number) {
        size_t const at = numberIn(number);
        if (tensors_[at]) fail(ErrorCode::InvalidPlan, "tensor ", at, " is produced twice");
        tensors_[at] = graph_.addInput("", DataType::Float32, {});
    }

    void addNode(Json const& json) {
        JsonReader fields(at(json, "fields"), fetch_);
        auto layer = fields.layerOf(stringAt(json, "kind"));
        locate([&] { return stringAt(json, "name"); }, [&] { layer->fields(fields), fields.expectAllRead(); });
        Literal const* constant = layer->constant();
        if (constant && !*constant)
            fail(ErrorCode::InvalidPlan, stringAt(json, "name"), ": a constant without a value");
        Json const& outputs = list(json, "outputs");
        Node* node = graph_.addUnchecked(std::move(layer), {}, static_cast<int>(outputs.size()), nameAt(json));
        for (size_t i = 0; i < outputs.size(); ++i) {
            size_t const at = numberIn(outputs[i]);
            if (tensors_[at]) fail(ErrorCode::InvalidPlan, "tensor ", at, " is produced twice");
            tensors_[at] = node->outputs()[i];
        }
        node->askedType = askedTypeAt(json);
        node->isFirm = node->askedType && json.contains("firm");
        if (json.contains("metadata")) node->metadata = stringAt(json, "metadata");
        nodes_.push_back(node);
    }

    std::vector<Tensor*> tensorsAt(Json const& json, std::string_view name) const {
        std::vector<Tensor*> tensors;
        for (Json const& number : list(json, name))
            tensors.push_back(number == -1 ? nullptr : tensors_[numberIn(number)]);
        return tensors;
    }

    void fill(size_t i) {
        Json const& json = list(json_, "tensors")[i];
        Tensor* tensor = tensors_[i];
        if (!tensor) fail(ErrorCode::InvalidPlan, "tensor ", i, " has no producer");
        tensor->name = nameAt(json);
        tensor->type = typeAt(json, "type");
        tensor->shape = shapeFromJson(at(json, "shape"));
        if (tensor->shape.size() > Dims::kMaxRank) fail(ErrorCode::InvalidPlan, tensor->name, " has too many axes");
        tensor->label = json.contains("label") ? fieldsFromJson<Label>(json["label"]) : Label{tensor->type, {}, {}};
        bool const blockAxisExists =
            tensor->label.format.isLinear() || tensor->shape.size() > size_t(tensor->label.format.axis);
        if (!blockAxisExists) fail(ErrorCode::InvalidPlan, tensor->name, " has a format for more axes than its rank");
        tensor->quantum = quantumAt(json);
        tensor->onHost = json.value("on_host", false);
        tensor->isDebug = json.value("debug", false);
        tensor->askedType = askedTypeAt(json);
    }

    Json const& json_;
    JsonReader::Fetch const& fetch_;
    Graph graph_;
    std::vector<Tensor*> tensors_;
    std::vector<Node*> nodes_;
};

} // namespace

Json const& at(Json const& json, std::string_view name) {
    auto const found = json.is_object() ? json.find(std::string(name)) : json.end();
    if (found == json.end()) fail(ErrorCode::InvalidPlan, "field ", name, " is missing");
    return *found;
}

std::string stringAt(Json const& json, std::string_view name) {
    Json const& value = at(json, name);
    if (!value.is_string()) fail(ErrorCode::InvalidPlan, "field ", name, " is not a string");
    return value.get<std::string>();
}

int64_t integerAt(Json const& json, std::string_view name, int64_t least, int64_t most) {
    Json const& value = at(json, name);
    if (!value.is_number_integer() || value.get<int64_t>() < least || value.get<int64_t>() > most)
        fail(ErrorCode::InvalidPlan, "field ", name, " is not an integer from ", least, " to ", most);
    return value.get<int64_t>();
}

Device deviceAt(Json const& json) {
    std::string const name = stringAt(json, "device");
    if (!Device::isName(name))
        fail(ErrorCode::InvalidPlan, "field device is \"", name, "\"; expected the name of a device: 1 to ",
             Device::kMostCharacters, " characters of a-z, 0-9 and _");
    return Device(name);
}

std::string toJsonText(Graph const& graph, JsonWriter::Store const& store) {
    Numbers numbers;
    JsonList tensors;
    for (auto const& tensor : graph.tensors()) {
        numbers.emplace(tensor.get(), static_cast<int64_t>(numbers.size()));
        tensors.add(tensorJson(*tensor));
    }
    JsonList nodes;
    for (auto const& node : graph.nodes()) nodes.add(nodeJson(*node, numbers, store));
    JsonObject json;
    json.add("name", graph.name);
    json.addText("tensors", std::move(tensors).take());
    json.add("inputs", numbersOf(graph.inputs(), numbers));
    json.add("outputs", numbersOf(graph.outputs(), numbers));
    json.addText("nodes", std::move(nodes).take());
    return std::move(json).take();
}

Graph graphFromJson(Json const& json, JsonReader::Fetch const& fetch) { return GraphReader(json, fetch).read(); }

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/onnx_node.h"

#include "graph/evaluate.h"
#include "layers/constant/constant.h"
#include "onnx/parse_error_code.h"
#include "onnx/read_values.h"

#include <algorithm>

namespace tenon::onnx {

namespace {

int countNamed(std::vector<std::string> const& names) {
    size_t count = names.size();
    while (count > 0 && names[count - 1].empty()) --count;
    return static_cast<int>(count);
}

/// A network of this many nodes is built in seconds. A longer chain of unrolled copies gains little compared to the
/// cost of building, storing and loading it.
constexpr int64_t kMostUnrolled = 2000;

int64_t countNodes(pb::GraphProto const& body) {
    auto count = static_cast<int64_t>(body.node.size());
    for (auto const& node : body.node) {
        for (auto const& attribute : node.attribute) count += attribute.g ? countNodes(*attribute.g) : 0;
    }
    return count;
}

/// Whether a layer that refuses these inputs accepts them with one of them, or all, in another type.
bool takesOtherTypes(Node const& node) {
    if (node.kind() == "Plugin") return false; // from the application; queried only if needed
    auto const takes = [&](auto const& typeOf) {
        Graph trial;
        std::vector<Tensor*> inputs;
        for (Tensor const* input : node.inputs()) {
            inputs.push_back(input ? trial.addInput(text(inputs.size()), typeOf(*input), input->shape) : nullptr);
            if (input && isInteger(inputs.back()->type)) inputs.back()->values = input->values;
        }
        try {
            trial.add(node.layer->clone(), inputs);
            return true;
        } catch (Error const&) {
            return false;
        }
    };
    for (DataType const type : {DataType::Float32, DataType::Int64, DataType::Bool}) {
        if (takes([&](Tensor const&) { return type; })) return true;
        for (Tensor const* input : node.inputs()) {
            if (takes([&](Tensor const& one) { return &one == input ? type : one.type; })) return true;
        }
    }
    return false;
}

} // namespace

std::string nodeName(pb::NodeProto const& node) {
    if (!node.name.empty()) return node.name;
    auto const named = std::ranges::find_if(node.output, [](std::string const& output) { return !output.empty(); });
    return named == node.output.end() ? node.opType : text(node.opType, '_', *named);
}

OnnxNode::OnnxNode(FlatNode const& node, Graph& graph, Values& values, TensorReader const& tensors,
                   BodyImporter& bodies)
    : node_(node), proto_(*node.proto), graph_(graph), values_(values), tensors_(tensors), bodies_(bodies),
      name_(values.prefix() + nodeName(*node.proto)) {}

int OnnxNode::opset() const {
    auto const found = node_.opsets->find(std::string(domain()));
    return found == node_.opsets->end() ? 1 : found->second;
}

int OnnxNode::inputCount() const { return countNamed(proto_.input); }
int OnnxNode::outputCount() const { return countNamed(proto_.output); }

bool OnnxNode::hasInput(int i) const {
    asked_.insert(i);
    return isNamed(proto_.input, i);
}

Tensor* OnnxNode::input(int i) const {
    if (!hasInput(i)) fail(ErrorCode::InvalidModel, "input ", i, " is missing");
    return values_.tensor(proto_.input[static_cast<size_t>(i)]);
}

std::vector<Tensor*> OnnxNode::inputs() const {
    std::vector<Tensor*> all;
    for (int i = 0; i < inputCount(); ++i) all.push_back(hasInput(i) ? input(i) : nullptr);
    return all;
}

Literal const& OnnxNode::constantInput(int i) const {
    if (auto const known = constants_.find(i); known != constants_.end()) return known->second;
    auto value = constantValue(*input(i));
    if (!value)
        fail(ErrorCode::Unsupported, "input ", i, " ('", proto_.input[static_cast<size_t>(i)],
             "') depends on run-time inputs; it must be an initializer, or computed from constants");
    return constants_[i] = *value;
}

int64_t OnnxNode::constantScalar(int i) const {
    Literal const& value = constantInput(i);
    decideBy(*input(i));
    if (value.dims().volume() != 1)
        fail(ErrorCode::InvalidModel, "input ", i, " ('", proto_.input[static_cast<size_t>(i)], "') has shape ",
             value.dims(), "; expected one number");
    return value.toInt64()[0];
}

pb::AttributeProto const* OnnxNode::taken(pb::AttributeProto const* attribute) const {
    if (attribute != nullptr) taken_.insert(attribute);
    return attribute;
}

pb::AttributeProto const* OnnxNode::find(std::string_view attribute, AttributeType type) const {
    return taken(findAttribute(proto_, attribute, type));
}

int64_t OnnxNode::elementType(int i) const { return static_cast<int64_t>(values_.elementType(*input(i))); }

void OnnxNode::setElementType(Tensor const& output, int64_t onnxType) {
    values_.setElementType(output, onnx::elementType(onnxType));
}

// int64 is too coarse: the graph uses it for uint32 and uint64, but also for indices and extents of data of any type.
void OnnxNode::settleElementType(Tensor const& output) {
    if (values_.hasElementType(output) || output.type == DataType::Int64) return;
    std::vector<ElementType> types;
    if (attributeType_) types.push_back(*attributeType_);
    for (int i = 0; i < inputCount(); ++i) {
        if (hasInput(i)) types.push_back(values_.elementType(*input(i)));
    }
    auto const found = std::ranges::find_if(types, [&](ElementType type) { return graphType(type) == output.type; });
    if (found != types.end()) values_.setElementType(output, *found);
}

bool OnnxNode::has(std::string_view attribute) const { return taken(findAttribute(proto_, attribute)) != nullptr; }

void OnnxNode::ignore(std::initializer_list<std::string_view> attributes) const {
    for (std::string_view const attribute : attributes) taken(findAttribute(proto_, attribute));
}

void OnnxNode::expectAllRead(std::string_view remedy) const {
    if (domain().empty() && opset() < 6) ignore({"consumed_inputs"}); // a memory hint, allowed on all operators
    for (int i = 0; i < inputCount(); ++i) {
        if (isNamed(proto_.input, i) && !asked_.contains(i))
            fail(ErrorCode::InvalidModel, "input ", i, " ('", proto_.input[static_cast<size_t>(i)],
                 "') is not an input of ", op(), " of opset ", opset());
    }
    for (pb::AttributeProto const& attribute : proto_.attribute) {
        if (!taken_.contains(&attribute))
            throw KnownError(ParseErrorCode::UnsupportedNodeAttribute, ErrorCode::Unsupported,
                             text("attribute '", attribute.name, "' = ", printValue(attribute),
                                  " is not an attribute of ", op(), " of opset ", opset(),
                                  ", so its effect would be lost; ", remedy));
    }
}

int64_t OnnxNode::integer(std::string_view attribute, int64_t otherwise) const {
    auto const* found = find(attribute, AttributeType::Int);
    return found ? found->i.value_or(0) : otherwise;
}

float OnnxNode::real(std::string_view attribute, float otherwise) const {
    auto const* found = find(attribute, AttributeType::Float);
    return found ? found->f.value_or(0) : otherwise;
}

std::string OnnxNode::string(std::string_view attribute, std::string_view otherwise) const {
    auto const* found = find(attribute, AttributeType::String);
    return found ? found->s.value_or("") : std::string(otherwise);
}

std::vector<int64_t> OnnxNode::integers(std::string_view attribute, std::vector<int64_t> otherwise) const {
    auto const* found = find(attribute, AttributeType::Ints);
    return found ? found->ints : std::move(otherwise);
}

std::vector<float> OnnxNode::reals(std::string_view attribute, std::vector<float> otherwise) const {
    auto const* found = find(attribute, AttributeType::Floats);
    return found ? found->floats : std::move(otherwise);
}

std::vector<std::string> OnnxNode::strings(std::string_view attribute) const {
    auto const* found = find(attribute, AttributeType::Strings);
    return found ? found->strings : std::vector<std::string>{};
}

int64_t OnnxNode::integer(std::string_view attribute) const {
    auto const* found = find(attribute, AttributeType::Int);
    if (found == nullptr) fail(ErrorCode::InvalidModel, "attribute '", attribute, "' is missing");
    return found->i.value_or(0);
}

Literal OnnxNode::tensor(std::string_view attribute) const {
    auto const* found = find(attribute, AttributeType::Tensor);
    if (found == nullptr) fail(ErrorCode::InvalidModel, "attribute '", attribute, "' is missing");
    auto const where = [&] { return text("attribute '", attribute, '\''); };
    attributeType_ = onnx::elementType(tensorOf(*found).dataType);
    return locate(where, [&] { return tensors_.literal(tensorOf(*found), node_.owner); });
}

pb::GraphProto const& OnnxNode::graphOf(std::string_view attribute) const {
    auto const* found = find(attribute, AttributeType::Graph);
    if (found == nullptr && node_.index < 0)
        fail(ErrorCode::Unsupported, "attribute '", attribute,
             "' is a graph, which only a node of a model can have; have a parser read the node in a model, or add "
             "equivalent layers");
    if (found == nullptr || !found->g) fail(ErrorCode::InvalidModel, "attribute '", attribute, "' is missing");
    return *found->g;
}

BodySize OnnxNode::body(std::string_view attribute) const {
    pb::GraphProto const& graph = graphOf(attribute);
    return {static_cast<int>(graph.input.size()), static_cast<int>(graph.output.size()), countNodes(graph)};
}

std::vector<Tensor*> OnnxNode::addBody(BodyCopy const& copy) {
    pb::GraphProto const& graph = graphOf(copy.attribute);
    BodyCopy named = copy;
    if (!copy.part.empty()) named.part = text(nodeName(proto_), '/', copy.part, '/');
    AddedBody body =
        locate([&] { return text("its ", copy.attribute); }, [&] { return bodies_.add(node_, graph, named, values_); });
    added_.insert(added_.end(), body.nodes.begin(), body.nodes.end());
    return std::move(body.outputs);
}

BodyGraph OnnxNode::outline(std::string_view attribute, BodyImporter::AddInputs const& addInputs) {
    pb::GraphProto const& graph = graphOf(attribute);
    return locate([&] { return text("its ", attribute); },
                  [&] { return bodies_.outline(node_, attribute, graph, addInputs, values_); });
}

std::vector<std::optional<BodyGraph>> OnnxNode::outlineToEnd(std::span<std::string_view const> attributes) {
    std::vector<BodyImporter::BodyAttribute> held;
    for (std::string_view const attribute : attributes) held.push_back({attribute, &graphOf(attribute)});
    return bodies_.outlineToEnd(node_, held, values_);
}

DimExpr OnnxNode::unknown(std::string_view what) const {
    return DimExpr::symbol(text(name_, '/', node_.bodies.size(), '.', what));
}

bool OnnxNode::isSmall(std::string_view attribute, int64_t copies) const {
    int64_t const most = kMostUnrolled / values_.copies() / std::max<int64_t>(countNodes(graphOf(attribute)), 1);
    return copies <= most;
}

void OnnxNode::takeBack(size_t layers) {
    for (size_t i = graph_.nodes().size(); i > layers; --i) {
        Node* const node = graph_.nodes()[i - 1].get();
        if (node->layer->constant()) continue; // an initializer that other nodes may already read
        std::erase(added_, node);
        graph_.remove(node);
    }
}

Node* OnnxNode::addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) {
    std::string const name = values_.freeName(name_);
    std::string const prefix = text(name, " (", layer->kind(), "): ");
    Node* const node = graph_.addUnchecked(std::move(layer), std::move(inputs), 0, name);
    try {
        graph_.infer(node);
    } catch (Error const& error) { // the parser prepends the node's name in the model
        std::string_view what = error.what();
        if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
        Found const found{error.code(), error.foundBy()};
        bool const isOfType = takesOtherTypes(*node);
        graph_.remove(node);
        if (isOfType) throw KnownError(ParseErrorCode::UnsupportedNodeDataType, found, std::string(what));
        throw Error(found, std::string(what));
    } catch (...) {
        graph_.remove(node);
        throw;
    }
    return added_.emplace_back(node);
}

Tensor* OnnxNode::constant(Literal value) {
    added_.push_back(
        graph_.add(std::make_unique<Constant>(std::move(value)), {}, values_.freeName(text(name_, ".constant"))));
    return added_.back()->output();
}

Tensor* OnnxNode::constant(Literal value, WeightOrigin origin, float epsilon) {
    Tensor* const made = constant(std::move(value));
    Node const* const node = made->producer();
    bool const isOfInputs = origin == WeightOrigin::BatchNormScale || origin == WeightOrigin::BatchNormBias;
    WeightSource source{node, node->name, origin, static_cast<int64_t>(elementTypeOf(made->type)), {}, epsilon};
    if (isOfInputs) source.elementType = elementType(1);
    if (isOfInputs) source.sources.assign(proto_.input.begin() + 1, proto_.input.begin() + 5);
    if (!isOfInputs && !proto_.output.empty()) source.sources.push_back(proto_.output[0]);
    values_.note(std::move(source));
    return made;
}

std::vector<Tensor*> OnnxNode::addGraph(Graph const& body, StandIns standIns) {
    auto const nameOf = [&](Node const& node) { return values_.freeName(text(name_, '/', node.name)); };
    return addNodes(graph_, body, std::move(standIns), nameOf, added_);
}

bool OnnxNode::made(Tensor const& tensor) const {
    return std::ranges::find(added_, tensor.producer()) != added_.end() && tensor.producer() != nullptr;
}

} // namespace tenon::onnx

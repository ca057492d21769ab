// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/values.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "onnx/read_values.h"

namespace tenon::onnx {
namespace {

std::string_view kindOf(pb::TypeProto const& type) {
    if (type.sequenceType) return "a sequence";
    if (type.mapType) return "a map";
    if (type.optionalType) return "an optional";
    if (type.sparseTensorType) return "a sparse tensor";
    if (type.opaqueType) return "opaque";
    return "of an unknown kind";
}

} // namespace

Values::Values(pb::GraphProto const& file, std::shared_ptr<void const> owner, Graph& graph, TensorReader const& tensors)
    : file_(file), owner_(std::move(owner)), graph_(graph), tensors_(tensors) {
    for (auto const& node : graph.nodes()) ++taken_[node->name];
    addInitializers();
}

Values::Values(pb::GraphProto const& body, std::shared_ptr<void const> owner, Values& around, std::string const& prefix,
               int64_t copies)
    : file_(body), owner_(std::move(owner)), graph_(around.graph_), tensors_(around.tensors_), around_(&around),
      prefix_(around.prefix_ + prefix), copies_(around.copies_ * copies) {
    addInitializers();
}

Values::Values(pb::GraphProto const& body, std::shared_ptr<void const> owner, Values& around, Graph& graph)
    : file_(body), owner_(std::move(owner)), graph_(graph), tensors_(around.tensors_), around_(&around) {
    addInitializers();
}

void Values::addInitializers() {
    for (pb::TensorProto const& initializer : file_.initializer) {
        if (initializer.name.empty()) fail(ErrorCode::InvalidModel, "an initializer has no name");
        if (!known_.emplace(initializer.name, Value{nullptr, &initializer}).second)
            fail(ErrorCode::InvalidModel, "two initializers are named '", initializer.name, '\'');
    }
    if (!file_.sparseInitializer.empty())
        fail(ErrorCode::Unsupported, "initializer '", file_.sparseInitializer[0].values.name,
             "' is sparse; save it as a dense one");
}

void Values::addInputs(Log const& log, std::optional<DimExpr> const& batch, bool narrowsInt64) {
    for (pb::ValueInfoProto const& input : file_.input) {
        if (input.name.empty()) fail(ErrorCode::InvalidModel, "an input has no name");
        auto const found = known_.find(input.name);
        if (found != known_.end() && found->second.initializer) continue; // its default value, which is used
        if (found != known_.end()) fail(ErrorCode::InvalidModel, "two inputs are named '", input.name, '\'');
        locate([&] { return text("input '", input.name, '\''); }, [&] { addInput(input, log, batch); });
        if (narrowsInt64) narrow(known_[input.name]);
    }
}

/// The input becomes int32; the model continues with its values as int64.
void Values::narrow(Value& value) {
    Tensor* const input = value.tensor;
    if (input->type != DataType::Int64) return;
    input->type = DataType::Int32;
    Cast cast;
    cast.to = DataType::Int64;
    value.tensor = graph_.emit(cast, {input}, freeName(text("Cast_", input->name)));
}

void Values::addInput(pb::ValueInfoProto const& input, Log const& log, std::optional<DimExpr> const& batch) {
    if (!input.type.tensorType) fail(ErrorCode::Unsupported, "is ", kindOf(input.type), "; inputs must be tensors");
    int const type = input.type.tensorType->elemType;
    if (onnx::elementType(type) == ElementType::Float64)
        say(log, Severity::Warning, text("input '", input.name, "' is float64; it is read as float32"));
    Shape shape = inputShape(input);
    if (batch && !shape.empty()) shape[0] = *batch;
    Tensor* const tensor = graph_.addInput(input.name, dataTypeOf(type), shape);
    setElementType(*tensor, onnx::elementType(type));
    known_[input.name] = {tensor, nullptr};
}

// a dim_param is a symbol, the same one wherever it occurs; an extent without a name gets its own
Shape Values::inputShape(pb::ValueInfoProto const& input) const {
    auto const& shapeOfFile = input.type.tensorType->shape;
    if (!shapeOfFile) fail(ErrorCode::Unsupported, "has no shape; add one, with names for dynamic extents");
    Shape shape;
    for (auto const& dim : shapeOfFile->dim) {
        bool const named = !dim.dimParam.empty() && dim.dimParam != "?";
        if (dim.dimValue.value_or(-1) >= 0) {
            shape.emplace_back(*dim.dimValue);
        } else {
            shape.push_back(DimExpr::symbol(named ? dim.dimParam : text(input.name, '.', shape.size())));
        }
    }
    return shape;
}

void Values::setInputs(std::vector<Tensor*> const& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!known_.emplace(file_.input[i].name, Value{inputs[i], nullptr}).second)
            fail(ErrorCode::InvalidModel, "the graph inside has two inputs or initializers named '",
                 file_.input[i].name, '\'');
    }
}

Tensor* Values::tensor(std::string const& name) {
    auto const found = known_.find(name);
    if (found == known_.end() && around_) {
        Tensor* const outside = around_->tensor(name);
        if (!isOwnGraph() || outside == nullptr) return outside;
        return (known_[name] = {captured(outside), nullptr}).tensor;
    }
    Value& value = found == known_.end() ? known_.at(name) : found->second;
    if (value.tensor == nullptr && value.initializer != nullptr) {
        auto const where = [&] { return text("initializer '", name, '\''); };
        Literal literal = locate(where, [&] { return tensors_.literal(*value.initializer, owner_); });
        value.tensor = addConstant(std::move(literal), prefix_ + name);
        setElementType(*value.tensor, onnx::elementType(value.initializer->dataType));
        Node const* const node = value.tensor->producer();
        note({node, node->name, WeightOrigin::Initializer, value.initializer->dataType, {name}});
    }
    return value.tensor;
}

/// For a tensor outside of a graph of its own: known values are copied, so that shape rules and kernels see them.
Tensor* Values::captured(Tensor* outside) {
    Literal const* const literal = outside->literal();
    auto const known = literal ? std::optional<Literal>(*literal) : valuesOf(*outside);
    if (known && !literal) decideBy(*outside);
    if (known) return addConstant(*known, outside->name);
    Tensor* const input = graph_.addInput(outside->name, outside->type, outside->shape);
    input->values = outside->values;
    captures_.push_back(outside);
    return input;
}

Tensor* Values::addConstant(Literal literal, std::string const& name) {
    Tensor* const constant = graph_.emit(Constant(std::move(literal)), {}, freeName(name));
    constant->name = name;
    return constant;
}

void Values::set(std::string const& name, Tensor* tensor) {
    if (!known_.emplace(name, Value{tensor, nullptr}).second)
        fail(ErrorCode::InvalidModel, "makes '", name, "', which is also an input or initializer of the graph");
}

std::vector<std::string> Values::names() const {
    std::vector<std::string> all;
    for (auto const& [name, value] : known_) all.push_back(name);
    if (!around_) return all;
    auto const outside = around_->names();
    all.insert(all.end(), outside.begin(), outside.end());
    return all;
}

ElementType Values::elementType(Tensor const& tensor) const {
    auto const& types = root().types_;
    auto const found = types.find(&tensor);
    return found == types.end() ? elementTypeOf(tensor.type) : found->second;
}

std::string Values::freeName(std::string const& wished) {
    if (around_) return around_->freeName(wished); // symbols are named after nodes, also across graphs
    int const uses = taken_[wished]++;
    return uses == 0 ? wished : freeName(text(wished, '_', uses + 1));
}

} // namespace tenon::onnx

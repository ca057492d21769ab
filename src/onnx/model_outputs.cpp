// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/model_outputs.h"

#include "layers/cast/cast.h"
#include "onnx/parse_errors.h"

#include <algorithm>

namespace tenon::onnx {

void ModelOutputs::markOutput(pb::ValueInfoProto const& output, Values& values) {
    std::string const& name = output.name;
    if (name.empty()) fail(ErrorCode::InvalidModel, "an output of the graph has no name");
    if (!values.has(name)) failMissing("the graph has an output", name, values);
    Tensor* tensor = values.tensor(name);
    if (tensor == nullptr) return; // the error is already recorded
    warnOfType(output, tensor->type);
    renameInput(name);
    bool const narrows = options_.narrowsInt64 && tensor->type == DataType::Int64;
    graph_.markOutput(narrows ? narrowed(tensor, name, values) : named(tensor, name, values));
}

Tensor* ModelOutputs::named(Tensor* tensor, std::string const& name, Values& values) {
    if (tensor->name == name) return tensor;
    Tensor* copy = graph_.add(makeLayer("Identity"), {tensor}, values.freeName(text("Identity_", name)))->output();
    copy->name = name;
    return copy;
}

void ModelOutputs::renameInput(std::string const& name) {
    auto const input = std::ranges::find(graph_.inputs(), name, &Tensor::name);
    if (input == graph_.inputs().end()) return;
    do (*input)->name = "__" + (*input)->name;
    while (std::ranges::count(graph_.inputs(), (*input)->name, &Tensor::name) > 1);
    say(options_.log, Severity::Warning,
        text("output '", name, "' is also an input; the engine's input is named '", (*input)->name, '\''));
}

Tensor* ModelOutputs::narrowed(Tensor* tensor, std::string const& name, Values& values) {
    if (tensor->name == name) tensor->name = values.freeName(text(name, " as int64"));
    Cast cast;
    cast.to = DataType::Int32;
    Tensor* const output = graph_.emit(cast, {tensor}, values.freeName(text("Cast_", name)));
    output->name = name;
    return output;
}

void ModelOutputs::warnOfType(pb::ValueInfoProto const& output, DataType found) const {
    auto const type = elementType(output.type.tensorType ? output.type.tensorType->elemType : 0);
    if (auto const stated = graphType(type); stated && *stated != found)
        say(options_.log, Severity::Warning,
            text("output '", output.name, "' is ", type, " in the model's list of outputs, but its node makes ", found,
                 ", which is kept"));
}

} // namespace tenon::onnx

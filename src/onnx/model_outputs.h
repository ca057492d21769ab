// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/parse.h"
#include "onnx/values.h"

#include <string>

namespace tenon::onnx {

/// Marks the outputs of the graph, under their names in the model.
class ModelOutputs {
public:
    ModelOutputs(Graph& graph, ParseOptions const& options) : graph_(graph), options_(options) {}

    /// Marks an output of the model; does nothing if its node could not be imported. An Error if nothing makes it.
    void markOutput(pb::ValueInfoProto const& output, Values& values);
    /// The tensor under that name: itself, or a copy if it has another name, as where a node passes its input on.
    Tensor* named(Tensor* tensor, std::string const& name, Values& values);

private:
    /// As in TensorRT's parser if an input is also an output: an engine has each name once.
    void renameInput(std::string const& name);
    Tensor* narrowed(Tensor* tensor, std::string const& name, Values& values);
    void warnOfType(pb::ValueInfoProto const& output, DataType found) const;

    Graph& graph_;
    ParseOptions const& options_;
};

} // namespace tenon::onnx

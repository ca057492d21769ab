// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/onnx_node.h"
#include "onnx/parse.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::onnx {

/// Decides what imports a node: an importer of the user, a built-in importer or a plugin.
class ImportLookup {
public:
    /// All three must stay valid while this object and the functions it returns are used. `model`: the one that is
    /// read, empty for a LoneNode; only its local functions are used, for error texts.
    ImportLookup(ParseOptions const& options, TensorReader const& tensors, Model const& model)
        : options_(options), tensors_(tensors), model_(model), importers_(options.importers) {}

    /// Whether an importer of the user or a built-in one exists for a node.
    IsKnown isKnown() const;
    /// The newest opset of the node's domain that an importer of its op supports; kNewestOpset if there is none.
    int newestOpset(pb::NodeProto const& node) const;
    /// A function that adds the node's layers and returns its outputs. The node must stay valid until the call. An
    /// Error if nothing imports the node.
    std::function<std::vector<Tensor*>(OnnxNode&)> importOf(FlatNode const& node) const;

private:
    /// Built-in importers by op and domain.
    class Importers {
    public:
        explicit Importers(std::span<ImporterList const> lists);
        Importer const* find(pb::NodeProto const& node) const;
        std::vector<std::string> ops() const;

    private:
        std::map<std::pair<std::string_view, std::string_view>, Importer const*> all_;
    };

    /// None if no importer of a user supports the node.
    std::function<std::vector<Tensor*>(OnnxNode&)> userImportOf(FlatNode const& node) const;
    std::vector<Tensor*> importCustom(FlatNode const& node, OnnxNode& reader) const;
    [[noreturn]] void failUnsupported(FlatNode const& flat) const;
    /// A call of a local function that the model has only with other overloads is an Error.
    void expectOverload(pb::NodeProto const& call) const;

    ParseOptions const& options_;
    TensorReader const& tensors_;
    Model const& model_;
    Importers importers_;
};

} // namespace tenon::onnx

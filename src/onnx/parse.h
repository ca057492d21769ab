// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "onnx/custom_nodes.h"
#include "onnx/importer.h"
#include "onnx/model.h"
#include "onnx/parse_error_code.h"
#include "onnx/proto.h"
#include "onnx/user_importers.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon::onnx {

struct ParseError {
    ParseErrorCode code = ParseErrorCode::InternalError;
    std::string text; // whole: where, what was found, what was expected, what to do
    int node = -1;    // index in the model; -1: not about a node
    std::string nodeName;
    std::string op;
    std::vector<std::string> functions; // local functions that the node stands in, outermost first
    SourceLine foundBy{"", 0, ""};      // the line of Tenon that found it; the file's path starts at src/
};

/// What became of one node of the model.
struct ParsedNode {
    enum class State {
        Imported,
        Failed,     // see the error with its index
        NotReached, // it has an importer, but reads what a failed one makes
    };

    int index = 0; // in the model
    std::string name;
    State state = State::Imported;
    std::vector<Tensor*> outputs;                // in the graph, in order; null for those that are left out
    std::vector<pb::ValueInfoProto> described{}; // the outputs of the file that are known, where that is asked for
};

struct ParseResult {
    std::vector<ParseError> errors;              // all that were found; empty: the graph holds the whole model
    std::vector<ParsedNode> nodes;               // in topological order
    std::map<std::string, std::string> metadata; // the model's metadata_props
    std::vector<WeightSource> weights;           // in the order of the nodes that read them first

    explicit operator bool() const { return errors.empty(); }
};

struct ParseOptions {
    CustomNodes* customNodes = nullptr;     // null: an op without importer is an error
    UserImporters* userImporters = nullptr; // go before plugins and the importers here
    Log log;
    std::string path;          // of the model file, for messages and for external data beside it; may be empty
    bool pluginsFirst = false; // a registered plugin goes before the importers of the same op
    /// Values of initializers by name, raw as in the file, in place of those in the model. Not copied: they stay as
    /// they are while the graph lives.
    std::map<std::string, std::span<std::byte const>> initializers = {};
    /// Takes the place of each input's first extent, where it is set.
    std::optional<DimExpr> batch = {};
    bool describesOutputs = false; // of the model's nodes
    bool narrowsInt64 = false;     // inputs and outputs that are int64 in the file are int32
    /// Where nodes cannot be read, the graph gets the initializers too that no other node reads.
    bool keepsInitializers = false;
    std::span<ImporterList const> importers = allImporters();
    /// Keeps the bytes that are parsed; null: weights are copied.
    std::shared_ptr<void const> owner = {};
};

/// Adds a model to the graph: its inputs, nodes and outputs. Tensors get the names that they have in the model, nodes
/// too (or one from op and output). After an error the graph holds a part of the model and is of no use. Throws nothing
/// but std::bad_alloc.
ParseResult parse(std::span<std::byte const> model, Graph& graph, ParseOptions const& options = {});
/// Reads the model from options.path.
ParseResult parseFile(Graph& graph, ParseOptions const& options);

/// The same of a model that has been read; the graph refers to what it refers to.
ParseResult parseRead(Model const& model, Graph& graph, ParseOptions const& options);

/// A node that is in no model.
struct LoneNode {
    pb::NodeProto proto;         // without inputs and outputs; where it has no name, its operator names it
    std::vector<Tensor*> inputs; // of the graph; null: left out
    int outputs = 1;
    std::optional<int> opset = {}; // of its domain; without, the newest that is known here
};

/// Adds the node as parse() does, and returns its outputs, each a tensor of its own. They are named after the node,
/// and so are its layers, by its name if that is free, else with a number behind it. An Error, whose text is
/// that of a ParseError, leaves the graph as it was. Graphs inside of nodes have no place here.
std::vector<Tensor*> addNode(LoneNode const& node, Graph& graph, ParseOptions const& options = {});

/// Whether an op of ONNX's own domain has an importer.
bool hasImporter(std::string_view op);

} // namespace tenon::onnx

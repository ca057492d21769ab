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
    std::string text; // complete: where, found, expected, what to do
    int node = -1;    // index in the model; -1: not about a node
    std::string nodeName;
    std::string op;
    std::vector<std::string> functions; // local functions that contain the node, outermost first
    SourceLine foundBy{"", 0, ""};      // the line of Tenon that reported it; the file's path starts at src/
};

/// The result of importing one node of the model.
struct ParsedNode {
    enum class State {
        Imported,
        Failed,     // see the error with its index
        NotReached, // it has an importer, but reads the output of a failed node
    };

    int index = 0; // in the model
    std::string name;
    State state = State::Imported;
    std::vector<Tensor*> outputs;                // in the graph, in order; null for those that are left out
    std::vector<pb::ValueInfoProto> described{}; // the outputs of the file that are known, if requested
};

struct ParseResult {
    std::vector<ParseError> errors;              // all errors found; empty: the graph holds the whole model
    std::vector<ParsedNode> nodes;               // in topological order
    std::map<std::string, std::string> metadata; // the model's metadata_props
    std::vector<WeightSource> weights;           // in the order of the nodes that first read them

    explicit operator bool() const { return errors.empty(); }
};

struct ParseOptions {
    CustomNodes* customNodes = nullptr;     // null: an op without importer is an error
    UserImporters* userImporters = nullptr; // take precedence over plugins and built-in importers
    Log log;
    std::string path;          // of the model file, for messages and for external data beside it; may be empty
    bool pluginsFirst = false; // a registered plugin takes precedence over the importers of the same op
    /// Values of initializers by name, raw as in the file, which replace those in the model. Not copied: they must stay
    /// valid while the graph lives.
    std::map<std::string, std::span<std::byte const>> initializers = {};
    /// Replaces each input's first extent, if set.
    std::optional<DimExpr> batch = {};
    bool describesOutputs = false; // of the model's nodes
    bool narrowsInt64 = false;     // inputs and outputs that are int64 in the file are int32
    /// If nodes cannot be imported, the graph also gets the initializers that no other node reads.
    bool keepsInitializers = false;
    std::span<ImporterList const> importers = allImporters();
    /// Keeps the parsed bytes alive; null: weights are copied.
    std::shared_ptr<void const> owner = {};
};

/// Adds a model to the graph: its inputs, nodes and outputs. Tensors and nodes keep their names in the model (unnamed
/// nodes get one from op and output). After an error the graph holds a part of the model and is of no use. Throws only
/// std::bad_alloc.
ParseResult parse(std::span<std::byte const> model, Graph& graph, ParseOptions const& options = {});
/// Reads the model from options.path.
ParseResult parseFile(Graph& graph, ParseOptions const& options);

/// The same for a model that has been read; the graph refers to the model's data.
ParseResult parseRead(Model const& model, Graph& graph, ParseOptions const& options);

/// A node outside of any model.
struct LoneNode {
    pb::NodeProto proto;         // without inputs and outputs; an unnamed one is named after its operator
    std::vector<Tensor*> inputs; // of the graph; null: left out
    int outputs = 1;
    std::optional<int> opset = {}; // of its domain; if missing, the newest supported one
};

/// Adds the node as parse() does, and returns its outputs, each a tensor of its own. They and its layers are named
/// after the node; a number is appended if that name is taken. An Error, with the text of a ParseError, leaves the
/// graph unchanged. Graphs inside of nodes are not supported here.
std::vector<Tensor*> addNode(LoneNode const& node, Graph& graph, ParseOptions const& options = {});

/// Whether an op of ONNX's own domain has an importer.
bool hasImporter(std::string_view op);

} // namespace tenon::onnx

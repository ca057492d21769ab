// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "onnx/weight_source.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::onnx {

/// The graph's type of tensors of this ONNX type (a number of TensorProto.DataType, as attributes such as Cast's `to`
/// give it): as in the file, or the nearest wider one that can hold every value (int16 → int32); float64 becomes
/// float32. An Error names types that have none (string, complex). The table is in types.cpp.
DataType dataTypeOf(int64_t onnxType);

/// A graph inside of a node.
struct BodySize {
    int inputs = 0;
    int outputs = 0;
    int64_t nodes = 0; // those of graphs inside of it too
};

/// A copy of a graph inside of a node that replaces the node.
struct BodyCopy {
    std::string_view attribute;    // that holds it
    std::vector<Tensor*> inputs{}; // the values of its inputs
    std::string part{};            // prefix that distinguishes the copies' names; may be empty
    int64_t copies = 1;            // how many there will be
};

/// A graph inside of a node as a graph of its own.
struct BodyGraph {
    Graph graph;
    /// The tensors that it reads from outside of the node: its inputs after those that the importer gave it. Constants
    /// are copied into it.
    std::vector<Tensor*> captures{};
};

/// One ONNX node as its importer sees it. A missing part of the model is an Error; the parser prepends the node's name,
/// type, domain, opset and file.
class NodeReader {
public:
    virtual ~NodeReader() = default;

    virtual std::string_view op() const = 0;     // "Softmax"
    virtual std::string_view domain() const = 0; // "" for ONNX's own
    virtual int opset() const = 0;               // version of the domain that the model imports

    virtual int inputCount() const = 0;
    virtual int outputCount() const = 0;     // those that the node names; trailing unnamed ones are not counted
    virtual bool hasInput(int i) const = 0;  // false for an optional one left out ("" in the file)
    virtual bool hasOutput(int i) const = 0; // named in the file: it may be read
    virtual Tensor* input(int i) const = 0;  // an Error if it is left out
    /// The elements of an input that must be known when the model is read; an Error if they are not.
    virtual Literal const& constantInput(int i) const = 0;
    /// The same for an input that holds one element.
    virtual int64_t constantScalar(int i) const = 0;

    /// The type of an input in the model (a number of TensorProto.DataType), which the graph may store in a wider one:
    /// 21 for a uint4, whose tensor in the graph is uint8.
    virtual int64_t elementType(int i) const = 0;
    /// Sets that type of a tensor that the importer makes. Otherwise an output has the model type of an input with the
    /// same type in the graph, else the graph's.
    virtual void setElementType(Tensor const& output, int64_t onnxType) = 0;

    virtual bool has(std::string_view attribute) const = 0;
    // with a default for an absent attribute; an attribute of another type is an Error
    virtual int64_t integer(std::string_view attribute, int64_t otherwise) const = 0;
    virtual float real(std::string_view attribute, float otherwise) const = 0;
    virtual std::string string(std::string_view attribute, std::string_view otherwise) const = 0;
    virtual std::vector<int64_t> integers(std::string_view attribute, std::vector<int64_t> otherwise) const = 0;
    virtual std::vector<float> reals(std::string_view attribute, std::vector<float> otherwise) const = 0;
    virtual std::vector<std::string> strings(std::string_view attribute) const = 0; // empty if absent
    /// For attributes that do not affect computed values. An attribute that an importer neither reads nor ignores is an
    /// Error.
    virtual void ignore(std::initializer_list<std::string_view> attributes) const = 0;
    // required: absent is an Error
    virtual int64_t integer(std::string_view attribute) const = 0;
    virtual Literal tensor(std::string_view attribute) const = 0;

    /// The graph in an attribute; an Error if it is absent.
    virtual BodySize body(std::string_view attribute) const = 0;
    /// Adds the nodes of that graph, which read its inputs and tensors outside of this node, and returns its outputs.
    /// An Error if a node in it could not be added; the parser has reported that node too.
    virtual std::vector<Tensor*> addBody(BodyCopy const& copy) = 0;
    /// That graph as one of its own; its inputs are the tensors that `addInputs` adds to it and returns. Errors as of
    /// addBody().
    virtual BodyGraph outline(std::string_view attribute,
                              std::function<std::vector<Tensor*>(Graph& graph)> const& addInputs) = 0;
    /// Those graphs, each as a graph of its own, extended by the nodes after this one that depend on it, up to the
    /// outputs of the outer graph. So the tensors of each may have ranks of their own. nullopt for one that cannot be
    /// extended; empty if no node follows, or the nesting is too deep. Those that are returned agree in the ranks of
    /// their outputs, unless the outer graph is the model's.
    virtual std::vector<std::optional<BodyGraph>> outlineToEnd(std::span<std::string_view const> attributes) = 0;
    /// The importer returns the outputs of the graphs of outlineToEnd(); no node is left after this one.
    virtual void endHere() = 0;
    /// An extent or element in that graph that differs between trips; no other graph around it has one of this name.
    virtual DimExpr unknown(std::string_view what) const = 0;
    /// The number of copies for which a network is still built quickly.
    virtual bool isSmall(std::string_view attribute, int64_t copies) const = 0;
    /// Removes the layers, except constants, that were added since the graph had this many. Nothing else may read them.
    virtual void takeBack(size_t layers) = 0;

    virtual Graph& graph() = 0;

    /// Adds a layer named after the ONNX node (with a suffix for the second and later ones).
    virtual Node* addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) = 0;
    template <class T> Tensor* add(T layer, std::vector<Tensor*> inputs) {
        return addLayer(std::make_unique<T>(std::move(layer)), std::move(inputs))->output();
    }
    /// A constant tensor in the graph.
    virtual Tensor* constant(Literal value) = 0;
    /// The same with the origin of its elements, which allows refitting them without the model. For a
    /// BatchNormalization, inputs 1 to 4 are the sources.
    virtual Tensor* constant(Literal value, WeightOrigin origin, float epsilon = 0) = 0;
};

/// Adds the node to the graph and returns its outputs in order (null for those that are left out).
using Import = std::vector<Tensor*> (*)(NodeReader& node);

/// The newest opset of ONNX's own domain whose operators were compared with the importers.
constexpr int kNewestOpset = 28;

/// One operator for the parser's lookup. An importer serves all opsets: where versions differ it checks node.opset().
struct Importer {
    std::string_view op;
    Import import;
    std::string_view domain = "";
    /// The last opset before a change of the operator that the importer does not support; nodes of later opsets are
    /// refused.
    int lastOpset = kNewestOpset;
};

/// src/layers/<name>/<name>_onnx.cpp and src/onnx/nodes/<name>.cpp define
/// `ImporterList tenon::onnx::<name>Importers() { static constexpr Importer all[]{{"Softmax", importSoftmax}}; return
/// all; }`; the file's name is the registration.
using ImporterList = std::span<Importer const>;

/// All importers; the build generates this list from those files.
std::span<ImporterList const> allImporters();

} // namespace tenon::onnx

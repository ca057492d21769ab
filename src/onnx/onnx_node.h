// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"
#include "onnx/attributes.h"
#include "onnx/flat_nodes.h"
#include "onnx/importer.h"
#include "onnx/values.h"

#include <map>
#include <set>

namespace tenon::onnx {

/// The result of copying a graph inside of a node.
struct AddedBody {
    std::vector<Tensor*> outputs;
    std::vector<Node*> nodes;
};

/// Imports graphs inside of nodes: implemented by the parser.
class BodyImporter {
public:
    virtual AddedBody add(FlatNode const& around, pb::GraphProto const& body, BodyCopy const& copy, Values& values) = 0;
    using AddInputs = std::function<std::vector<Tensor*>(Graph& graph)>;
    virtual BodyGraph outline(FlatNode const& around, std::string_view attribute, pb::GraphProto const& body,
                              AddInputs const& addInputs, Values& values) = 0;
    /// A graph in an attribute of a node.
    struct BodyAttribute {
        std::string_view attribute;
        pb::GraphProto const* body;
    };
    virtual std::vector<std::optional<BodyGraph>> outlineToEnd(FlatNode const& around,
                                                               std::span<BodyAttribute const> held, Values& values) = 0;

protected:
    ~BodyImporter() = default;
};

/// A node of the file as its importer sees it.
class OnnxNode final : public NodeReader {
public:
    OnnxNode(FlatNode const& node, Graph& graph, Values& values, TensorReader const& tensors, BodyImporter& bodies);

    std::string_view op() const override { return proto_.opType; }
    std::string_view domain() const override { return domainOf(proto_); }
    int opset() const override;

    int inputCount() const override;
    int outputCount() const override;
    bool hasInput(int i) const override;
    bool hasOutput(int i) const override { return isNamed(proto_.output, i); }
    Tensor* input(int i) const override;
    Literal const& constantInput(int i) const override;
    int64_t constantScalar(int i) const override;
    int64_t elementType(int i) const override;
    void setElementType(Tensor const& output, int64_t onnxType) override;

    bool has(std::string_view attribute) const override;
    int64_t integer(std::string_view attribute, int64_t otherwise) const override;
    float real(std::string_view attribute, float otherwise) const override;
    std::string string(std::string_view attribute, std::string_view otherwise) const override;
    std::vector<int64_t> integers(std::string_view attribute, std::vector<int64_t> otherwise) const override;
    std::vector<float> reals(std::string_view attribute, std::vector<float> otherwise) const override;
    std::vector<std::string> strings(std::string_view attribute) const override;
    void ignore(std::initializer_list<std::string_view> attributes) const override;
    int64_t integer(std::string_view attribute) const override;
    Literal tensor(std::string_view attribute) const override;

    BodySize body(std::string_view attribute) const override;
    std::vector<Tensor*> addBody(BodyCopy const& copy) override;
    BodyGraph outline(std::string_view attribute, BodyImporter::AddInputs const& addInputs) override;
    std::vector<std::optional<BodyGraph>> outlineToEnd(std::span<std::string_view const> attributes) override;
    void endHere() override { isEnd_ = true; }
    DimExpr unknown(std::string_view what) const override;
    bool isSmall(std::string_view attribute, int64_t copies) const override;
    void takeBack(size_t layers) override;

    Graph& graph() override { return graph_; }
    Node* addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) override;
    Tensor* constant(Literal value) override;
    Tensor* constant(Literal value, WeightOrigin origin, float epsilon) override;

    /// Adds copies of the nodes of another graph, with some of its tensors replaced by tensors of this one; returns its
    /// outputs here. The copies get the node's name and '/' as a prefix.
    std::vector<Tensor*> addGraph(Graph const& body, StandIns standIns);
    std::vector<pb::AttributeProto> const& attributes() const { return proto_.attribute; }
    pb::AttributeProto const* attribute(std::string_view name, AttributeType type) const { return find(name, type); }

    /// All inputs, null where one is left out.
    std::vector<Tensor*> inputs() const;
    /// The name in the file, or one from op and output.
    std::string const& name() const { return name_; }
    /// An Error names an input that the importer did not query, or an attribute that it neither read nor ignored: its
    /// effect would be lost. `remedy`: what to do about it.
    void expectAllRead(std::string_view remedy) const;
    /// Sets the type in the model of an output, if the importer has not.
    void settleElementType(Tensor const& output);
    /// Whether a tensor comes from a layer that this node added.
    bool made(Tensor const& tensor) const;
    /// It replaces all nodes after it.
    bool isEnd() const { return isEnd_; }
    /// The nodes that it added to the graph.
    std::vector<Node*> const& added() const { return added_; }

private:
    static bool isNamed(std::vector<std::string> const& names, int i) {
        return static_cast<size_t>(i) < names.size() && !names[static_cast<size_t>(i)].empty();
    }
    /// Used by all readers: marks the attribute as read.
    pb::AttributeProto const* find(std::string_view attribute, AttributeType type) const;
    pb::AttributeProto const* taken(pb::AttributeProto const* attribute) const;
    pb::GraphProto const& graphOf(std::string_view attribute) const;

    FlatNode const& node_;
    pb::NodeProto const& proto_;
    Graph& graph_;
    Values& values_;
    TensorReader const& tensors_;
    BodyImporter& bodies_;
    std::string name_;
    std::vector<Node*> added_;
    bool isEnd_ = false;
    mutable std::map<int, Literal> constants_;
    mutable std::set<pb::AttributeProto const*> taken_;
    mutable std::set<int> asked_;                      // inputs
    mutable std::optional<ElementType> attributeType_; // of the tensor in the attribute
};

/// "conv1", or "Conv_y" for an unnamed node that makes y.
std::string nodeName(pb::NodeProto const& node);

} // namespace tenon::onnx

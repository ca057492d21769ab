// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/body.h"

#include "base/error.h"
#include "graph/dim_bounds.h"
#include "graph/evaluate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace tenon {
namespace {

constexpr int64_t kMostOutputs = 10'000; // of one node

struct InputFields {
    std::string name;
    DataType type = DataType::Float32;

    void fields(Fields& f) {
        f("name", name);
        f("type", type);
    }
};

struct NodeFields {
    std::string kind;
    std::string name;
    std::vector<int64_t> inputs; // tensors by number: first the graph's inputs, then the outputs of each node in turn
    int64_t outputs = 0;
    std::unique_ptr<Layer> layer;
};

/// The type requested for a node or for one of its outputs.
struct AskedFields {
    int64_t node = 0;
    int64_t output = -1; // -1: the node
    DataType type = DataType::Float32;
    bool isFirm = false;

    void fields(Fields& f) {
        f("node", node);
        f("output", output);
        f("type", type);
        f("firm", isFirm);
    }
};

/// A tensor that is kept as a debug tensor, with the name that applications use.
struct DebugFields {
    int64_t tensor = 0;
    std::string name;

    void fields(Fields& f) {
        f("tensor", tensor);
        f("name", name);
    }
};

struct QuantumFields {
    int64_t tensor = 0;
    double scale = 0;
    int64_t zero = 0;
    DataType integers = DataType::Int8;
    bool exact = false;

    void fields(Fields& f) {
        f("tensor", tensor);
        f("scale", scale);
        f("zero", zero);
        f("integers", integers);
        f("exact", exact);
    }

    Quantum quantum() const {
        bool const isOne = std::isfinite(scale) && scale > 0 && zero >= -128 && zero <= 255;
        if (!isOne || (integers != DataType::Int8 && integers != DataType::UInt8))
            fail(ErrorCode::InvalidPlan, "a tensor of a graph inside a layer is stored in ", integers, " with scale ",
                 scale, " and zero point ", zero);
        return {static_cast<float>(scale), static_cast<int32_t>(zero), integers, exact};
    }
};

/// Nesting depth of the body that is being visited.
class Depth {
public:
    Depth() {
        if (++depth() > kMostBodiesDeep) {
            --depth();
            fail(ErrorCode::InvalidPlan, "layers with graphs inside are nested more than ", kMostBodiesDeep, " deep");
        }
    }
    ~Depth() { --depth(); }
    Depth(Depth const&) = delete;
    Depth& operator=(Depth const&) = delete;

private:
    static int& depth() {
        thread_local int depth = 0;
        return depth;
    }
};

/// A graph and its description, in either direction.
class BodyFields {
public:
    explicit BodyFields(Graph& body) : body_(body) {
        name_ = body.name;
        std::unordered_map<Tensor const*, int64_t> numbers{{nullptr, -1}};
        auto const count = [&](Tensor const* tensor) {
            numbers.emplace(tensor, static_cast<int64_t>(numbers.size()) - 1);
            Quantum const& q = tensor->quantum;
            if (q.scale != 0) quanta_.push_back({numbers.at(tensor), double{q.scale}, q.zero, q.type, q.isExact});
            if (tensor->isDebug) debug_.push_back({numbers.at(tensor), tensor->name});
        };
        for (Tensor const* input : body.inputs()) {
            inputs_.push_back({input->name, input->type});
            count(input);
        }
        for (Node const* node : body.order()) {
            NodeFields one{std::string(node->kind()),
                           node->name,
                           {},
                           static_cast<int64_t>(node->outputs().size()),
                           node->layer->clone()};
            for (Tensor const* input : node->inputs()) one.inputs.push_back(numbers.at(input));
            for (Tensor const* output : node->outputs()) count(output);
            noteAsked(*node);
            nodes_.push_back(std::move(one));
        }
        for (Tensor const* output : body.outputs()) outputs_.push_back(numbers.at(output));
    }

    void visit(Fields& fields, std::string_view name) {
        fields.list(
            name, 1, [&](size_t count) { beginReading(count); }, [&](size_t, Fields& f) { visitGraph(f); });
        if (isRead_) body_ = graph();
    }

private:
    void noteAsked(Node const& node) {
        auto const number = static_cast<int64_t>(nodes_.size());
        if (node.askedType) asked_.push_back({number, -1, *node.askedType, node.isFirm});
        for (Tensor const* output : node.outputs()) {
            if (output->askedType) asked_.push_back({number, output->producerIndex(), *output->askedType});
        }
    }

    void beginReading(size_t count) {
        if (count != 1) fail(ErrorCode::InvalidPlan, "a layer has ", count, " graphs as one field");
        isRead_ = true;
        nodes_.clear();
    }

    void visitGraph(Fields& f) {
        f("name", name_);
        f("inputs", inputs_);
        f.list(
            "nodes", nodes_.size(), [&](size_t count) { nodes_.resize(count); },
            [&](size_t i, Fields& node) { visitNode(node, nodes_[i]); });
        f("outputs", outputs_);
        f("asked", asked_);
        f("quanta", quanta_);
        if (f.visits("debug", !debug_.empty())) f("debug", debug_);
    }

    static std::unique_ptr<Layer> layerOf(std::string const& kind, Fields& f) {
        auto const* const source = dynamic_cast<LayerSource const*>(&f);
        return source ? source->layerOf(kind) : makeLayer(kind);
    }

    void visitNode(Fields& f, NodeFields& node) const {
        f("kind", node.kind);
        f("name", node.name);
        f("inputs", node.inputs);
        f("outputs", node.outputs);
        if (isRead_) node.layer = layerOf(node.kind, f);
        f.list(
            "fields", 1, [](size_t) {}, [&](size_t, Fields& own) { node.layer->fields(own); });
        Literal const* const constant = node.layer->constant();
        if (constant && !*constant) fail(ErrorCode::InvalidPlan, node.name, ": a constant without a value");
    }

    Graph graph() {
        Graph graph;
        graph.name = name_;
        std::vector<Tensor*> tensors;
        auto const at = [&](int64_t number) {
            if (number < 0 || static_cast<size_t>(number) >= tensors.size())
                fail(ErrorCode::InvalidPlan, "a graph inside a layer reads tensor ", number, " of ", tensors.size(),
                     " before it is produced");
            return tensors[static_cast<size_t>(number)];
        };
        for (InputFields const& input : inputs_) tensors.push_back(graph.addInput(input.name, input.type, {}));
        for (NodeFields& node : nodes_) {
            if (node.outputs < 0 || node.outputs > kMostOutputs)
                fail(ErrorCode::InvalidPlan, node.name, ": has ", node.outputs, " outputs");
            std::vector<Tensor*> inputs;
            for (int64_t const number : node.inputs) inputs.push_back(number == -1 ? nullptr : at(number));
            Node* const made =
                graph.addUnchecked(std::move(node.layer), inputs, static_cast<int>(node.outputs), node.name);
            tensors.insert(tensors.end(), made->outputs().begin(), made->outputs().end());
        }
        for (int64_t const number : outputs_) {
            if (graph.isOutput(at(number))) fail(ErrorCode::InvalidPlan, "a graph inside a layer has an output twice");
            graph.markOutput(at(number));
        }
        for (QuantumFields const& one : quanta_) at(one.tensor)->quantum = one.quantum();
        for (AskedFields const& one : asked_) ask(graph, one);
        for (DebugFields const& one : debug_) {
            at(one.tensor)->isDebug = true;
            at(one.tensor)->name = one.name;
        }
        return graph;
    }

    static void ask(Graph const& graph, AskedFields const& asked) {
        auto const isBelow = [](int64_t number, size_t count) {
            return number >= 0 && static_cast<uint64_t>(number) < count;
        };
        Node* const node =
            isBelow(asked.node, graph.nodes().size()) ? graph.nodes()[static_cast<size_t>(asked.node)].get() : nullptr;
        if (!node || (asked.output != -1 && !isBelow(asked.output, node->outputs().size())))
            fail(ErrorCode::InvalidPlan, "a type is requested for output ", asked.output, " of node ", asked.node,
                 " of a graph inside a layer, which does not exist");
        if (asked.output == -1) node->isFirm = asked.isFirm;
        (asked.output == -1 ? node->askedType : node->output(static_cast<int>(asked.output))->askedType) = asked.type;
    }

    Graph& body_;
    bool isRead_ = false;
    std::string name_;
    std::vector<InputFields> inputs_;
    std::vector<NodeFields> nodes_;
    std::vector<int64_t> outputs_;
    std::vector<AskedFields> asked_;
    std::vector<QuantumFields> quanta_;
    std::vector<DebugFields> debug_;
};

std::optional<Shape> smallValues(Operand const& operand) {
    constexpr int64_t kMostValues = 256; // no shape depends on a longer list
    if (operand.values || !operand.literal || !isInteger(operand.type)) return operand.values;
    if (operand.literal->dims().volume() > kMostValues) return std::nullopt;
    auto const elements = operand.literal->toInt64();
    return Shape(elements.begin(), elements.end());
}

void addSymbols(Shape const& shape, std::set<std::string>& symbols) {
    for (DimExpr const& dim : shape) {
        (void)dim.substitute([&](std::string const& symbol) {
            symbols.insert(symbol);
            return std::optional<DimExpr>();
        });
    }
}

} // namespace

void visitBody(Fields& fields, std::string_view name, Graph& body) {
    if (auto* const taker = dynamic_cast<BodyTaker*>(&fields)) return taker->take(name, body);
    Depth const depth;
    BodyFields(body).visit(fields, name);
}

Node* addCopy(Graph& graph, Node const& node, std::vector<Tensor*> inputs, std::string name) {
    Node* const copy = graph.add(node.layer->clone(), std::move(inputs), std::move(name));
    copy->askedType = node.askedType;
    copy->isFirm = node.isFirm;
    copy->metadata = node.metadata;
    for (size_t i = 0; i < node.outputs().size(); ++i) {
        copy->outputs()[i]->quantum = node.outputs()[i]->quantum;
        copy->outputs()[i]->askedType = node.outputs()[i]->askedType;
        if (!node.outputs()[i]->isDebug) continue;
        copy->outputs()[i]->isDebug = true;
        copy->outputs()[i]->name = node.outputs()[i]->name; // the name that applications use for it
    }
    return copy;
}

std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, StandIns standIns,
                              std::function<std::string(Node const& node)> const& nameOf, std::vector<Node*>& added) {
    auto const isKnown = [&](Tensor const* tensor) { return standIns.contains(tensor); };
    standIns[nullptr] = nullptr;
    for (Node const* node : body.order()) {
        if (!node->outputs().empty() && std::ranges::all_of(node->outputs(), isKnown)) continue;
        std::vector<Tensor*> reads;
        for (Tensor const* input : node->inputs()) reads.push_back(standIns.at(input));
        added.push_back(addCopy(graph, *node, std::move(reads), nameOf(*node)));
        for (size_t i = 0; i < node->outputs().size(); ++i) standIns[node->outputs()[i]] = added.back()->outputs()[i];
    }
    std::vector<Tensor*> outputs;
    for (Tensor const* output : body.outputs()) outputs.push_back(standIns.at(output));
    return outputs;
}

std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, std::span<Tensor* const> inputs,
                              std::vector<Node*>& added) {
    StandIns standIns;
    for (size_t i = 0; i < inputs.size(); ++i) standIns[body.inputs()[i]] = inputs[i];
    return addNodes(
        graph, body, std::move(standIns), [](Node const& node) { return node.name; }, added);
}

void replaceNode(Graph& graph, Node* node, std::span<Tensor* const> outputs, std::vector<Node*>& added) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        Tensor* const from = node->outputs()[i];
        Tensor* to = outputs[i];
        if (graph.isOutput(from) || from->isDebug || from->askedType) { // the passed tensor may have other readers
            added.push_back(graph.add(makeLayer("Identity"), {to}));
            to = added.back()->output();
            to->isDebug = from->isDebug;
            to->askedType = from->askedType;
        }
        if (std::ranges::find(added, to->producer()) != added.end()) std::swap(from->name, to->name);
        graph.replaceUses(from, to);
    }
    graph.remove(node);
}

void forEachNode(Graph const& graph, std::function<void(Node&)> const& visit) {
    for (auto const& node : graph.nodes()) {
        visit(*node);
        for (Graph const* body : node->layer->bodies()) forEachNode(*body, visit);
    }
}

bool anyInside(Node const& node, std::function<bool(Node const&)> const& test) {
    bool found = false;
    for (Graph const* body : node.layer->bodies())
        forEachNode(*body, [&](Node const& inside) { found = found || test(inside); });
    return found;
}

void inferBody(Graph& body, std::span<Operand const> inputs) {
    if (inputs.size() != body.inputs().size())
        fail(ErrorCode::InvalidModel, "the graph inside has ", body.inputs().size(), " inputs, and receives ",
             inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
        Tensor& input = *body.inputs()[i];
        input.type = inputs[i].type;
        input.label.type = input.type;
        input.shape = inputs[i].shape;
        input.values = smallValues(inputs[i]);
    }
    std::vector<size_t> outputs;
    for (auto const& node : body.nodes()) outputs.push_back(node->outputs().size());
    body.infer();
    for (size_t i = 0; i < outputs.size(); ++i) {
        Node const& node = *body.nodes()[i];
        if (node.outputs().size() != outputs[i])
            fail(ErrorCode::InvalidModel, node, ": has ", node.outputs().size(), " outputs; the graph stores ",
                 outputs[i]);
    }
}

std::vector<Operand> inputsOfAllRuns(BodyInputs const& inputs, std::string_view prefix) {
    std::vector<Operand> operands = inputs.least;
    for (size_t i = 0; i < operands.size(); ++i) {
        Shape const& most = inputs.most[i].shape;
        for (size_t axis = 0; axis < most.size(); ++axis) {
            DimExpr& extent = operands[i].shape[axis];
            if (!(extent == most[axis])) extent = DimExpr::symbol(text(prefix, ".input", i, '.', axis));
        }
        if (operands[i].values != inputs.most[i].values) operands[i].values = {};
    }
    return operands;
}

std::vector<Literal> runByReference(Graph const& body, std::span<Literal const> inputs) {
    std::unordered_map<Tensor const*, Literal> values;
    for (size_t i = 0; i < inputs.size(); ++i) values[body.inputs()[i]] = inputs[i];
    for (Node const* node : body.order()) {
        std::vector<Literal const*> operands;
        for (Tensor const* input : node->inputs()) operands.push_back(input ? &values.at(input) : nullptr);
        auto outputs = evaluate(*node, operands);
        if (outputs.size() != node->outputs().size())
            fail(ErrorCode::Internal, *node, ": gives ", outputs.size(), " outputs; expected ", node->outputs().size());
        for (size_t i = 0; i < outputs.size(); ++i) values[node->outputs()[i]] = std::move(outputs[i]);
    }
    std::vector<Literal> results;
    for (Tensor const* output : body.outputs()) results.push_back(values.at(output));
    return results;
}

Literal lent(HostTensor const& tensor) { return Literal::borrowed(tensor.type, tensor.dims, tensor.data, nullptr); }

/// The largest value of an extent, whatever the run decides in a body: that of min(symbol, 6) is 6. The extent itself
/// if nothing bounds it, or if shapes outside are not known yet.
static DimExpr withoutUnknown(DimExpr const& extent, std::set<std::string> const& given) {
    constexpr int64_t kUnbounded = int64_t{1} << 48; // no extent is as large
    auto const bounds = boundsOf(extent, [&](std::string const& symbol) -> std::optional<Interval> {
        if (given.contains(symbol)) return std::nullopt;
        return Interval{0, INT64_MAX};
    });
    return bounds && bounds->most < kUnbounded ? DimExpr(bounds->most) : extent;
}

Shape atMost(Graph const& body, Shape shape) {
    std::unordered_map<std::string, DimExpr> bounds;
    for (auto const& node : body.nodes()) {
        for (SizeTensor const& size : node->layer->sizes(operandsOf(*node))) bounds.emplace(size.symbol, size.upper);
    }
    constexpr int kDeepest = 16; // the extent of an earlier node may give a bound
    for (int i = 0; i < kDeepest && !bounds.empty(); ++i) {
        for (DimExpr& dim : shape) {
            dim = dim.substitute([&](std::string const& symbol) -> std::optional<DimExpr> {
                auto const bound = bounds.find(symbol);
                if (bound == bounds.end()) return std::nullopt;
                return bound->second;
            });
        }
    }
    std::set<std::string> given;
    for (Tensor const* input : body.inputs()) {
        addSymbols(input->shape, given);
        if (input->values) addSymbols(*input->values, given);
    }
    for (DimExpr& dim : shape) dim = withoutUnknown(dim, given);
    return shape;
}

bool isDecidedInside(DimExpr const& extent, Operands const& in) {
    if (extent.isConstant()) return false;
    std::set<std::string> outside;
    for (int i = 0; i < in.count(); ++i) {
        addSymbols(in[i].shape, outside);
        if (in[i].values) addSymbols(*in[i].values, outside);
    }
    std::set<std::string> own;
    addSymbols({extent}, own);
    return !std::ranges::includes(outside, own);
}

std::optional<DimExpr> knownNumber(Operand const& operand) {
    if (operand.literal && operand.literal->dims().volume() == 1) return operand.literal->toInt64()[0];
    if (operand.values && operand.values->size() == 1) return operand.values->front();
    return std::nullopt;
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/graph.h"

#include "base/error.h"
#include "base/tensor_size.h"
#include "graph/cycle.h"
#include "graph/evaluate.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace tenon {
namespace {

void dropOne(std::vector<Node*>& readers, Node* node) {
    auto const found = std::ranges::find(readers, node);
    if (found != readers.end()) readers.erase(found);
}

/// Passes mostly remove recently added nodes, or the first of those left: both ends are searched at once.
template <class T> void eraseOwned(std::vector<std::unique_ptr<T>>& all, T const* one) {
    for (size_t i = 0, end = all.size(); i < (end + 1) / 2; ++i) {
        for (size_t const at : {i, end - 1 - i}) {
            if (all[at].get() != one) continue;
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
            return;
        }
    }
}

Operand operandOf(Tensor const* tensor) {
    if (tensor == nullptr) return {.present = false, .shape = {}, .values = {}};
    return {.type = tensor->type, .shape = tensor->shape, .values = tensor->values, .literal = tensor->literal()};
}

/// Elements that decide a shape may be computed from constants by layers whose rules do not track elements (a Cast of
/// floats).
void foldValues(Operand& operand, Tensor const* tensor) {
    constexpr int64_t kMostValues = 256; // no shape depends on a longer list
    if (!operand.present || operand.values || operand.literal || !isInteger(operand.type)) return;
    if (!isConstant(operand.shape) || toDims(operand.shape).volume() > kMostValues) return;
    auto const known = constantValue(*tensor);
    if (!known) return;
    auto const elements = known->toInt64();
    operand.values = Shape(elements.begin(), elements.end());
}

std::vector<Result> resultsOf(Node const& node) {
    auto const infer = [&] {
        auto results = node.layer->infer(operandsOf(node));
        for (Result const& result : results) {
            if (result.shape.size() > Dims::kMaxRank)
                fail(ErrorCode::Unsupported, "gives ", result.shape, ", a tensor of ", result.shape.size(),
                     " axes; expected at most ", Dims::kMaxRank);
            if (std::ranges::any_of(result.shape, [](DimExpr const& dim) { return dim.constantOr(0) < 0; }))
                fail(ErrorCode::InvalidArgument, "gives ", result.shape, "; expected extents of 0 or more");
            if (isConstant(result.shape)) expectHoldable(result.type, toDims(result.shape));
        }
        return results;
    };
    return locate([&] { return text(node); }, infer);
}

/// The readers of its outputs, once for each input that reads one.
std::vector<Node*> readersOf(Node const& node) {
    std::vector<Node*> all;
    for (Tensor const* output : node.outputs())
        all.insert(all.end(), output->readers().begin(), output->readers().end());
    return all;
}

[[noreturn]] void failForCycle(std::vector<std::unique_ptr<Node>> const& nodes,
                               std::unordered_map<Node const*, size_t> const& placeOf) {
    auto const cycle = findCycle(nodes.size(), [&](size_t i) {
        std::vector<size_t> producers;
        for (Tensor const* input : nodes[i]->inputs()) {
            if (input && input->producer()) producers.push_back(placeOf.at(input->producer()));
        }
        return producers;
    });
    fail(ErrorCode::InvalidModel,
         "the graph has a cycle through: ", cycleText(cycle, [&](size_t i) { return nodes[i]->name; }));
}

} // namespace

Literal const* Tensor::literal() const { return producer_ ? producer_->layer->constant() : nullptr; }

void append(std::string& to, Node const& node) { to += text(node.name, " (", node.kind(), ')'); }

Operands operandsOf(Node const& node) {
    std::vector<Operand> operands;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        operands.push_back(operandOf(node.inputs()[i]));
        if (node.layer->readsValuesOf(static_cast<int>(i))) foldValues(operands.back(), node.inputs()[i]);
    }
    return {std::move(operands), node.name, node.layer.get()};
}

MovedInputs movedInputs(Node const& node) { return node.layer->moved(operandsOf(node)); }

Graph::Graph(Graph const& other) : name(other.name), nextNumber_(other.nextNumber_) {
    std::unordered_map<Tensor const*, Tensor*> twin{{nullptr, nullptr}};
    for (auto const& tensor : other.tensors_) {
        tensors_.push_back(std::make_unique<Tensor>(*tensor));
        tensors_.back()->readers_.clear();
        twin[tensor.get()] = tensors_.back().get();
    }
    for (auto const& node : other.nodes_) {
        auto copy = std::make_unique<Node>();
        copy->name = node->name;
        copy->layer = node->layer->clone();
        copy->askedType = node->askedType;
        copy->isFirm = node->isFirm;
        copy->metadata = node->metadata;
        for (Tensor* input : node->inputs_) {
            copy->inputs_.push_back(twin[input]);
            if (input) twin[input]->readers_.push_back(copy.get());
        }
        for (Tensor* output : node->outputs_) {
            copy->outputs_.push_back(twin[output]);
            twin[output]->producer_ = copy.get();
        }
        nodes_.push_back(std::move(copy));
    }
    for (Tensor* input : other.inputs_) inputs_.push_back(twin[input]);
    for (Tensor* output : other.outputs_) outputs_.push_back(twin[output]);
}

Graph& Graph::operator=(Graph other) noexcept {
    std::swap(name, other.name);
    std::swap(nodes_, other.nodes_);
    std::swap(tensors_, other.tensors_);
    std::swap(inputs_, other.inputs_);
    std::swap(outputs_, other.outputs_);
    std::swap(nextNumber_, other.nextNumber_);
    return *this;
}

Tensor* Graph::newTensor(std::string name, Node* producer, int index) {
    auto tensor = std::make_unique<Tensor>();
    tensor->name = std::move(name);
    tensor->producer_ = producer;
    tensor->index_ = index;
    tensors_.push_back(std::move(tensor));
    return tensors_.back().get();
}

void Graph::dropTensor(Tensor* tensor) { eraseOwned(tensors_, tensor); }

Tensor* Graph::addInput(std::string name, DataType type, Shape shape) {
    if (shape.size() > Dims::kMaxRank)
        fail(ErrorCode::Unsupported, "input ", name, " has ", shape.size(), " axes; expected at most ", Dims::kMaxRank);
    if (isConstant(shape)) locate([&] { return text("input ", name); }, [&] { expectHoldable(type, toDims(shape)); });
    Tensor* tensor = newTensor(std::move(name), nullptr, 0);
    tensor->type = type;
    tensor->shape = std::move(shape);
    tensor->label.type = type;
    inputs_.push_back(tensor);
    return tensor;
}

void Graph::removeInput(Tensor* tensor) {
    std::erase(inputs_, tensor);
    dropTensor(tensor);
}

void Graph::markOutput(Tensor* tensor) {
    if (!isOutput(tensor)) outputs_.push_back(tensor);
}

void Graph::unmarkOutput(Tensor* tensor) { std::erase(outputs_, tensor); }

void Graph::replaceOutput(Tensor* from, Tensor* to) {
    std::ranges::replace(outputs_, from, to);
    std::swap(from->name, to->name);
    std::swap(from->isDebug, to->isDebug);
}

bool Graph::isOutput(Tensor const* tensor) const { return std::ranges::find(outputs_, tensor) != outputs_.end(); }

Tensor* Graph::tensorNamed(std::string_view wanted) const {
    for (auto const& tensor : tensors_) {
        if (tensor->name == wanted) return tensor.get();
    }
    return nullptr;
}

Node* Graph::addUnchecked(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs, int outputs,
                          std::string nodeName) {
    auto owned = std::make_unique<Node>();
    Node* node = owned.get();
    node->name = nodeName.empty() ? text(layer->kind(), '_', nextNumber_++) : std::move(nodeName);
    node->layer = std::move(layer);
    nodes_.push_back(std::move(owned));
    setInputs(node, std::move(inputs));
    resizeOutputs(node, outputs);
    return node;
}

Node* Graph::add(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs, std::string nodeName) {
    Node* node = addUnchecked(std::move(layer), std::move(inputs), 0, std::move(nodeName));
    try {
        infer(node);
    } catch (...) {
        remove(node);
        throw;
    }
    return node;
}

void Graph::setInput(Node* node, int index, Tensor* tensor) {
    auto const at = static_cast<size_t>(index);
    if (node->inputs_.size() <= at) node->inputs_.resize(at + 1, nullptr);
    if (node->inputs_[at]) dropOne(node->inputs_[at]->readers_, node);
    node->inputs_[at] = tensor;
    if (tensor) tensor->readers_.push_back(node);
}

void Graph::setInputs(Node* node, std::vector<Tensor*> inputs) {
    for (Tensor* input : node->inputs_) {
        if (input) dropOne(input->readers_, node);
    }
    node->inputs_ = std::move(inputs);
    for (Tensor* input : node->inputs_) {
        if (input) input->readers_.push_back(node);
    }
}

void Graph::replaceUses(Tensor* from, Tensor* to) {
    std::vector<Node*> const readers = from->readers_;
    for (Node* reader : readers) {
        for (size_t i = 0; i < reader->inputs_.size(); ++i) {
            if (reader->inputs_[i] == from) setInput(reader, static_cast<int>(i), to);
        }
    }
    std::ranges::replace(outputs_, from, to);
    if (to->quantum.scale == 0 && to->type == from->type) to->quantum = from->quantum;
}

void Graph::remove(Node* node) {
    for (Tensor* output : node->outputs_) {
        if (!output->readers_.empty() || isOutput(output))
            fail(ErrorCode::Internal, "removing ", *node, " whose output ", output->name, " is still read");
    }
    setInputs(node, {});
    resizeOutputs(node, 0);
    eraseOwned(nodes_, node);
}

void Graph::resizeOutputs(Node* node, int count) {
    while (static_cast<int>(node->outputs_.size()) > count) {
        Tensor const* last = node->outputs_.back();
        if (!last->readers_.empty() || isOutput(last))
            fail(ErrorCode::InvalidModel, *node, ": has ", count, " outputs; ", last->name, " is read by another node");
        dropTensor(node->outputs_.back());
        node->outputs_.pop_back();
    }
    for (int i = static_cast<int>(node->outputs_.size()); i < count; ++i)
        node->outputs_.push_back(newTensor(text(node->name, ':', i), node, i));
}

void Graph::infer(Node* node) {
    auto results = resultsOf(*node);
    resizeOutputs(node, static_cast<int>(results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
        Tensor& tensor = *node->outputs_[i];
        tensor.type = results[i].type;
        tensor.shape = std::move(results[i].shape);
        tensor.values = std::move(results[i].values);
        tensor.label.type = tensor.type;
    }
}

void Graph::infer() {
    for (Node* node : order()) infer(node);
}

std::vector<Node*> Graph::order() const {
    // As if the nodes were swept repeatedly in the order in which they were added, which keeps that order wherever the
    // edges allow it. The key of a node is its sweep and its position in it.
    using Turn = std::pair<size_t, size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> ready;
    std::unordered_map<Node const*, size_t> placeOf;
    std::vector<int64_t> waitsFor;
    for (auto const& node : nodes_) {
        placeOf[node.get()] = waitsFor.size();
        waitsFor.push_back(std::ranges::count_if(node->inputs_, [](Tensor* t) { return t && t->producer_; }));
        if (waitsFor.back() == 0) ready.push({0, waitsFor.size() - 1});
    }
    std::vector<Node*> ordered;
    while (!ready.empty()) {
        auto const [sweep, place] = ready.top();
        ready.pop();
        ordered.push_back(nodes_[place].get());
        for (Node const* reader : readersOf(*ordered.back())) {
            size_t const there = placeOf.at(reader);
            if (--waitsFor[there] == 0) ready.push({there > place ? sweep : sweep + 1, there});
        }
    }
    if (ordered.size() < nodes_.size()) failForCycle(nodes_, placeOf);
    return ordered;
}

void Graph::check() const {
    std::unordered_map<Tensor const*, bool> known{{nullptr, true}};
    for (auto const& tensor : tensors_) known[tensor.get()] = true;
    for (Tensor const* output : outputs_) {
        if (!known.contains(output)) fail(ErrorCode::InvalidModel, "an output of the graph is not a tensor of it");
    }
    for (Node* node : order()) {
        for (Tensor const* input : node->inputs_) {
            if (!known.contains(input)) fail(ErrorCode::InvalidModel, *node, ": an input belongs to another graph");
        }
        auto const results = resultsOf(*node);
        if (results.size() != node->outputs_.size())
            fail(ErrorCode::Internal, *node, ": has ", node->outputs_.size(), " outputs, its rule says ",
                 results.size());
    }
}

std::string print(Graph const& graph) {
    auto const described = [](std::vector<Tensor*> const& tensors) {
        std::string all;
        for (Tensor const* t : tensors) {
            if (!all.empty()) all += ", ";
            all += t ? text(t->name, ' ', t->label, ' ', t->shape) : "-";
        }
        return all;
    };
    std::string printed = text("inputs ", described(graph.inputs()), '\n');
    for (Node const* node : graph.order()) {
        printed += text("  ", *node, " [", printFields(*node->layer), "] ", described(node->inputs()), " -> ",
                        described(node->outputs()), '\n');
    }
    return printed + text("outputs ", described(graph.outputs()), '\n');
}

} // namespace tenon

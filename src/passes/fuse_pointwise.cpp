// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_pointwise.h"

#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/pointwise/pointwise.h"
#include "layers/scale/scale.h"
#include "passes/joined_constants.h"
#include "passes/matchers.h"
#include "passes/simplify_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace tenon {
namespace {

using enum PointwiseOp;

constexpr size_t kMostInputs = 8;
constexpr size_t kMostSteps = 32;

/// Steps on tensors, from which a Pointwise node is made.
struct Tree {
    std::vector<Tensor*> inputs;
    std::vector<PointwiseStep> steps;

    int64_t result() const { return static_cast<int64_t>(inputs.size() + steps.size()) - 1; }

    /// The index of a tensor among the inputs. New ones shift the results of steps up.
    int64_t input(Tensor* tensor) {
        auto const found = std::ranges::find(inputs, tensor);
        auto const number = found - inputs.begin();
        if (found != inputs.end()) return number;
        inputs.push_back(tensor);
        for (PointwiseStep& step : steps) {
            if (step.a >= number) ++step.a;
            if (step.b >= number) ++step.b;
        }
        return number;
    }
};

/// The number that a constant operand is, if it does not change the shape of the result.
std::optional<double> singleNumber(Node const& node, int input) {
    Tensor const& tensor = *node.input(input);
    Tensor const& other = *node.input(1 - input);
    if (other.literal() != nullptr || tensor.shape.size() > other.shape.size()) return std::nullopt;
    return numberIn(&tensor);
}

using Steps = std::vector<PointwiseStep>; // on x, which is operand 0; results from 1 on

/// x^0.5 is missing here: of -infinity it is infinity and of -0 it is 0, unlike the root.
std::optional<Steps> powerOf(double exponent) {
    if (exponent == 1) return Steps{{Affine, 0, -1, 1, 0}};
    if (exponent == 2) return Steps{{Prod, 0, 0}};
    if (exponent == 3) return Steps{{Prod, 0, 0}, {Prod, 0, 1}};
    if (exponent == -1) return Steps{{Recip, 0}};
    return std::nullopt;
}

/// x + number; not for 0, which turns -0 into 0.
std::optional<Steps> shiftBy(double number) {
    if (number != 0) return Steps{{Affine, 0, -1, 1, number}};
    return std::signbit(number) ? std::optional(Steps{{Affine, 0, -1, 1, 0}}) : std::nullopt;
}

/// op(x, number)
std::optional<Steps> withRight(PointwiseOp op, double number) {
    double const infinity = std::numeric_limits<double>::infinity();
    bool const isBound = !std::isnan(number);
    auto const reciprocal = exactReciprocal(number);
    switch (op) {
    case Sum: return shiftBy(number);
    case Sub: return shiftBy(-number);
    case Prod: return Steps{{Affine, 0, -1, number, 0}};
    case Div: return reciprocal ? std::optional(Steps{{Affine, 0, -1, *reciprocal, 0}}) : std::nullopt;
    case Max: return isBound ? std::optional(Steps{{Clip, 0, -1, number, infinity}}) : std::nullopt;
    case Min: return isBound ? std::optional(Steps{{Clip, 0, -1, -infinity, number}}) : std::nullopt;
    case ParametricRelu: return Steps{{LeakyRelu, 0, -1, number, 0}};
    case Pow: return powerOf(number);
    default: return std::nullopt;
    }
}

/// op(number, x)
std::optional<Steps> withLeft(PointwiseOp op, double number) {
    switch (op) {
    case Sum:
    case Prod:
    case Max:
    case Min: return withRight(op, number);
    case Sub: return number != 0 ? std::optional(Steps{{Affine, 0, -1, -1, number}}) : std::nullopt;
    case Div: return number == 1 ? std::optional(Steps{{Recip, 0}}) : std::nullopt;
    default: return std::nullopt;
    }
}

Tree treeOf(Node const& node, Elementwise const& layer) {
    for (int i : {0, 1}) {
        auto const number = singleNumber(node, i);
        auto steps = !number  ? std::nullopt
                     : i == 1 ? withRight(layer.operation, *number)
                              : withLeft(layer.operation, *number);
        if (steps) return {{node.input(1 - i)}, std::move(*steps)};
    }
    bool const same = node.input(0) == node.input(1);
    if (same) return {{node.input(0)}, {{layer.operation, 0, 0}}};
    return {node.inputs(), {layer.step()}};
}

/// A constant with the elements of another one.
Tensor* reshaped(Graph& graph, Tensor const& constant, Dims const& dims) {
    Constant layer(constant.literal()->reshaped(dims));
    layer.isOpen = isOpen(constant);
    return graph.emit(std::move(layer), {});
}

/// Weights with the shape in which they broadcast; nullopt if they are not constants or the shape is not known yet.
std::optional<Tree> treeOf(Graph& graph, Node const& node, Scale const& layer) {
    Shape const shape = layer.weightShape(node.input(0)->shape);
    Tree tree{{node.input(0)}, {}};
    for (int i = 1; i < static_cast<int>(node.inputs().size()); ++i) {
        if (node.input(i) == nullptr) continue;
        Literal const* literal = node.input(i)->literal();
        if (literal == nullptr || !isConstant(shape)) return std::nullopt;
        tree.inputs.push_back(reshaped(graph, *node.input(i), toDims(shape)));
    }
    tree.steps = Scale::steps(node.input(1), node.input(2), node.input(3));
    return tree;
}

/// The node as steps; nullopt for those that are not elementwise on floating point numbers.
std::optional<Tree> treeOf(Graph& graph, Node const& node) {
    if (node.outputs().size() != 1 || !isFloat(node.output()->type)) return std::nullopt;
    if (auto const* layer = as<Elementwise>(*node.layer)) return treeOf(node, *layer);
    if (auto const* layer = as<Scale>(*node.layer)) return treeOf(graph, node, *layer);
    auto steps = stepsOf(node);
    return steps ? std::optional(Tree{node.inputs(), std::move(*steps)}) : std::nullopt;
}

/// Replaces input `at` of the tree by the steps that compute it.
void inlineInput(Tree& tree, size_t at, Tree const& producer) {
    Tree joined{producer.inputs, producer.steps};
    std::vector<int64_t> number(tree.inputs.size());
    for (size_t i = 0; i < tree.inputs.size(); ++i) {
        if (i != at) number[i] = joined.input(tree.inputs[i]);
    }
    number[at] = joined.result();
    auto const before = static_cast<int64_t>(tree.inputs.size());
    int64_t const offset = joined.result() + 1 - before;
    auto const renumbered = [&](int64_t operand) {
        if (operand < 0) return operand;
        return operand < before ? number[static_cast<size_t>(operand)] : operand + offset;
    };
    for (PointwiseStep step : tree.steps) {
        step.a = renumbered(step.a);
        step.b = renumbered(step.b);
        joined.steps.push_back(step);
    }
    tree = std::move(joined);
}

class Fuser {
public:
    explicit Fuser(Graph& graph) : graph_(graph) {}

    void run() {
        for (Node* node : graph_.order()) {
            auto tree = treeOf(graph_, *node);
            if (tree) fuse(node, std::move(*tree));
        }
        for (Node* node : graph_.order()) {
            if (auto const* layer = as<Pointwise>(*node->layer))
                setTree(node, {node->inputs(), layer->steps}, recogniseMultiples);
        }
    }

private:
    void fuse(Node* node, Tree tree) {
        setTree(node, std::move(tree));
        while (Node* producer = fusableProducer(*node)) {
            Tree joined{node->inputs(), as<Pointwise>(*node->layer)->steps};
            auto const at = std::ranges::find(joined.inputs, producer->output()) - joined.inputs.begin();
            inlineInput(joined, static_cast<size_t>(at), {producer->inputs(), as<Pointwise>(*producer->layer)->steps});
            setTree(node, std::move(joined));
            graph_.remove(producer);
        }
    }

    using Simplify = void(std::vector<PointwiseStep>&, int, std::span<std::optional<double> const>);

    void setTree(Node* node, Tree tree, Simplify& simplify = simplifySteps) {
        std::vector<std::optional<double>> numbers;
        for (Tensor const* input : tree.inputs) numbers.push_back(numberIn(input));
        simplify(tree.steps, static_cast<int>(tree.inputs.size()), numbers);
        dropUnreadInputs(tree);
        for (Tensor*& input : tree.inputs) input = withRank(input, node->output()->shape.size());
        auto layer = std::make_unique<Pointwise>();
        layer->steps = std::move(tree.steps);
        node->layer = std::move(layer);
        std::set<Tensor*> const before(node->inputs().begin(), node->inputs().end());
        graph_.setInputs(node, std::move(tree.inputs));
        for (Tensor* tensor : before) removeConstant(tensor);
    }

    static void dropUnreadInputs(Tree& tree) {
        for (size_t i = tree.inputs.size(); i-- > 0;) {
            auto const number = static_cast<int64_t>(i);
            bool const read = std::ranges::any_of(
                tree.steps, [&](PointwiseStep const& step) { return step.a == number || step.b == number; });
            if (read || tree.inputs.size() == 1) continue;
            tree.inputs.erase(tree.inputs.begin() + static_cast<std::ptrdiff_t>(i));
            for (PointwiseStep& step : tree.steps) {
                if (step.a > number) --step.a;
                if (step.b > number) --step.b;
            }
        }
    }

    Tensor* withRank(Tensor* tensor, size_t rank) {
        Literal const* literal = tensor->literal();
        if (literal == nullptr || tensor->shape.size() >= rank) return tensor;
        Dims dims = Dims::filled(static_cast<int>(rank - tensor->shape.size()), 1);
        for (int64_t extent : literal->dims()) dims.push(extent);
        Tensor* const made = reshaped(graph_, *tensor, dims);
        removeConstant(tensor);
        return made;
    }

    /// Constants without readers.
    void removeConstant(Tensor* tensor) {
        bool const unread = tensor != nullptr && tensor->literal() != nullptr && tensor->readers().empty();
        if (unread && !graph_.isOutput(tensor)) graph_.remove(tensor->producer());
    }

    Node* fusableProducer(Node const& node) const {
        for (Tensor* input : node.inputs()) {
            Node* const producer = input->producer();
            if (producer != nullptr && fits(*producer, node)) return producer;
        }
        return nullptr;
    }

    bool fits(Node const& producer, Node const& node) const {
        auto const* before = as<Pointwise>(*producer.layer);
        if (before == nullptr || graph_.isOutput(producer.output())) return false;
        bool const others =
            std::ranges::any_of(producer.output()->readers(), [&](Node* reader) { return reader != &node; });
        bool const sameShape = producer.output()->shape == node.output()->shape;
        size_t const steps = before->steps.size() + as<Pointwise>(*node.layer)->steps.size();
        size_t const inputs = producer.inputs().size() + node.inputs().size() - 1;
        return !others && sameShape && steps <= kMostSteps && inputs <= kMostInputs &&
               !belongsToEpilogue(producer, node);
    }

    /// All readers of a convolution, which are read together with other results: better computed in the convolution's
    /// epilogue, so that the rest can follow it.
    bool belongsToEpilogue(Node const& producer, Node const& node) const {
        auto const& own = producer.inputs();
        bool const besideOthers = std::ranges::any_of(node.inputs(), [&](Tensor const* tensor) {
            bool const known = tensor == producer.output() || std::ranges::count(own, tensor) != 0;
            return !known && tensor->literal() == nullptr;
        });
        auto const isWeighted = [&](Tensor const* tensor) {
            Node* const from = tensor->producer();
            return from != nullptr && hasEpilogue(*from->layer) != nullptr && onlyReader(graph_, *from) == &producer;
        };
        return besideOthers && std::ranges::any_of(own, isWeighted);
    }

    Graph& graph_;
};

} // namespace

void fusePointwise(Graph& graph) { Fuser(graph).run(); }

} // namespace tenon

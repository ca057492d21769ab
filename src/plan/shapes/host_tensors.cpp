// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/host_tensors.h"

#include "base/error.h"
#include "graph/body.h"
#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"
#include "plan/shapes/host_conditions.h"

namespace tenon {
namespace {

/// Marks a tensor and all that it is computed from; does nothing if it is known at run time only.
class HostMarker {
public:
    HostMarker(Graph const& graph, IsGiven const& isGiven) : runs_(knownToRunsOnly(graph, isGiven)) {}

    void mark(Tensor* tensor) {
        if (tensor == nullptr || runs_.contains(tensor)) return;
        std::vector<Tensor*> waiting{tensor};
        while (!waiting.empty()) {
            Tensor* const next = waiting.back();
            waiting.pop_back();
            markOne(next, waiting);
        }
    }

private:
    /// Marks one tensor, and adds the inputs and other outputs of its node to `waiting`.
    static void markOne(Tensor* tensor, std::vector<Tensor*>& waiting) {
        if (tensor == nullptr || tensor->onHost || tensor->literal()) return;
        tensor->onHost = true;
        Node const* const node = tensor->producer();
        if (node == nullptr) return;
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (!node->layer->readsShapeOnly(static_cast<int>(i))) waiting.push_back(node->inputs()[i]);
        }
        waiting.insert(waiting.end(), node->outputs().begin(), node->outputs().end());
    }

    std::set<Tensor const*> runs_;
};

/// The inputs of a graph inside a node whose elements decide shapes in it, or select one of its own graphs.
std::vector<size_t> inputsDeciding(Node const& node, Graph body, BodyInputs const& inputs) {
    try {
        inferBody(body, inputsOfAllRuns(inputs, node.name));
        for (size_t i = 0; i < body.inputs().size(); ++i) {
            Tensor const* const outside = inputs.from[i] < 0 ? nullptr : node.input(inputs.from[i]);
            body.inputs()[i]->onHost = outside && (outside->onHost || isKnownAtShapes(*outside));
        }
        settleConditions(body);
        for (Tensor* input : body.inputs()) input->onHost = false;
        markHostTensors(body);
    } catch (Error const&) { // it cannot run with these shapes, or a plugin in it decides one
        return {};
    }
    std::vector<size_t> deciding;
    for (size_t i = 0; i < body.inputs().size(); ++i) {
        if (body.inputs()[i]->onHost) deciding.push_back(i);
    }
    return deciding;
}

std::vector<BodyInputs> bodyInputsOf(Node const& node) {
    try {
        return node.layer->bodyInputs(operandsOf(node));
    } catch (Error const&) { // its shapes are not known yet
        return {};
    }
}

/// The tensors that decide shapes in graphs inside nodes, or select the graph that runs: of the outer tensors those
/// that follow from shapes, constants and shape tensors, so that the host can compute them with the shapes.
std::vector<Tensor*> decidingInside(Graph const& graph) {
    std::vector<Tensor*> found;
    for (auto const& node : graph.nodes()) {
        bool const isBranched = node->kind() == Conditional::kKind && !node->input(0)->literal();
        if (isBranched && isKnownAtShapes(*node->input(0))) found.push_back(node->inputs()[0]);
        auto const bodies = node->layer->bodies();
        auto const inputs = bodies.empty() ? std::vector<BodyInputs>() : bodyInputsOf(*node);
        for (size_t body = 0; body < inputs.size(); ++body) {
            for (size_t const i : inputsDeciding(*node, *bodies[body], inputs[body])) {
                int const from = inputs[body].from[i];
                Tensor* const outside = from < 0 ? nullptr : node->inputs()[static_cast<size_t>(from)];
                if (outside && isKnownAtShapes(*outside)) found.push_back(outside);
            }
        }
    }
    return found;
}

} // namespace

bool canBeGiven(Tensor const& input) {
    constexpr int64_t kMost = 64; // as the API promises for shape tensors
    bool const isWhole = isInteger(input.type) || input.type == DataType::Bool;
    return isWhole && input.shape.size() <= 1 && isConstant(input.shape) && toDims(input.shape).volume() <= kMost;
}

std::set<Tensor const*> knownToRunsOnly(Graph const& graph, IsGiven const& isGiven) {
    std::set<Tensor const*> found;
    for (Tensor const* input : graph.inputs()) {
        if (!isGiven(*input)) found.insert(input);
    }
    for (Node const* node : graph.order()) {
        bool depends = onlyRunsKnow(*node);
        for (size_t i = 0; i < node->inputs().size() && !depends; ++i)
            depends = !node->layer->readsShapeOnly(static_cast<int>(i)) && found.contains(node->inputs()[i]);
        if (depends) found.insert(node->outputs().begin(), node->outputs().end());
    }
    return found;
}

void markHostTensors(Graph& graph, IsGiven const& isGiven) {
    HostMarker marker(graph, isGiven);
    for (Tensor* output : graph.outputs()) { // some are needed there; constants are available anyway
        if (!output->onHost || output->literal()) continue;
        output->onHost = false;
        marker.mark(output);
    }
    for (auto const& node : graph.nodes()) {
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (node->layer->readsValuesOf(static_cast<int>(i))) marker.mark(node->inputs()[i]);
        }
    }
    for (Tensor* tensor : decidingInside(graph)) marker.mark(tensor);
}

bool isMeasured(Node const& node, int input) {
    Tensor const* const tensor = node.input(input);
    return tensor && !tensor->onHost && !tensor->literal() && node.layer->readsValuesOf(input);
}

} // namespace tenon

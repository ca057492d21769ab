// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/body_variant.h"

#include "base/error.h"
#include "graph/body.h"
#include "layers/loop/loop.h"

#include <algorithm>

namespace tenon {

Variant bodyVariant(Plan const& plan, Node const& node, std::vector<std::shared_ptr<Plan>> const& bodies) {
    Device const device = backendOf(plan.device).ioDevice();
    Variant variant;
    for (Tensor const* input : node.inputs())
        variant.inputs.push_back(input ? Label{input->type, Format::linear(), device} : Label{});
    size_t const controls = node.kind() == Loop::kKind
                                ? Loop::kCarried
                                : 1; // the inputs that select the graph, or the number of iterations
    for (size_t i = 0; i < std::min(controls, variant.inputs.size()); ++i) {
        if (node.inputs()[i] && node.inputs()[i]->onHost) variant.inputs[i].device = Device::Cpu;
    }
    for (Tensor const* output : node.outputs()) variant.outputs.push_back({output->type, Format::linear(), device});
    auto const inputs = node.layer->bodyInputs(operandsOf(node));
    for (size_t body = 0; body < bodies.size(); ++body) {
        for (size_t i = 0; i < inputs[body].from.size(); ++i) {
            bool const onHost = bodies[body]->graph.inputs()[i]->onHost;
            if (int const from = inputs[body].from[i]; onHost && from >= 0)
                variant.inputs[static_cast<size_t>(from)].device = Device::Cpu;
        }
        for (Assignment const& step : bodies[body]->nodes) variant.cost += step.variant.cost;
    }
    return variant;
}

void verifyBodies(Plan const& plan, Assignment const& assignment) {
    Node const& node = *assignment.node;
    auto const graphs = node.layer->bodies();
    if (graphs.size() != assignment.bodies.size())
        fail(ErrorCode::InvalidPlan, node, ": has ", graphs.size(), " graphs inside; the engine has plans for ",
             assignment.bodies.size());
    auto const inputs = node.layer->bodyInputs(operandsOf(node));
    for (size_t i = 0; i < graphs.size(); ++i) {
        Plan const& body = *assignment.bodies[i];
        bool const isAlike = std::ranges::equal(body.graph.inputs(), inputs[i].least, [](auto* input, auto const& is) {
            return input->type == is.type && input->shape.size() == is.shape.size();
        });
        if (!isAlike || body.graph.outputs().size() != graphs[i]->outputs().size() ||
            body.profiles.size() != plan.profiles.size())
            fail(ErrorCode::InvalidPlan, node, ": the plan of graph ", i, " inside it does not fit it");
    }
    Variant const expected = bodyVariant(plan, node, assignment.bodies);
    if (expected.inputs != assignment.variant.inputs || expected.outputs != assignment.variant.outputs ||
        assignment.variant.isPacked() || assignment.variant.view)
        fail(ErrorCode::InvalidPlan, node, ": its labels differ from those of the graphs inside it");
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/run_graph.h"

#include "base/error.h"
#include "graph/evaluate.h"

#include <map>

namespace tenon::test {

std::vector<Literal> runGraph(Graph const& graph, std::vector<Literal> const& inputs) {
    return runGraphThrough([](Literal const& result) { return result; }, graph, inputs);
}

std::vector<Literal> runGraphThrough(Between const& between, Graph const& graph, std::vector<Literal> const& inputs) {
    if (inputs.size() != graph.inputs().size())
        fail(ErrorCode::InvalidArgument, "the graph has ", graph.inputs().size(), " inputs, ", inputs.size(),
             " are given");
    std::map<Tensor const*, Literal> values;
    for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i]] = inputs[i];
    for (Node const* node : graph.order()) {
        std::vector<Literal const*> operands;
        for (Tensor const* input : node->inputs()) operands.push_back(input ? &values.at(input) : nullptr);
        auto const outputs = evaluate(*node, operands);
        for (size_t i = 0; i < outputs.size(); ++i) values[node->output(static_cast<int>(i))] = between(outputs[i]);
    }
    std::vector<Literal> results;
    for (Tensor const* output : graph.outputs()) results.push_back(values.at(output));
    return results;
}

} // namespace tenon::test

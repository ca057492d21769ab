// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/branch_points.h"

#include "base/error.h"
#include "graph/body.h"

#include <algorithm>
#include <set>

namespace tenon {
namespace {

using Inputs = std::vector<ShapeProgram::Input>;

/// All open extents of the inputs become `extent`, or the nearest one that the profile allows.
void setExtents(Graph const& graph, Profile const& profile, int64_t extent, Inputs& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        auto const range = profile.find(graph.inputs()[i]->name);
        if (range == profile.end() || graph.inputs()[i]->onHost) continue;
        for (int axis = 0; axis < inputs[i].dims.rank(); ++axis)
            inputs[i].dims[axis] = std::clamp(extent, range->second.min[axis], range->second.max[axis]);
    }
}

/// The names of open extents, and of inputs whose elements decide shapes.
std::set<std::string> openNames(Graph const& graph) {
    std::set<std::string> names;
    for (Tensor const* input : graph.inputs()) {
        if (input->onHost) names.insert(input->name);
        for (DimExpr const& extent : input->shape) {
            if (extent.op() == DimExpr::Op::Symbol) names.insert(extent.name());
        }
    }
    return names;
}

/// Copies the range with this name from other inputs.
void take(Graph const& graph, std::string const& name, Inputs const& from, Inputs& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        Tensor const& tensor = *graph.inputs()[i];
        if (tensor.onHost && tensor.name == name) inputs[i].host = from[i].host;
        for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
            bool const isNamed = tensor.shape[axis].op() == DimExpr::Op::Symbol && tensor.shape[axis].name() == name;
            if (isNamed) inputs[i].dims[static_cast<int>(axis)] = from[i].dims[static_cast<int>(axis)];
        }
    }
}

} // namespace

bool BranchPoints::isPossible(Inputs const& inputs, size_t branch) const {
    try {
        auto const shapes = program_.evaluate(inputs);
        Graph graph = *node_.layer->bodies()[branch];
        inferBody(graph, node_.layer->bodyInputs(program_.operandsOf(node_, shapes))[branch].least);
        return true;
    } catch (Error const&) {
        return false;
    }
}

Inputs BranchPoints::near(Profile const& profile, ProfilePoint point, size_t branch) const {
    Inputs const wished = inputsAt(graph_, profile, point);
    if (isPossible(wished, branch)) return wished;
    Inputs found = anyPossible(profile, branch);
    for (std::string const& name : openNames(graph_)) {
        Inputs nearer = found;
        take(graph_, name, wished, nearer);
        if (isPossible(nearer, branch)) found = std::move(nearer);
    }
    return found;
}

Inputs BranchPoints::anyPossible(Profile const& profile, size_t branch) const {
    for (auto const point : {ProfilePoint::Opt, ProfilePoint::Max, ProfilePoint::Min}) {
        if (auto inputs = inputsAt(graph_, profile, point); isPossible(inputs, branch)) return inputs;
    }
    for (int64_t const extent : extentsToTry(profile, branch)) {
        auto inputs = inputsAt(graph_, profile, ProfilePoint::Opt);
        setExtents(graph_, profile, extent, inputs);
        if (isPossible(inputs, branch)) return inputs;
    }
    fail(ErrorCode::Unsupported, "its ", branch == 0 ? "first" : "second",
         " branch cannot run at any shape of the profile that was tried");
}

/// Those of the constants in the branch, since other tensors may have to fit them, and some between the ends of the
/// profile.
std::vector<int64_t> BranchPoints::extentsToTry(Profile const& profile, size_t branch) const {
    constexpr int64_t kSteps = 16;
    std::set<int64_t> extents;
    for (auto const& node : node_.layer->bodies()[branch]->nodes()) {
        Literal const* const constant = node->layer->constant();
        if (constant) extents.insert(constant->dims().span().begin(), constant->dims().span().end());
    }
    for (auto const& [name, range] : profile) {
        for (int axis = 0; axis < range.min.rank(); ++axis) {
            int64_t const steps = std::min(range.max[axis] - range.min[axis], kSteps);
            for (int64_t i = 0; i <= steps; ++i)
                extents.insert(range.min[axis] + (range.max[axis] - range.min[axis]) / std::max<int64_t>(steps, 1) * i);
        }
    }
    return {extents.begin(), extents.end()};
}

} // namespace tenon

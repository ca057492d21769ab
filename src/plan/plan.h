// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/kernel.h"
#include "plan/settings.h"
#include "plan/shapes/profile.h"

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// The offer of one kernel, or one variant of a plugin, for a node, kept to explain why another one was chosen.
struct Weighed {
    std::string kernel;
    std::optional<double> cost; // of its cheapest variant, as in Variant::cost
    std::string refusal;        // if there is no cost: why it does not support the node

    void fields(Fields& f) {
        f("kernel", kernel);
        if (f.visits("cost", cost.has_value())) f("cost", cost.emplace(cost.value_or(0)));
        if (f.visits("refusal", !cost)) f("refusal", refusal);
    }
};

struct Plan;

/// The implementation of a node: a kernel, a plugin, or plans of the graphs inside it. Constants and nodes on the host
/// have none.
struct Assignment {
    Node* node = nullptr;
    Kernel const* kernel = nullptr;
    Variant variant;
    std::shared_ptr<Packed const> packed;
    std::vector<Weighed> weighed = {}; // for each kernel that was queried, or variant of a plugin that was timed
    std::vector<std::shared_ptr<Plan>> bodies = {};

    bool isPlugin() const { return !kernel && bodies.empty(); }
};

/// A shared library of plugins that is stored in a plan. Its code is run only if the application allows it.
struct PluginLibrary {
    std::string name; // its file name, without folders
    Literal bytes;
};

/// A network prepared for one device: rewritten, formats and kernels assigned, weights packed. Immutable once built.
struct Plan {
    Device device = Device::Cpu;
    std::string builtOn; // device and libraries, which identify a plan from another machine
    Graph graph;         // optimized; its tensors carry their labels
    /// As the user built it, read when requested; empty if it was not kept.
    std::function<Graph()> network;
    std::vector<Assignment> nodes; // in order of execution
    std::vector<Profile> profiles;
    PlanSettings settings;
    std::vector<PluginLibrary> libraries;
    std::vector<std::string> notes; // of the build: compute types, reformats around plugins

    Plan() = default;
    Plan(Plan&&) = default;
    Plan& operator=(Plan&&) = default;
};

/// Calls `visit` with a plan, and then with the plans of the graphs inside its nodes.
template <class P, class Visit>
requires std::same_as<std::remove_const_t<P>, Plan>
void forEachPlan(P& plan, Visit const& visit) {
    visit(plan);
    for (auto& assignment : plan.nodes) {
        for (auto const& body : assignment.bodies) forEachPlan<P>(*body, visit);
    }
}

} // namespace tenon

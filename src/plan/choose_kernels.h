// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/body_plans.h"
#include "plan/timer.h"
#include "plan/way_selector.h"

#include <unordered_map>

namespace tenon {

/// Gives every node of plan.graph a kernel and every tensor a label, for the least estimated time of all nodes and
/// reformats together at the optimum of the first profile, and puts the reformats on the edges that need one.
/// Returns the tactics that the program's selector left.
SelectedTactics chooseKernels(Plan& plan, BuildConfig const& config, Timer& timer);

/// Where no kernels are to be chosen (BuildConfig::choosesKernels): puts nodes with graphs inside into plan.nodes, with
/// the plans of these.
void rewriteBodies(Plan& plan, BuildConfig const& config);

/// The variant runs on the CPU: all that it reads and writes is in host memory.
bool isOnHost(Variant const& variant);

/// Puts constant inputs into the order that the chosen kernels read.
void packWeights(Plan& plan);
/// The same for some; those that are packed stay as they are.
void packWeights(Plan const& plan, std::vector<Assignment*> const& assignments);

/// What a node can be computed with: the cheapest variant for each combination of labels.
struct Candidates {
    Node* node = nullptr;
    std::vector<Assignment> choices;
    std::vector<Weighed> weighed = {}; // for each kernel that was asked, or variant of a plugin that was timed
};

/// The same node, computed by the same kernel or plugin in the same variant.
bool isSameWay(Assignment const& a, Assignment const& b);
/// What kernels are asked about a node at these shapes.
KernelQuery kernelQuery(Node const& node, std::vector<Dims> inputs, std::vector<Dims> outputs,
                        PlanSettings const& settings);
/// The labels that a plugin is asked about for one of its tensors (null: absent), the most likely first.
std::vector<Label> labelsOffered(Tensor const* tensor, KernelQuery const& query, Device device);

class WorkspaceLimit;

/// Of the nodes with graphs inside.
using BodyPlansOf = std::unordered_map<Node const*, BodyPlans>;

/// Asks the kernels (or the plugin) of every node that runs on the device and has no plans for the graphs inside of it.
/// An Error says why none of them computes it.
std::vector<Candidates> collectCandidates(Plan const& plan, BuildConfig const& config, WorkspaceLimit const& limit,
                                          BodyPlansOf const& bodies);

} // namespace tenon

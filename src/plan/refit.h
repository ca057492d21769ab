// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "plan/plan.h"

namespace tenon {

/// Weights of a plan's network that have names.
struct RefitWeights {
    std::string name; // Constant::weights
    Literal value;    // as the network has it
};

/// All that may be exchanged in a plan, in the network's order; each name once.
std::vector<RefitWeights> refitWeights(Graph const& network);

/// What is exchanged in a plan.
struct Refit {
    std::map<std::string, Literal> weights = {}; // by name: of the type and the number of elements that it has
    std::map<std::string, float> scales = {};    // of tensors that are kept in int8, by the tensor's name
};

/// Exchanges weights of a plan with settings.refits: its network is rewritten with them as it was when the plan was
/// built, and what comes out of that takes its place in the plan: values of constants, numbers that went into layers,
/// packed weights. Kernels, labels and plugins stay. The new values need not outlive the call. An Error (the plan is
/// then as before) names what does not fit, or the node that these weights would have computed in another way. Whoever
/// runs the plan must read it again (Engine::refit).
void refit(Plan& plan, Refit const& values, Log const& log = {});

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "plan/plan.h"

namespace tenon {

/// Named weights of a plan's network.
struct RefitWeights {
    std::string name; // Constant::weights
    Literal value;    // the network's present value
};

/// All refittable weights of a plan, in the network's order; each name once.
std::vector<RefitWeights> refitWeights(Graph const& network);

/// The new values of a refit.
struct Refit {
    std::map<std::string, Literal> weights = {}; // by name: with the type and number of elements of the old value
    std::map<std::string, float> scales = {};    // of tensors that are stored in int8, by the tensor's name
};

/// Exchanges weights of a plan with settings.refits: its network is rewritten with them as when the plan was built, and
/// the results replace those in the plan: values of constants, numbers in layers, packed weights. Kernels, labels and
/// plugins are kept. The new values need not outlive the call. An Error (the plan is then unchanged) names the value
/// that does not fit, or the node that these weights would change in another respect. The code that runs the plan must
/// read it again (Engine::refit).
void refit(Plan& plan, Refit const& values, Log const& log = {});

} // namespace tenon

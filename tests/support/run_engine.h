// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "runtime/context.h"

#include <vector>

namespace tenon::test {

/// The plan after writing and reading, on the tested device: its weights were packed where it was written. Except for
/// plugins that no registry makes.
Plan saved(Plan plan);

/// A network that is built and can be run at any shapes of its profile, with all weights on the device.
class EngineRun {
public:
    EngineRun(Graph const& network, BuildConfig config);

    /// The outputs for these inputs, of the network's types.
    std::vector<Literal> run(std::vector<Literal> const& inputs);
    Engine& engine() { return engine_; }

private:
    Engine engine_;
    Context context_;
};

/// The outputs of a network for these inputs: built for exactly their shapes (and for the elements of shape tensors),
/// and run.
std::vector<Literal> runEngine(Graph const& network, std::vector<Literal> const& inputs, BuildConfig config = {});

} // namespace tenon::test

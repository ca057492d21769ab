// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/engine.h"

namespace tenon {

class Context;

/// The state that a context has for a step: a clone of its plugin, or contexts of the graphs inside its layer.
struct StepState {
    PluginLife* plugin = nullptr;
    std::vector<std::shared_ptr<Context>> bodies = {};
    void const* streamed = nullptr; // where its packed weights are when it runs, if they are streamed
};

/// The executable of a step that is not a plugin, at these shapes. An Error names the node.
std::unique_ptr<Executable> prepareStep(Engine::Step const& step, Engine const& engine,
                                        ShapeProgram::Shapes const& shapes, StepState const& state);

/// An Error if an output of the step is larger than its device. Called before the step is prepared, which may allocate
/// in proportion.
void expectFits(Engine::Step const& step, Engine const& engine, ShapeProgram::Shapes const& shapes);

/// Shapes and labels as a plugin receives them.
PortDescs describePorts(Engine::Step const& step, Engine const& engine, ShapeProgram::Shapes const& shapes);

} // namespace tenon

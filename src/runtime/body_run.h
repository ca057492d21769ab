// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/engine.h"

namespace tenon {

class Context;

/// The graphs inside a step, run by its layer, prepared for fixed shapes.
class BodyRun : public Executable {
public:
    /// Where the last run stored an output that is ShapeProgram::Shapes::unbounded; valid until the next run. Such
    /// outputs have no planned memory.
    virtual void* ownMemory(size_t output) const = 0;
};

/// `contexts`: one for each of the graphs, which must outlive it; nothing else uses them during a run.
std::unique_ptr<BodyRun> makeBodyRun(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes,
                                     std::vector<std::shared_ptr<Context>> const& contexts);

/// The same for a loop, and for a conditional.
std::unique_ptr<BodyRun> makeLoopRun(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes,
                                     Context& context);
std::unique_ptr<BodyRun> makeConditionalRun(Engine const& engine, Engine::Step const& step,
                                            ShapeProgram::Shapes const& shapes,
                                            std::vector<std::shared_ptr<Context>> const& contexts);

/// Its workspace, without contexts.
size_t bodyWorkspace(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes);
size_t conditionalWorkspace(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes);

} // namespace tenon

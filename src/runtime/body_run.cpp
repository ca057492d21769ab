// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/body_run.h"

#include "runtime/loop_layout.h"

namespace tenon {

std::unique_ptr<BodyRun> makeBodyRun(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes,
                                     std::vector<std::shared_ptr<Context>> const& contexts) {
    if (as<Loop>(*step.assignment->node->layer)) return makeLoopRun(engine, step, shapes, *contexts[0]);
    return makeConditionalRun(engine, step, shapes, contexts);
}

size_t bodyWorkspace(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes) {
    if (!as<Loop>(*step.assignment->node->layer)) return conditionalWorkspace(engine, step, shapes);
    OuterNode const outside(engine, step, shapes);
    return LoopLayout(step, outside).bytes();
}

} // namespace tenon

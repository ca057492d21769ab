// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/engine.h"

namespace tenon {

class Context;

/// The graphs inside of a step, run as its layer says, made ready for fixed shapes. `contexts`: one for each of them,
/// which must outlive it; nothing else uses them meanwhile.
std::unique_ptr<Executable> makeBodyRun(Engine const& engine, Engine::Step const& step,
                                        ShapeProgram::Shapes const& shapes,
                                        std::vector<std::shared_ptr<Context>> const& contexts);

/// Its workspace, without contexts.
size_t bodyWorkspace(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes);

} // namespace tenon

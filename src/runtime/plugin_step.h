// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin_life.h"
#include "runtime/engine.h"

namespace tenon {

// A segment's calls of the plugin of a step. Errors name the node.

/// Passes the shapes to the plugin; data-dependent extents of outputs are -1.
void announceShapes(Engine::Step const& step, Engine const& engine, ShapeProgram::Shapes const& shapes,
                    PluginLife& plugin);

/// Bytes of workspace at these shapes, which the plugin receives first.
size_t pluginWorkspace(Engine::Step const& step, Engine const& engine, ShapeProgram::Shapes const& shapes,
                       PluginLife& plugin);

/// Runs the plugin. A plugin that breaks a capture by the application is detected here: CUDA reports it only when the
/// capture ends.
void enqueuePlugin(PluginLife& plugin, Backend const& backend, Pointers const& pointers, size_t workspaceBytes);

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// Gives plan.graph clones of its own of all plugins: the network's stay as they are.
void clonePlugins(Plan& plan);
/// Asks each plugin which outputs are to lie in the memory of inputs. An Error where they do not fit there.
void askAliases(Plan& plan);
/// Tells each plugin the types and formats chosen for it, and takes the state that goes into the plan.
void configurePlugins(Plan& plan);

/// Where a plugin runs in this way; `engine` where it has neither inputs nor outputs.
Device deviceOf(Variant const& variant, Device engine);

} // namespace tenon

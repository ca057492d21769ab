// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 11
#define PLUGIN_BASE PluginBaseAtLevel11
#include "plugin_base/program.inc"

#include "plugin_base/plugin_base.inc"

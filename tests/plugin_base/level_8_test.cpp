// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#define PLUGIN_BASE PluginBaseAtLevel8
#include "plugin_base/program.inc"

#include "plugin_base/plugin_base.inc"

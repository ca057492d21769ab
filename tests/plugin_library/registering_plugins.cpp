// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Registers its creator automatically when it is loaded.

#include "one_plugin.h"

namespace {
char const* const kName = "RegisteredByItself";
using SelfRegistered = Creator<kName>;
REGISTER_TENSORRT_PLUGIN(SelfRegistered);
} // namespace

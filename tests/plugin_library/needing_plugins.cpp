// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Registers its creator automatically and is linked to a library that lists others, as plugins often are to the
// standard ones.

#include "one_plugin.h"

namespace {
char const* const kName = "NeedsAnother";
using Needing = Creator<kName>;
REGISTER_TENSORRT_PLUGIN(Needing);
} // namespace

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Compiled with the std::string that libstdc++ had before C++11.
#include <tenon/plugin_base.h>

char const* namespaceWithOldStrings() { return TENON_TEXT(TENON_PLUGIN_BASE); }

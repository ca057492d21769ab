// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/blame.h"

namespace tenon {

bool asksForBlame(char const* value) { return value != nullptr && *value != '\0' && *value != '0'; }

void Blame::warnOnce(Node const& node, PluginLife const& plugin) {
    if (!warned_.insert(&plugin).second) return;
    say(log_, Severity::Warning,
        text(node, ": ", plugin.plugin().name(),
             ": put work into the default stream; use the stream that enqueue() receives"));
}

} // namespace tenon

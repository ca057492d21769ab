// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

namespace tenon {

enum class Severity { InternalError, Error, Warning, Info, Verbose };

/// Receives log messages; called from any thread that builds or runs. An empty function drops them.
using Log = std::function<void(Severity, std::string const&)>;

inline void say(Log const& log, Severity severity, std::string const& message) {
    if (log) log(severity, message);
}

} // namespace tenon

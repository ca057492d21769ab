// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <span>

namespace trtexec {

/// Reads the arguments, without the program's name: --flag=value or --flag value. What is left open follows from the
/// rest: shapes that are not given, types that exclude each other.
/// A Failure for a flag that does not exist, or is wrong in value or in combination with others.
Options readCommandLine(std::span<char const* const> arguments);

} // namespace trtexec

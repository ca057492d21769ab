// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <span>

namespace trtexec {

/// Reads the arguments, without the program's name: --flag=value or --flag value. Missing settings are derived from the
/// others: shapes, types that exclude each other.
/// A Failure for an unknown flag, or one with a wrong value or in a wrong combination.
Options readCommandLine(std::span<char const* const> arguments);

} // namespace trtexec

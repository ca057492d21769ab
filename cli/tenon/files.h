// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tenon::cli {

/// The bytes of a file; a Failure that names it if it cannot be read.
std::string readFile(std::string const& path);
/// Writes a whole file; a Failure that names it if that fails.
void writeFile(std::string const& path, std::string const& bytes);

} // namespace tenon::cli

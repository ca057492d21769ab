// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trtexec {

/// A Failure that names the file and what is wrong with it.
std::string readFile(std::string const& path);
void writeFile(std::string const& path, std::string_view content);

bool fileExists(std::string const& path);
/// In bytes. A Failure if it is not a plain file.
uintmax_t fileSize(std::string const& path);

/// A Failure if a file of this name cannot be written later, because the folder is missing or not writable. \param flag
/// the flag that requests it
void expectWritable(std::string_view flag, std::string const& path);

} // namespace trtexec

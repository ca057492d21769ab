// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ocr {

// Both throw std::runtime_error with the file's name and the system's reason.
std::string readFile(std::filesystem::path const& file);
void writeFile(std::filesystem::path const& file, std::string_view content);

} // namespace ocr

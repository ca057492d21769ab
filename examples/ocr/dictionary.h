// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ocr {

// The characters that a recognizer knows, in the order of its classes.
class Dictionary {
public:
    // One character per line, UTF-8. Throws std::runtime_error if the file cannot be read.
    explicit Dictionary(std::filesystem::path const& file);

    // The text of some classes. Throws std::runtime_error for a class that the dictionary lacks.
    std::string spell(std::span<int32_t const> classes) const;

private:
    std::vector<std::string> characters_;
};

} // namespace ocr

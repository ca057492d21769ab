// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "dictionary.h"

#include "files.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace ocr {
namespace {

// The fullwidth forms of ASCII characters, U+FF01 to U+FF5E.
bool isFullWidth(std::string const& character) { return character >= "\uFF01" && character <= "\uFF5E"; }

char narrowed(std::string const& fullWidth) {
    auto const low = [&](size_t i) { return uint8_t(fullWidth[i]) & 0x3F; }; // six bits of the code each
    return char(((low(1) << 6 | low(2)) & 0xFF) + 0x20);
}

bool isChinese(std::string const& character) { return character >= "\u2E80" && !isFullWidth(character); }

} // namespace

Dictionary::Dictionary(std::filesystem::path const& file) {
    std::istringstream lines(readFile(file));
    for (std::string line; std::getline(lines, line);) characters_.push_back(line);
}

std::string Dictionary::spell(std::span<int32_t const> classes) const {
    auto const character = [&](int32_t index) -> std::string const& {
        if (size_t(index) < characters_.size()) return characters_[size_t(index)];
        throw std::runtime_error("the recognizer gave class " + std::to_string(index) + " and the dictionary has " +
                                 std::to_string(characters_.size()) + ": they do not belong together");
    };
    // The recognizer was trained on Chinese print, and sometimes reads a fullwidth comma in other texts.
    bool const keepsWidth =
        std::any_of(classes.begin(), classes.end(), [&](int32_t i) { return isChinese(character(i)); });
    std::string text;
    for (int32_t index : classes) {
        std::string const& next = character(index);
        if (isFullWidth(next) && !keepsWidth)
            text += narrowed(next);
        else
            text += next;
    }
    return text;
}

} // namespace ocr

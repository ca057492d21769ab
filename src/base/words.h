// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace tenon {

/// The words of a text, separated by spaces. They point into it.
inline std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    for (size_t end = 0;;) {
        size_t const begin = text.find_first_not_of(' ', end);
        if (begin == std::string_view::npos) return words;
        end = std::min(text.find(' ', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
    }
}

} // namespace tenon

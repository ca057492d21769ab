// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// The Levenshtein distance of two words: letters to insert, delete or replace.
inline size_t editDistance(std::string_view from, std::string_view to) {
    std::vector<size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (char const letter : from) {
        size_t diagonal = row[0]++;
        for (size_t i = 1; i < row.size(); ++i) {
            size_t const changed = diagonal + (letter != to[i - 1]);
            diagonal = row[i];
            row[i] = std::min({row[i] + 1, row[i - 1] + 1, changed});
        }
    }
    return row.back();
}

} // namespace tenon::cli

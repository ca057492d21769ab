// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tenon::onnx {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// The edit distance, ignoring case.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t corner = i;
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            size_t const replaced = corner + (lower(a[i]) == lower(b[j]) ? 0 : 1);
            corner = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest(std::string_view wanted, std::span<std::string const> names) {
    std::string best;
    size_t least = wanted.size() / 3 + 1;
    for (std::string const& name : names) {
        size_t const far = distance(wanted, name);
        if (far >= least) continue;
        least = far;
        best = name;
    }
    return best;
}

} // namespace tenon::onnx

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace tenon {

// Each overload appends the printed form of one value; other types declare theirs beside the type.
inline void append(std::string& to, std::string_view part) { to += part; }
inline void append(std::string& to, char part) { to += part; }
template <std::same_as<bool> Bool> // a template, so that no pointer turns into a bool
void append(std::string& to, Bool part) {
    to += part ? "true" : "false";
}
void append(std::string& to, double part);

template <std::integral Integer>
requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>) void append(std::string& to, Integer part) {
    to += std::to_string(part);
}

/// The printed forms of all parts, one after the other: text("axis ", 3, " of ", dims).
template <class... Parts> std::string text(Parts const&... parts) {
    std::string joined;
    (append(joined, parts), ...);
    return joined;
}

/// "a, b, c" of any range whose elements can be appended.
template <class Range> std::string joined(Range const& range, std::string_view separator = ", ") {
    std::string all;
    for (auto const& element : range) {
        if (!all.empty()) all += separator;
        append(all, element);
    }
    return all;
}

} // namespace tenon

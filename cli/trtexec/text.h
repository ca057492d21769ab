// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace trtexec {

/// Six significant digits, without an exponent: scripts parse numbers as [0-9.]+.
std::string number(double value);

/// The same, always with a decimal point, which scripts require for measured numbers: "1.0".
std::string measured(double value);

/// "1x3x224x224"; "scalar" without dimensions.
std::string dimsText(std::vector<int64_t> const& dims);
std::string dimsText(nvinfer1::Dims const& dims);

/// A JSON string with its quotes.
std::string jsonString(std::string_view text);

inline std::string asText(std::string_view text) { return std::string(text); }
template <std::floating_point T> std::string asText(T value) { return number(value); }
template <std::integral T> std::string asText(T value) { return std::to_string(value); }
inline std::string asText(char character) { return std::string(1, character); }

/// The concatenation of all parts.
template <class... Parts> std::string concat(Parts const&... parts) {
    std::string all;
    (all.append(asText(parts)), ...);
    return all;
}

/// The pieces between separators; none for an empty text.
std::vector<std::string> split(std::string_view text, char separator);

template <class Range> std::string joined(Range const& parts, std::string_view separator) {
    std::string all;
    for (auto const& part : parts) {
        if (!all.empty()) all.append(separator);
        all.append(asText(part));
    }
    return all;
}

/// ASCII letters only.
std::string inLowerCase(std::string_view text);

/// Whether a name matches a pattern that may hold one '*', which matches any text.
bool matches(std::string_view pattern, std::string_view name);

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace trtexec {

std::string number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    int const magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
    int const decimals = std::clamp(5 - magnitude, 0, 9);
    std::string digits(static_cast<size_t>(std::snprintf(nullptr, 0, "%.*f", decimals, value)) + 1, '\0');
    std::snprintf(digits.data(), digits.size(), "%.*f", decimals, value);
    digits.pop_back();
    if (decimals > 0) {
        digits.erase(digits.find_last_not_of('0') + 1);
        if (digits.back() == '.') digits.pop_back();
    }
    return digits;
}

std::string measured(double value) {
    std::string text = number(value);
    bool const whole = text.find_first_not_of("-0123456789") == std::string::npos;
    return whole ? text + ".0" : text;
}

std::string dimsText(std::vector<int64_t> const& dims) { return dims.empty() ? "scalar" : joined(dims, "x"); }

std::string dimsText(nvinfer1::Dims const& dims) {
    return dimsText(std::vector<int64_t>(dims.d, dims.d + std::max<int32_t>(dims.nbDims, 0)));
}

std::string jsonString(std::string_view text) {
    std::string quoted = "\"";
    for (char const character : text) {
        auto const code = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            quoted += {'\\', character};
        } else if (code < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", code);
            quoted += escape;
        } else {
            quoted += character;
        }
    }
    return quoted + '"';
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        size_t const end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
        if (text.empty()) parts.emplace_back();
    }
    return parts;
}

std::string inLowerCase(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return lower;
}

bool matches(std::string_view pattern, std::string_view name) {
    size_t const star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == name;
    std::string_view const front = pattern.substr(0, star);
    std::string_view const back = pattern.substr(star + 1);
    return name.size() >= front.size() + back.size() && name.starts_with(front) && name.ends_with(back);
}

} // namespace trtexec

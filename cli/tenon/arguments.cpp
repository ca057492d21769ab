// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "arguments.h"

#include "edit_distance.h"
#include "failure.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tenon::cli {
namespace {

Flag const& flagNamed(std::string const& name, std::span<Flag const> flags) {
    auto const found = std::ranges::find(flags, name, &Flag::name);
    if (found != flags.end()) return *found;
    std::vector<std::string> names{"--help"};
    for (Flag const& flag : flags) names.emplace_back(flag.name);
    fail("there is no flag ", name, didYouMean(name, names));
}

} // namespace

Arguments::Arguments(std::span<std::string const> words, std::span<Flag const> flags) {
    for (size_t i = 0; i < words.size(); ++i) {
        std::string const& word = words[i];
        if (!word.starts_with("-") || word == "-") {
            operands_.push_back(word);
            continue;
        }
        size_t const equals = word.find('=');
        std::string const name = word.substr(0, equals);
        Flag const& flag = flagNamed(name, flags);
        if (flag.value.empty()) {
            if (equals != std::string::npos) fail(flag.name, " takes no value; found ", word);
            take(flag, "");
        } else if (equals != std::string::npos) {
            take(flag, word.substr(equals + 1));
        } else {
            if (i + 1 == words.size()) fail(flag.name, " needs a value: ", flag.name, " ", flag.value);
            take(flag, words[++i]);
        }
    }
}

void Arguments::take(Flag const& flag, std::string value) {
    auto& values = values_[std::string(flag.name)];
    if (!values.empty() && !flag.repeated) fail(flag.name, " is given twice");
    values.push_back(std::move(value));
}

std::string Arguments::value(std::string_view flag) const {
    auto const found = values_.find(flag);
    return found == values_.end() ? "" : found->second.front();
}

std::vector<std::string> Arguments::values(std::string_view flag) const {
    auto const found = values_.find(flag);
    return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::map<std::string, std::string> Arguments::named(std::string_view flag) const {
    std::map<std::string, std::string> all;
    for (std::string const& value : values(flag)) {
        size_t const equals = value.find('=');
        if (equals == std::string::npos || equals == 0)
            fail(flag, " ", value, ": expected NAME=VALUE with the name of a tensor");
        std::string const name = value.substr(0, equals);
        if (!all.emplace(name, value.substr(equals + 1)).second) fail(flag, " names ", name, " twice");
    }
    return all;
}

double Arguments::number(std::string_view flag, double otherwise) const {
    if (!has(flag)) return otherwise;
    std::string const text = value(flag);
    double number = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const whole = problem == std::errc() && end == text.data() + text.size();
    if (!whole || !std::isfinite(number) || number < 0)
        fail(flag, " ", text, ": expected a number that is not negative, such as 0.001 or 1e-3");
    return number;
}

std::string didYouMean(std::string_view word, std::vector<std::string> const& names) {
    if (names.empty()) return "";
    auto const nearest =
        std::ranges::min_element(names, {}, [&](auto const& name) { return editDistance(word, name); });
    size_t const limit = std::max<size_t>(2, word.size() / 3);
    return editDistance(word, *nearest) <= limit ? joined(". Did you mean ", *nearest, "?") : "";
}

std::vector<int64_t> parseShape(std::string const& text) {
    std::vector<int64_t> dims;
    if (text == "scalar") return dims; // in the form of shapeText()
    for (size_t start = 0; start < text.size() || !dims.empty();) {
        size_t const end = std::min(text.find('x', start), text.size());
        int64_t dim = -1;
        auto const read = std::from_chars(text.data() + start, text.data() + end, dim);
        if (read.ec != std::errc() || read.ptr != text.data() + end || dim < 0 || dims.size() == 8)
            fail("shape ", text, ": expected up to 8 numbers with 'x' between them, such as 1x3x224x224, or scalar");
        dims.push_back(dim);
        if (end == text.size()) break;
        start = end + 1;
    }
    return dims;
}

std::string shapeText(std::span<int64_t const> dims) {
    std::string text;
    for (int64_t const dim : dims) text += (text.empty() ? "" : "x") + (dim < 0 ? "?" : std::to_string(dim));
    return text.empty() ? "scalar" : text;
}

} // namespace tenon::cli

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_value.h"

#include <charconv>

namespace trtexec {
namespace {

template <class T> bool read(std::string_view text, T& value) {
    auto const done = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && done.ec == std::errc() && done.ptr == text.data() + text.size();
}

template <class T> std::string rangeText(T least, T most) {
    bool const open = most == std::numeric_limits<T>::max();
    return open ? concat("of at least ", least) : concat("from ", least, " to ", most);
}

} // namespace

bool readInteger(std::string_view text, int64_t& value) { return read(text, value); }
bool readReal(std::string_view text, double& value) { return read(text, value); }

int32_t FlagValue::integer(int32_t least, int32_t most) const {
    int64_t value = 0;
    if (!readInteger(text_, value) || value < least || value > most) reject("an integer ", rangeText(least, most));
    return static_cast<int32_t>(value);
}

double FlagValue::real(double least, double most) const {
    double value = 0;
    if (!readReal(text_, value) || !(value >= least && value <= most)) reject("a number ", rangeText(least, most));
    return value;
}

std::string FlagValue::file() const {
    if (text_.empty()) reject("the name of a file");
    if (char const* home = std::getenv("HOME"); home && (text_ == "~" || text_.starts_with("~/")))
        return home + text_.substr(1);
    return text_;
}

} // namespace trtexec

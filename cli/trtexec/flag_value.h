// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "failure.h"

#include <limits>
#include <utility>

namespace trtexec {

/// The value of a flag, with its parsers. Their errors name the flag, its value and the expected form.
class FlagValue {
public:
    FlagValue(std::string flag, std::string text) : flag_(std::move(flag)), text_(std::move(text)) {}

    std::string const& flag() const { return flag_; }
    std::string const& text() const { return text_; }

    template <class... Parts> [[noreturn]] void reject(Parts const&... expected) const {
        fail(flag_, ": found \"", text_, "\"; expected ", concat(expected...));
    }

    int32_t integer(int32_t least, int32_t most = std::numeric_limits<int32_t>::max()) const;
    double real(double least, double most = std::numeric_limits<double>::max()) const;
    std::string file() const;

    /// \param sameCase false: letters may be upper or lower case
    template <class T>
    T choice(std::initializer_list<std::pair<std::string_view, T>> choices, bool sameCase = true) const {
        std::string names;
        for (auto const& [name, value] : choices) {
            if (sameCase ? text_ == name : inLowerCase(text_) == inLowerCase(name)) return value;
            names += concat(names.empty() ? "" : ", ", name);
        }
        reject("one of: ", names);
    }

private:
    std::string flag_;
    std::string text_;
};

/// The whole text as a number; false if it is not one.
bool readInteger(std::string_view text, int64_t& value);
bool readReal(std::string_view text, double& value);

} // namespace trtexec

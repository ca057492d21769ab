// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// `--name VALUE`, or `--name` alone if `value` is empty.
struct Flag {
    std::string_view name;  // "--shape"
    std::string_view value; // "NAME=1x3x…"
    std::string_view help;
    bool repeated = false;
};

/// A parsed command line: flags (as `--flag VALUE` or `--flag=VALUE`) in any order, and the words between them.
class Arguments {
public:
    /// A Failure for a flag that is not in the list (it suggests the nearest), lacks its value, has an unexpected
    /// value, or is repeated.
    Arguments(std::span<std::string const> words, std::span<Flag const> flags);

    std::vector<std::string> const& operands() const { return operands_; }
    bool has(std::string_view flag) const { return values_.contains(flag); }
    /// The value of a flag; empty if it was not given.
    std::string value(std::string_view flag) const;
    /// All values of a flag that may be repeated.
    std::vector<std::string> values(std::string_view flag) const;
    /// The values `NAME=TEXT` of a flag; a Failure for another form or a repeated name.
    std::map<std::string, std::string> named(std::string_view flag) const;
    double number(std::string_view flag, double otherwise) const; // at least 0

private:
    void take(Flag const& flag, std::string value);

    std::vector<std::string> operands_;
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// ". Did you mean X?" with the nearest of the names, or "" if none is near.
std::string didYouMean(std::string_view word, std::vector<std::string> const& names);

/// [1,3,224,224] from "1x3x224x224"; a Failure for anything else. "scalar" and "" mean a scalar.
std::vector<int64_t> parseShape(std::string const& text);
/// "1x3x224x224"; -1 as "?".
std::string shapeText(std::span<int64_t const> dims);

} // namespace tenon::cli

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/text.h"

#include <stdexcept>

namespace tenon {

/// The kind of an error; the API edge maps it to its own codes.
enum class ErrorCode {
    InvalidArgument,
    InvalidModel,
    InvalidPlan,
    InvalidState,
    Unsupported,
    Plugin,
    Memory,
    Device,
    Internal
};

/// A line of Tenon's source.
struct SourceLine {
    char const* file;
    int line;
    char const* function;
};

/// An ErrorCode with the line that named it.
struct Found {
    ErrorCode code;
    SourceLine by;

    Found(ErrorCode what, char const* file = __builtin_FILE(), int line = __builtin_LINE(),
          char const* function = __builtin_FUNCTION())
        : code(what), by{file, line, function} {}
    Found(ErrorCode what, SourceLine const& line) : code(what), by(line) {}
};

/// The only exception type of the core. Its text says where, what was found, what was expected and what to do.
class Error : public std::runtime_error {
public:
    Error(Found found, std::string const& what) : std::runtime_error(what), found_(found) {}
    ErrorCode code() const { return found_.code; }
    /// The source line that detected it, for bug reports.
    SourceLine const& foundBy() const { return found_.by; }

private:
    Found found_;
};

/// fail(ErrorCode::InvalidModel, "weights have ", n, " input channels")
template <class... Parts> [[noreturn]] void fail(Found found, Parts const&... parts) {
    throw Error(found, text(parts...));
}

/// Runs `body`; prefixes an Error from it with `where` and ": ".
template <class Where, class Body> decltype(auto) locate(Where&& where, Body&& body) {
    try {
        return body();
    } catch (Error const& error) {
        throw Error({error.code(), error.foundBy()}, text(where(), ": ", error.what()));
    }
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/text.h"

#include <stdexcept>

namespace tenon {

/// What kind of thing went wrong; the API edge maps it to its own codes.
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

/// A line of our own source.
struct SourceLine {
    char const* file;
    int line;
    char const* function;
};

/// An ErrorCode that remembers which line named it.
struct Found {
    ErrorCode code;
    SourceLine by;

    Found(ErrorCode what, char const* file = __builtin_FILE(), int line = __builtin_LINE(),
          char const* function = __builtin_FUNCTION())
        : code(what), by{file, line, function} {}
    Found(ErrorCode what, SourceLine const& line) : code(what), by(line) {}
};

/// The one exception type inside. Its text says where, what was found, what was expected and what to do.
class Error : public std::runtime_error {
public:
    Error(Found found, std::string const& what) : std::runtime_error(what), found_(found) {}
    ErrorCode code() const { return found_.code; }
    /// The line that found it, for bug reports.
    SourceLine const& foundBy() const { return found_.by; }

private:
    Found found_;
};

/// fail(ErrorCode::InvalidModel, "weights have ", n, " input channels")
template <class... Parts> [[noreturn]] void fail(Found found, Parts const&... parts) {
    throw Error(found, text(parts...));
}

/// Runs `body`; an Error that leaves it gets `where` and ": " in front.
template <class Where, class Body> decltype(auto) locate(Where&& where, Body&& body) {
    try {
        return body();
    } catch (Error const& error) {
        throw Error({error.code(), error.foundBy()}, text(where(), ": ", error.what()));
    }
}

} // namespace tenon

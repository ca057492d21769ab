// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace tenon::cli {

/// Ends the command; its text says what is wrong, what was expected and what to do.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The concatenated parts, formatted as by an ostream.
template <class... Parts> std::string joined(Parts const&... parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
}

template <class... Parts> [[noreturn]] void fail(Parts const&... parts) { throw Failure(joined(parts...)); }

} // namespace tenon::cli

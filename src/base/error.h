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

/// The one exception type inside. Its text says where, what was found, what was expected and what to do.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, std::string const& what) : std::runtime_error(what), code_(code) {}
    ErrorCode code() const { return code_; }

private:
    ErrorCode code_;
};

/// fail(ErrorCode::InvalidModel, "weights have ", n, " input channels")
template <class... Parts> [[noreturn]] void fail(ErrorCode code, Parts const&... parts) {
    throw Error(code, text(parts...));
}

/// Runs `body`; an Error that leaves it gets `where` and ": " in front.
template <class Where, class Body> decltype(auto) locate(Where&& where, Body&& body) {
    try {
        return body();
    } catch (Error const& error) {
        throw Error(error.code(), text(where(), ": ", error.what()));
    }
}

} // namespace tenon

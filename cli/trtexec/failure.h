// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text.h"

#include <stdexcept>

namespace trtexec {

/// Ends the program with FAILED: a sentence for the user.
class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class... Parts> [[noreturn]] void fail(Parts const&... parts) { throw Failure(concat(parts...)); }

} // namespace trtexec

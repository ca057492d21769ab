// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

#include <exception>
#include <string_view>

namespace tenon::trt {

/// Calls a method of an object of the application; an exception becomes an Error that names the method.
template <class Call> auto callProgram(std::string_view method, Call&& call) {
    try {
        return call();
    } catch (std::exception const& error) {
        fail(ErrorCode::InvalidState, method, " threw \"", std::string_view(error.what()), '"');
    } catch (...) {
        fail(ErrorCode::InvalidState, method, " threw something that is not a std::exception");
    }
}

} // namespace tenon::trt

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/device.h"

#include "base/error.h"

namespace tenon {

void Device::refuse(std::string_view name) {
    fail(ErrorCode::InvalidArgument, "unknown device \"", name, "\"; expected 1 to ", kMostCharacters,
         " characters of a-z, 0-9 and _");
}

} // namespace tenon

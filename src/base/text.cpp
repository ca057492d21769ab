// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"

#include <charconv>

namespace tenon {

void append(std::string& to, double part) {
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits, part).ptr; // the shortest form that reads back equal
    to.append(digits, end);
}

} // namespace tenon

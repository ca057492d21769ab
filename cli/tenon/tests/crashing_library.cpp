// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>

namespace {

struct Crash {
    Crash() { std::abort(); }
} const crash;

} // namespace

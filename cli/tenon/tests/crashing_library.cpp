// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include <csignal>

namespace {

struct Crash {
    Crash() { std::raise(SIGSEGV); }
} const crash;

} // namespace

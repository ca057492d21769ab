// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::test {

/// The device that layers and engines are tested on: the CPU, or what TENON_TEST_DEVICE says (cpu, cuda).
Device testedDevice();
Backend const& testedBackend();
/// Why it cannot be tested here, for GTEST_SKIP; empty where it can.
std::string absenceOfTestedDevice();

} // namespace tenon::test

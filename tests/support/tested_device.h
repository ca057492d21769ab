// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::test {

/// The device that layers and engines are tested on: the CPU, or what TENON_TEST_DEVICE says (cpu, cuda).
Device testedDevice();
/// It is there: otherwise the program ends before its first case, and says why.
Backend const& testedBackend();

} // namespace tenon::test

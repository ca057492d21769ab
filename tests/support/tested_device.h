// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"

namespace tenon::test {

/// Why a device cannot be tested here; empty where it can.
std::string absenceOf(Device const& device);

/// The device that layers and engines are tested on: the CPU, or the one that TENON_TEST_DEVICE names.
Device testedDevice();
/// It is there: otherwise the program ends before its first case, and says why.
Backend const& testedBackend();

} // namespace tenon::test

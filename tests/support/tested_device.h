// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"

namespace tenon::test {

/// Why a device cannot be tested here; empty if it can.
std::string absenceOf(Device const& device);

/// The device on which layers and engines are tested: the CPU, or the one in TENON_TEST_DEVICE.
Device testedDevice();
/// Checks that it exists: otherwise the executable exits before its first case, with the reason.
Backend const& testedBackend();

} // namespace tenon::test

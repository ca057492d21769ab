// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan_edits.h"

namespace tenon::test {

enum class Outcome { Ran, Refused, TooLarge };

/// Reads a plan, makes an application's calls on the engine, and runs it at small shapes. Anything but success or a
/// named error throws an exception or ends the process.
Outcome tryPlan(std::span<std::byte const> plan, Random& random);

} // namespace tenon::test

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan_edits.h"

namespace tenon::test {

enum class Outcome { Ran, Refused, TooLarge };

/// Reads a plan, asks the engine what programs ask, and runs it at small shapes. An exception, or the end of the
/// process, where that goes otherwise than well or with a named error.
Outcome tryPlan(std::span<std::byte const> plan, Random& random);

} // namespace tenon::test

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/bytes.h"
#include "plan/json/json_memory.h"

#include <cstddef>
#include <functional>
#include <span>

namespace tenon::test {

using JsonEdit = std::function<void(Json&)>;

/// A plan with an edited description, its original blobs, and matching checksums. `editNetwork` changes its network.
Bytes editPlan(std::span<std::byte const> plan, JsonEdit const& edit, JsonEdit const& editNetwork = {});

} // namespace tenon::test

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace tenon::test {

/// A plan with an edited description, the blobs that it had, and checksums that fit.
std::vector<std::byte> editPlan(std::span<std::byte const> plan,
                                std::function<void(nlohmann::ordered_json&)> const& edit);

} // namespace tenon::test

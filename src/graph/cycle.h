// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// Numbers below `count` that form a cycle: each depends on the previous one and the first on the last, where i depends
/// on dependenciesOf(i). Empty if there is no cycle. The smallest number comes first.
std::vector<size_t> findCycle(size_t count, std::function<std::vector<size_t>(size_t i)> const& dependenciesOf);

/// "a, b, c": the names of a cycle for an error, the first 20 of a longer one.
std::string cycleText(std::vector<size_t> const& cycle, std::function<std::string(size_t i)> const& nameOf);

} // namespace tenon

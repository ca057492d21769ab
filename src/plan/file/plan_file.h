// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/bytes.h"
#include "plan/read_options.h"

#include <cstddef>
#include <memory>
#include <set>
#include <span>

namespace tenon {

Bytes writePlan(Plan const& plan);
/// The same without the refittable weights: the engine can run after refit() has set all of them. An Error if the plan
/// has none.
Bytes writeStripped(Plan const& plan);
/// The same, except for weights with other names.
Bytes writeWithout(Plan const& plan, std::set<std::string> const& names);

/// The plan in `bytes`, which are copied as far as needed. An Error names the problem: not a plan, another vendor's
/// engine, newer than this library, truncated, changed, or a plugin that is not registered. Weights and code for
/// another processor or GPU are created again, and kernels that were timed there use their first tactic; both are
/// logged. A plan for another device is built again from its network, which takes as long as a build, and is logged; an
/// Error if the plan has no network.
Plan readPlan(std::span<std::byte const> bytes, ReadOptions const& options = {});

/// As readPlan, from memory, 64-byte aligned, that is unchanged while `owner` lives: weights are not copied. Without an
/// owner they are.
Plan readPlan(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, ReadOptions const& options);

} // namespace tenon

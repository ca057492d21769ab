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
/// The same without the weights that may be exchanged: what is read can run after refit() has given all of them. An
/// Error where the plan has none.
Bytes writeStripped(Plan const& plan);
/// The same, but with all weights of other names.
Bytes writeWithout(Plan const& plan, std::set<std::string> const& names);

/// The plan in `bytes`, which are copied as far as they are needed. An Error says what is wrong with them: not a plan,
/// another vendor's engine, newer than this library, truncated, changed, or a plugin that is not registered.
/// Weights and code for another processor or GPU are made again, and kernels that were timed there take the first of
/// their tactics; both are logged. A plan for another device is built again from its network, which takes as long as
/// building did, and is logged; an Error where the plan holds no network.
Plan readPlan(std::span<std::byte const> bytes, ReadOptions const& options = {});

/// As readPlan, from memory, 64-byte aligned, that stays as it is while `owner` lives: weights are not copied. Without
/// an owner they are.
Plan readPlan(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, ReadOptions const& options);

} // namespace tenon

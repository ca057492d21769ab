// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "json.h"
#include "tenon/plan.h"

#include <string>

namespace tenon::cli {

/// What an engine holds, for scripts: docs/tenon.md names the keys. With `verify`, the weights are read and compared
/// with their checksums.
Json engineReport(PlanView const& plan, bool verify);
/// The same for people.
std::string engineText(Json const& report);

} // namespace tenon::cli

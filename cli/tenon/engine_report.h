// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "json.h"
#include "tenon/plan.h"

#include <string>

namespace tenon::cli {

/// The contents of an engine, for scripts: docs/tenon.md documents the keys. With `verify`, the weights are read and
/// compared with their checksums.
Json engineReport(PlanView const& plan, bool verify);
/// The same as text.
std::string engineText(Json const& report);

} // namespace tenon::cli

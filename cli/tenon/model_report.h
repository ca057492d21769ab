// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "json.h"

#include <string>
#include <vector>

namespace tenon::cli {

/// The contents of an ONNX model and whether it can be built, for scripts: docs/tenon.md documents the keys. Plugin
/// libraries are loaded first.
Json modelReport(std::string const& path, std::vector<std::string> const& plugins);
/// The same as text.
std::string modelText(Json const& report);

} // namespace tenon::cli

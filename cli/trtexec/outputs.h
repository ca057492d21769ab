// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "binding.h"

namespace trtexec {

using Bindings = std::vector<std::unique_ptr<Binding>>;

/// The values of all outputs, as text.
std::string outputsText(Bindings const& bindings);

/// The same as JSON: a list of { name, dimensions, values }.
std::string outputsJson(Bindings const& bindings);

/// The name of a file for its bytes: "x.input.2.3.fp32.raw".
std::string rawFileName(Binding const& binding);

} // namespace trtexec

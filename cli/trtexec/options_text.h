// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace trtexec {

/// The options in the log's form, in sections that begin with lines such as "=== Model Options ===".
std::string optionsText(Options const& options);

} // namespace trtexec

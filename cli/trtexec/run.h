// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace trtexec {

class Log;

/// Executes the options, from the model to the reports. A Failure ends it.
void run(Options const& options, Log& log);

} // namespace trtexec

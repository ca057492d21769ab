// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log.h"
#include "options.h"

#include <NvInfer.h>

namespace trtexec {

/// Exchanges the engine's weights where options say so, and times that; throws where it fails.
void refit(Options const& options, nvinfer1::ICudaEngine& engine, Log& log);
/// Whether weights are missing: the plan was stripped, and nothing gave them back.
bool lacksWeights(nvinfer1::ICudaEngine& engine, Log& log);

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log.h"
#include "options.h"

#include <NvInfer.h>

namespace trtexec {

/// Refits the engine's weights if the options request it, and times that; throws if it fails.
void refit(Options const& options, nvinfer1::ICudaEngine& engine, Log& log);
/// Gives a weight-stripped engine weights to run with, unless refit() did: those of the model that it was built from,
/// else zeros, with a warning. The results are right only with the former, the times with both.
void completeWeights(Options const& options, nvinfer1::ICudaEngine& engine, Log& log);

} // namespace trtexec

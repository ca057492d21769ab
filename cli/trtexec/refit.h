// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log.h"
#include "options.h"

#include <NvInfer.h>

namespace trtexec {

/// Exchanges the engine's weights where options say so, and times that; throws where it fails.
void refit(Options const& options, nvinfer1::ICudaEngine& engine, Log& log);
/// Gives a stripped engine weights to run with, where refit() did not: those of the model that it was built from, else
/// zeros, with a warning. The results are right with the former only, the times with both.
void completeWeights(Options const& options, nvinfer1::ICudaEngine& engine, Log& log);

} // namespace trtexec

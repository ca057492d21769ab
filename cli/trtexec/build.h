// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <memory>

namespace trtexec {

class Log;

using Runtime = std::unique_ptr<nvinfer1::IRuntime>;
using Engine = std::unique_ptr<nvinfer1::ICudaEngine>;

/// A saved engine, in memory or in a file.
struct SavedEngine {
    std::unique_ptr<nvinfer1::IHostMemory> built; // null: it is in the file
    std::string path;
};

/// Builds the engine from the model, and saves it and the timing cache if the options request it; or opens the engine's
/// file. A Failure says what failed; the log before it says why.
SavedEngine buildOrFind(Options const& options, Log& log);

/// A Failure if this runtime does not load it.
Engine load(nvinfer1::IRuntime& runtime, SavedEngine const& saved);
/// The same, and logs the duration.
Engine loadEngine(nvinfer1::IRuntime& runtime, SavedEngine const& saved, Log& log);

} // namespace trtexec

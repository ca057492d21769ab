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

/// Builds the engine from the model, and saves it and the timing cache where the options say so; or finds the engine's
/// file. A Failure says what went wrong, and the log before it why.
SavedEngine buildOrFind(Options const& options, Log& log);

/// A Failure where it is not an engine that this runtime loads.
Engine load(nvinfer1::IRuntime& runtime, SavedEngine const& saved);
/// The same, and logs how long it took.
Engine loadEngine(nvinfer1::IRuntime& runtime, SavedEngine const& saved, Log& log);

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <memory>

namespace trtexec {

class Log;

using Runtime = std::unique_ptr<nvinfer1::IRuntime>;
using Engine = std::unique_ptr<nvinfer1::ICudaEngine>;

/// A saved engine, from memory or from a file.
struct EngineBytes {
    std::unique_ptr<nvinfer1::IHostMemory> built;
    std::string read;

    std::string_view bytes() const {
        return built ? std::string_view(static_cast<char const*>(built->data()), built->size()) : read;
    }
};

/// Builds the engine from the model, and saves it and the timing cache where the options say so; or reads the engine's
/// file. A Failure says what went wrong, and the log before it why.
EngineBytes buildOrRead(Options const& options, Log& log);

/// A Failure where it is not an engine that this runtime loads.
Engine loadEngine(nvinfer1::IRuntime& runtime, EngineBytes const& bytes, Log& log);

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "api.h"
#include "feeds.h"

namespace tenon::cli {

/// An engine, and an array for each of its inputs.
struct Prepared {
    std::unique_ptr<nvinfer1::ICudaEngine> engine;
    Arrays inputs;
};

/// Loads an engine, or builds one from a model (NAME.onnx) for the shapes of its inputs.
Prepared prepare(Api& api, std::string const& path, Feeds const& feeds);

std::vector<Port> portsOf(nvinfer1::ICudaEngine const& engine, nvinfer1::TensorIOMode mode);

/// Runs once. The outputs by name, with the shapes of this run.
Arrays execute(Api& api, Prepared const& prepared);

} // namespace tenon::cli

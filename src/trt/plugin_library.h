// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"

#include <string>
#include <vector>

namespace tenon::trt {

/// Opens a plugin library; what it registers by itself it registers meanwhile. An Error says what is missing, also
/// where that is a library built against NVIDIA's headers.
void* openPluginLibrary(std::string const& path);

/// Tells the library which logger is in use (its function setLoggerFinder) and lists its creators (getCreators, and
/// getPluginCreators); none where it has no such function.
std::vector<nvinfer1::IPluginCreatorInterface*> creatorsOfLibrary(void* handle);

void closePluginLibrary(void* handle);

} // namespace tenon::trt

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntimeBase.h>

#include <string>

namespace trtexec {

/// The build routes that an engine may be built by, as JSON. A Failure where there is no builder.
std::string buildRoutes(nvinfer1::ILogger& log);

} // namespace trtexec

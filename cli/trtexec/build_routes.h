// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <string>

namespace trtexec {

/// The available build routes of engines, as JSON. A Failure if there is no builder.
std::string buildRoutes(nvinfer1::ILogger& log);

/// Sets the options of a route; an error if the builder lacks one of them, which its log names.
void setBuildRoute(nvinfer1::IBuilderConfig& config, std::string const& route);

} // namespace trtexec

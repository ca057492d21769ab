// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Compiled at level 11, the only one with these methods.
#include "build_routes.h"

#include "failure.h"

#include <NvInfer.h>

#include <memory>

namespace trtexec {

std::string buildRoutes(nvinfer1::ILogger& log) {
    std::unique_ptr<nvinfer1::IBuilder> const builder(nvinfer1::createInferBuilder(log));
    std::unique_ptr<nvinfer1::IBuilderConfig> const config(builder ? builder->createBuilderConfig() : nullptr);
    if (!config) fail("--helpBuildRoute: there is no builder; see the log above");
    return config->getAllBuildRoutes();
}

void setBuildRoute(nvinfer1::IBuilderConfig& config, std::string const& route) {
    if (!config.setBuildRoute(route.c_str())) fail("--setBuildRoute=", route, ": the builder refuses it; see above");
}

} // namespace trtexec

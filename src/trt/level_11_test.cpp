// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What came with level 11, as its programs call it.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "NvInfer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace nvinfer1;

class LastError final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text;
    }
    std::string last;
};

struct Level11 : testing::Test {
    LastError error;
    std::unique_ptr<IBuilder> builder{createInferBuilder(error)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    std::unique_ptr<IBuilderConfig> config{builder->createBuilderConfig()};
};

TEST_F(Level11, hasNoBuildRoutes) {
    EXPECT_STREQ(config->getBuildRoute(), "");
    EXPECT_TRUE(config->setBuildRoute(""));
    EXPECT_FALSE(config->setBuildRoute("-kgen:codegen:cuda_tile=2"));
    EXPECT_EQ(error.last, "setBuildRoute: not supported: options of a compiler of kernels; getAllBuildRoutes() lists "
                          "none");
    EXPECT_FALSE(config->setBuildRoute(nullptr));
    EXPECT_EQ(error.last, "setBuildRoute: buildRoute is null");
    EXPECT_STREQ(config->getBuildRoute(), "");
    std::string const routes = config->getAllBuildRoutes();
    EXPECT_EQ(routes.find("{\"tuner_version\": \""), 0U) << routes;
    EXPECT_NE(routes.find("\", \"tuner_options\": []}"), std::string::npos) << routes;
}

} // namespace

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists its creators in functions, and requests the application's logger.

#include "one_plugin.h"

namespace {
char const* const kFirst = "ListedByGetCreators";
char const* const kSecond = "ListedByGetPluginCreators";
} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void setLoggerFinder(nvinfer1::ILoggerFinder* finder) {
    if (auto* logger = finder->findLogger())
        logger->log(nvinfer1::ILogger::Severity::kWARNING, "listed_plugins is here");
}

EXPORTED nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators) {
    static Creator<kFirst> creator;
    static nvinfer1::IPluginCreatorInterface* const all[]{&creator};
    nbCreators = 1;
    return all;
}

EXPORTED nvinfer1::IPluginCreator* const* getPluginCreators(int32_t& nbCreators) {
    static Creator<kSecond> creator;
    static nvinfer1::IPluginCreator* const all[]{&creator};
    nbCreators = 1;
    return all;
}

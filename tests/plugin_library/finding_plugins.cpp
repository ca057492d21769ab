// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that requests the application's logger in the form of each level, and lists a creator.

#include "one_plugin.h"

namespace {

char const* const kFinding = "FindingAtLevel" TENON_TEXT(TENON_LEVEL);

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void setLoggerFinder(nvinfer1::ILoggerFinder* finder) {
    if (nvinfer1::ILogger* const logger = finder->findLogger())
        logger->log(nvinfer1::ILogger::Severity::kWARNING, kFinding);
}

EXPORTED nvinfer1::IPluginCreator* const* getPluginCreators(int32_t& nbCreators) {
    static Creator<kFinding> creator;
    static nvinfer1::IPluginCreator* const all[]{&creator};
    nbCreators = 1;
    return all;
}

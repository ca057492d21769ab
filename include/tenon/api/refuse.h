// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// How headers say that something is not there.
#ifndef TENON_API_REFUSE_H
#define TENON_API_REFUSE_H

#include "NvInferRuntime.h"

#include <string>

namespace nvinfer1 {

namespace tenonAbi {

/// Tells the log, and the recorder where there is one, "method: why".
inline void refuse(char const* method, char const* why, IErrorRecorder* recorder = nullptr) {
    std::string const text = std::string(method) + ": " + why;
    if (ILogger* const logger = getLogger()) logger->log(ILogger::Severity::kERROR, text.c_str());
    if (recorder) recorder->reportError(ErrorCode::kUNSUPPORTED_STATE, text.c_str());
}

} // namespace tenonAbi

} // namespace nvinfer1

#endif

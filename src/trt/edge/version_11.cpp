// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "trt/edge/version.inc"

#include "NvOnnxParser.h"

extern "C" int getNvOnnxParserVersion() noexcept { return NV_ONNX_PARSER_VERSION; }

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The version of the API that these headers present: the last release of the chosen level (tenon/api/level.h), which is
// what code that asks `#if NV_TENSORRT_MAJOR >= 8` wants to know. It is not the version of Tenon. Build scripts read
// numbers from this file by regular expression, the names of libraries (SONAME) too, and from 10.11 on
// TRT_…_ENTERPRISE: so every number is written out.
#ifndef NV_INFER_VERSION_H
#define NV_INFER_VERSION_H

#include "tenon/api/level.h"

#include <cstdint>

#if TENON_LEVEL == 7
#define NV_TENSORRT_MAJOR 7
#define NV_TENSORRT_MINOR 2
#define NV_TENSORRT_PATCH 3
#define NV_TENSORRT_BUILD 4
#define NV_TENSORRT_SONAME_MAJOR 7
#define NV_TENSORRT_SONAME_MINOR 2
#define NV_TENSORRT_SONAME_PATCH 3
#elif TENON_LEVEL == 8
#define NV_TENSORRT_MAJOR 8
#define NV_TENSORRT_MINOR 6
#define NV_TENSORRT_PATCH 1
#define NV_TENSORRT_BUILD 5
#define NV_TENSORRT_SONAME_MAJOR 8
#define NV_TENSORRT_SONAME_MINOR 6
#define NV_TENSORRT_SONAME_PATCH 1
#elif TENON_LEVEL == 10
#define NV_TENSORRT_MAJOR 10
#define NV_TENSORRT_MINOR 16
#define NV_TENSORRT_PATCH 0
#define NV_TENSORRT_BUILD 72
#define TRT_MAJOR_ENTERPRISE 10
#define TRT_MINOR_ENTERPRISE 16
#define TRT_PATCH_ENTERPRISE 0
#define TRT_BUILD_ENTERPRISE 72
#else
#define NV_TENSORRT_MAJOR 11
#define NV_TENSORRT_MINOR 4
#define NV_TENSORRT_PATCH 0
#define NV_TENSORRT_BUILD 106
#define TRT_MAJOR_ENTERPRISE 11
#define TRT_MINOR_ENTERPRISE 4
#define TRT_PATCH_ENTERPRISE 0
#define TRT_BUILD_ENTERPRISE 106
#endif

#if TENON_LEVEL >= 8
#define NV_TENSORRT_LWS_MAJOR 0
#define NV_TENSORRT_LWS_MINOR 0
#define NV_TENSORRT_LWS_PATCH 0
#define NV_TENSORRT_RELEASE_TYPE_EARLY_ACCESS 0
#define NV_TENSORRT_RELEASE_TYPE_RELEASE_CANDIDATE 1
#define NV_TENSORRT_RELEASE_TYPE_GENERAL_AVAILABILITY 2
#define NV_TENSORRT_RELEASE_TYPE NV_TENSORRT_RELEASE_TYPE_GENERAL_AVAILABILITY
#endif

// The version as one number, 7203, 8601, 101600, 110400. Each level keeps the kind of name that it had: a constant, a
// macro for a constant, a macro for a literal (only the last can be used in #if).
#if TENON_LEVEL == 7
static const int32_t NV_TENSORRT_VERSION = NV_TENSORRT_MAJOR * 1000 + NV_TENSORRT_MINOR * 100 + NV_TENSORRT_PATCH;
#elif TENON_LEVEL == 8
namespace nvinfer1 {
constexpr int32_t kNV_TENSORRT_VERSION_IMPL = NV_TENSORRT_MAJOR * 1000 + NV_TENSORRT_MINOR * 100 + NV_TENSORRT_PATCH;
}
#define NV_TENSORRT_VERSION nvinfer1::kNV_TENSORRT_VERSION_IMPL
#else
#define NV_TENSORRT_VERSION_INT(major, minor, patch) ((major)*10000L + (minor)*100L + (patch)*1L)
#define NV_TENSORRT_VERSION NV_TENSORRT_VERSION_INT(NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR, NV_TENSORRT_PATCH)
#endif

#endif // NV_INFER_VERSION_H

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace tenon::trt {

// The name prefix of a library's kernels; cuBLAS's are cuBLASLt's.
inline constexpr std::string_view kCudnn = "cudnn";
inline constexpr std::string_view kCublasLt = "cublaslt";

} // namespace tenon::trt

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/device.h"

#include "base/error.h"

#include <cstdlib>
#include <string_view>

namespace tenon::trt {

Device wantedDevice() {
    char const* const set = std::getenv("TENON_DEVICE");
    std::string_view const wanted = set ? set : "";
    if (wanted.empty() || wanted == "cpu") return Device::Cpu;
    if (wanted == "cuda" || wanted.starts_with("cuda:")) return Device::Cuda;
    fail(ErrorCode::InvalidArgument, "TENON_DEVICE is \"", wanted, "\"; expected cpu, cuda or cuda:N");
}

} // namespace tenon::trt

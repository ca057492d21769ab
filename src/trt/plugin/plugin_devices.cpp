// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_devices.h"

#include "base/error.h"
#include "tenon/plugin.h"

using tenon::Device;
using tenon::ErrorCode;

namespace {

char const* orEmpty(char const* text) { return text ? text : ""; }

} // namespace

char const* tenonSetPluginDevices(char const* name, char const* version, char const* nameSpace,
                                  int32_t devices) noexcept try {
    constexpr int32_t kCpu = 1;
    constexpr int32_t kCuda = 2;
    if (name == nullptr || *name == '\0') tenon::fail(ErrorCode::InvalidArgument, "the plugin has no name");
    if (devices < kCpu || devices > (kCpu | kCuda))
        tenon::fail(ErrorCode::InvalidArgument, "plugin ", name, ": no PluginDevices has the number ", devices,
                    "; give kCPU, kCUDA or kBOTH");
    tenon::declareDevices({name, orEmpty(version), orEmpty(nameSpace)},
                          {(devices & kCpu) != 0, (devices & kCuda) != 0});
    return nullptr;
} catch (std::exception const& error) {
    thread_local std::string kept;
    kept = error.what();
    return kept.c_str();
}

int32_t tenonCurrentPluginDevice() noexcept {
    auto const device = tenon::PluginDevice::current();
    if (!device) return 0;
    return *device == Device::Cpu ? 1 : 2;
}

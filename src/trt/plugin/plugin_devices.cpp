// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_devices.h"

#include "base/error.h"
#include "plugin/registry.h"
#include "tenon/plugin.h"

using tenon::Device;
using tenon::ErrorCode;

namespace {

constexpr int32_t kCpu = 1;
constexpr int32_t kCuda = 2;

char const* orEmpty(char const* text) { return text ? text : ""; }

} // namespace

char const* tenonSetPluginDevices(char const* name, char const* version, char const* nameSpace,
                                  int32_t devices) noexcept try {
    if (name == nullptr || *name == '\0') tenon::fail(ErrorCode::InvalidArgument, "the plugin has no name");
    if (devices < kCpu || devices > (kCpu | kCuda))
        tenon::fail(ErrorCode::InvalidArgument, "plugin ", name, ": no PluginDevices has the number ", devices,
                    "; expected kCPU, kCUDA or kBOTH");
    tenon::declareDevices({name, orEmpty(version), orEmpty(nameSpace)},
                          {(devices & kCpu) != 0, (devices & kCuda) != 0});
    return nullptr;
} catch (std::exception const& error) {
    thread_local std::string kept;
    kept = error.what();
    return kept.c_str();
}

// Without memory for it, the object counts as not set.
void tenonSetPluginObjectDevices(void const* plugin, int32_t devices) noexcept try {
    bool const isKnown = devices >= kCpu && devices <= (kCpu | kCuda);
    tenon::declareDevices(plugin, isKnown ? std::optional(tenon::RunsOn{(devices & kCpu) != 0, (devices & kCuda) != 0})
                                          : std::nullopt);
} catch (std::bad_alloc const&) {
}

// Without memory to look it up, it counts as not set.
int32_t tenonPluginDevices(char const* name, char const* version, char const* nameSpace) noexcept try {
    auto const declared = tenon::declaredDevices({orEmpty(name), orEmpty(version), orEmpty(nameSpace)});
    return declared ? (declared->cpu ? kCpu : 0) | (declared->cuda ? kCuda : 0) : 0;
} catch (std::bad_alloc const&) {
    return 0;
}

int32_t tenonCurrentPluginDevice() noexcept {
    auto const device = tenon::PluginDevice::current();
    if (!device) return 0;
    return *device == Device::Cpu ? kCpu : kCuda;
}

// Without memory for it, errors name loadLibrary.
void tenonSetPluginLoading(char const* how) noexcept try {
    tenon::PluginRegistry::setLoading(orEmpty(how));
} catch (std::bad_alloc const&) {
}

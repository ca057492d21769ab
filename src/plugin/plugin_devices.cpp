// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_devices.h"

#include <map>
#include <mutex>
#include <tuple>

namespace tenon {
namespace {

struct Earlier {
    bool operator()(PluginName const& a, PluginName const& b) const {
        return std::tie(a.name, a.version, a.nameSpace) < std::tie(b.name, b.version, b.nameSpace);
    }
};

struct Declared {
    std::mutex mutex;
    std::map<PluginName, RunsOn, Earlier> devices;
};

/// Never destroyed: libraries declare theirs while they are loaded, in whatever order.
Declared& declared() {
    static Declared& all = *new Declared;
    return all;
}

thread_local std::optional<Device> currentDevice;

} // namespace

void declareDevices(PluginName const& name, RunsOn devices) {
    std::lock_guard const lock(declared().mutex);
    declared().devices[name] = devices;
}

RunsOn devicesOf(PluginName const& name) {
    std::lock_guard const lock(declared().mutex);
    auto const found = declared().devices.find(name);
    return found == declared().devices.end() ? RunsOn() : found->second;
}

PluginDevice::PluginDevice(Device device) noexcept : before_(currentDevice) { currentDevice = device; }
PluginDevice::~PluginDevice() { currentDevice = before_; }
std::optional<Device> PluginDevice::current() noexcept { return currentDevice; }

} // namespace tenon

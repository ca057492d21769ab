// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_devices.h"

#include "base/error.h"
#include "plugin/registry.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

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
    std::unordered_map<void const*, RunsOn> ofObjects;
};

/// Never destroyed: libraries declare theirs while they are loaded, in any order.
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

std::optional<RunsOn> declaredDevices(PluginName const& name) {
    std::lock_guard const lock(declared().mutex);
    auto const found = declared().devices.find(name);
    return found == declared().devices.end() ? std::nullopt : std::optional(found->second);
}

void declareDevices(void const* userObject, std::optional<RunsOn> devices) {
    std::lock_guard const lock(declared().mutex);
    if (devices)
        declared().ofObjects[userObject] = *devices;
    else
        declared().ofObjects.erase(userObject);
}

namespace {

std::optional<RunsOn> devicesOf(Plugin const& plugin) {
    {
        std::lock_guard const lock(declared().mutex);
        auto const found = declared().ofObjects.find(plugin.userObject());
        if (found != declared().ofObjects.end()) return found->second;
    }
    return declaredDevices(plugin.name());
}

bool isNamedForCpu(std::string_view name) {
    char const* const set = std::getenv("TENON_CPU_PLUGINS");
    std::string_view rest = set ? set : "";
    while (!rest.empty()) {
        std::string_view const first = rest.substr(0, rest.find(','));
        if (first == name) return true;
        rest.remove_prefix(std::min(rest.size(), first.size() + 1));
    }
    return false;
}

void const* vtableOf(Plugin const& plugin) { return *static_cast<void* const*>(plugin.userObject()); }

} // namespace

bool runsOnDevice(Plugin const& plugin, Device device) {
    if (device == Device::Cpu || backendOf(device).pluginSupport() == nullptr) return false;
    return devicesOf(plugin).value_or(RunsOn()).cuda;
}

/// The library's file is read last, as it takes longest.
void expectRunsOnCpu(Plugin const& plugin) {
    if (auto const said = devicesOf(plugin)) {
        if (said->cpu) return;
        fail(ErrorCode::Plugin, "the plugin is declared for CUDA devices only, and this engine's plugins run on the "
                                "CPU; build it with TENON_DEVICE=cuda");
    }
    if (isNamedForCpu(plugin.name().name) || !liesWithDeviceCode(vtableOf(plugin))) return;
    fail(ErrorCode::Plugin, "the plugin does not declare its devices, and ", originOf(vtableOf(plugin)).library,
         " holds code for GPUs, so it gets no host memory. If it computes on the CPU, declare it with "
         "tenon::setPluginDevices() or TENON_CPU_PLUGINS=",
         plugin.name().name, "; else build the engine with TENON_DEVICE=cuda");
}

PluginDevice::PluginDevice(Device device) noexcept : before_(currentDevice) { currentDevice = device; }
PluginDevice::~PluginDevice() { currentDevice = before_; }
std::optional<Device> PluginDevice::current() noexcept { return currentDevice; }

} // namespace tenon

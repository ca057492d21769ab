// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin.h"

#include <optional>

namespace tenon {

/// The device on which a plugin runs.
struct RunsOn {
    bool cpu = true;
    bool cuda = true;
};

/// For the plugins of this name from now on. Thread-safe.
void declareDevices(PluginName const& name, RunsOn devices);
/// The last declaration for the plugins of this name. Thread-safe.
std::optional<RunsOn> declaredDevices(PluginName const& name);
/// For this user's object, whatever its name; cannot be withdrawn. Thread-safe.
void declareDevices(void const* userObject, std::optional<RunsOn> devices);
/// In engines of this device it receives device memory: the device runs plugins, and this one is declared for GPUs or
/// not declared at all.
bool runsOnDevice(Plugin const& plugin, Device device);
/// An Error if the plugin does not run on the CPU: why not, and what to do. An undeclared plugin does, unless its
/// library holds code for GPUs and TENON_CPU_PLUGINS (names separated by commas) does not name it.
void expectRunsOnCpu(Plugin const& plugin);

/// While it lives, this thread calls a plugin whose data are on this device.
class PluginDevice {
public:
    explicit PluginDevice(Device device) noexcept;
    ~PluginDevice();
    PluginDevice(PluginDevice const&) = delete;
    PluginDevice& operator=(PluginDevice const&) = delete;

    static std::optional<Device> current() noexcept;

private:
    std::optional<Device> before_;
};

} // namespace tenon

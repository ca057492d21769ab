// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin.h"

#include <optional>

namespace tenon {

/// Where a plugin runs.
struct RunsOn {
    bool cpu = true;
    bool cuda = true;
};

/// For the plugins of this name from now on. Any thread.
void declareDevices(PluginName const& name, RunsOn devices);
/// What was declared last for the plugins of this name. Any thread.
std::optional<RunsOn> declaredDevices(PluginName const& name);
/// For this object of a user's, whatever its name; nothing withdraws it. Any thread.
void declareDevices(void const* userObject, std::optional<RunsOn> devices);
/// In engines of this device it is given the device's memory: the device runs plugins, and this one is declared for
/// GPUs or not declared at all.
bool runsOnDevice(Plugin const& plugin, Device device);
/// An Error where the plugin does not run on the CPU: why not, and what to do. Where nothing is declared it does,
/// unless its library holds code for GPUs and TENON_CPU_PLUGINS (names, with commas between them) does not name it.
void expectRunsOnCpu(Plugin const& plugin);

/// While it lives, this thread calls a plugin whose data lie on this device.
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

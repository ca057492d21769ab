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
/// As declared; everywhere for a plugin that declares nothing.
RunsOn devicesOf(PluginName const& name);

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

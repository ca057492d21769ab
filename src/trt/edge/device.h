// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "base/log.h"

namespace tenon::trt {

/// A device by its backend and its index among devices of that kind.
struct DeviceChoice {
    Device device = Device::Cpu;
    int index = 0;
};
void append(std::string& to, DeviceChoice const& choice); // cpu, cuda:1, NAME:0

/// The device that engines are built for and run on (tenon/device.h); its name is logged. An Error if the requested
/// name is unknown, or this machine has no such device.
DeviceChoice wantedDevice(Log const& log);
/// The device of this name; null: the requested one. An Error if there is none.
DeviceChoice deviceCalled(char const* name);

/// use(backend) while that device is current.
template <class Use> auto on(DeviceChoice const& choice, Use const& use) {
    Backend const& backend = backendOf(choice.device);
    CurrentDevice const current(backend, choice.index);
    return use(backend);
}
/// The same on the requested device, without a log.
template <class Use> auto onWantedDevice(Use const& use) { return on(deviceCalled(nullptr), use); }

} // namespace tenon::trt

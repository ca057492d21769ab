// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include "cpu_device.h"
#include "cuda_device.h"
#include "failure.h"
#include "log.h"

#include <cstdlib>
#include <tenon/device.h>
#include <thread>

namespace trtexec {
namespace {

std::string chosenDevice(SystemOptions const& options) {
    if (!options.device.empty()) {
        if (char const* why = tenon::setDevice(options.device.c_str())) fail("--device=", options.device, ": ", why);
    }
    if (char const* name = tenon::getDevice()) return name;
    char const* const set = std::getenv("TENON_DEVICE");
    char const* const why = tenon::setDevice(set);
    fail("TENON_DEVICE=", set ? set : "", ": ", why ? why : "there is no such device");
}

} // namespace

std::unique_ptr<Device> selectDevice(SystemOptions const& options, Log& log) {
    log.info("=== Device Information ===");
    std::string const name = chosenDevice(options);
    char const* const described = tenon::describeDevice(name.c_str());
    std::string const description = described ? described : name;
    log.info("Available Devices: ");
    log.info("  Device ", name, ": \"", description, '"');
    log.info("Selected Device: ", description);
    log.info("Selected Device ID: ", name);
    bool const isCpu = name == "cpu";
    if (isCpu) log.info("SMs: ", std::thread::hardware_concurrency(), " (hardware threads)");
    if (char const* const threads = isCpu ? tenon::describeThreads() : nullptr) log.info("Threads of a run: ", threads);
    auto device = isCpu ? makeCpuDevice() : makeCudaDevice(name);
    log.info("Device Global Memory: ", device->memoryBytes() >> 20, " MiB");
    log.info("");
    return device;
}

} // namespace trtexec

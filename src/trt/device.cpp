// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/device.h"

#include "backends/kernel.h"
#include "base/error.h"
#include "tenon/device.h"

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace tenon::trt {
namespace {

struct Choice {
    Device device = Device::Cpu;
    int index = 0; // among the devices of this kind
};

void append(std::string& to, Choice const& choice) {
    to += choice.device == Device::Cpu ? "cpu" : text("cuda:", choice.index);
}

Choice parseDevice(std::string_view name) {
    if (name == "cpu") return {};
    Choice cuda{Device::Cuda, 0};
    if (name == "cuda") return cuda;
    if (std::string_view const prefix = "cuda:"; name.starts_with(prefix)) {
        char const* const end = name.data() + name.size();
        auto const read = std::from_chars(name.data() + prefix.size(), end, cuda.index);
        if (read.ec == std::errc() && read.ptr == end && cuda.index >= 0) return cuda;
    }
    fail(ErrorCode::InvalidArgument, "no device is called \"", name, "\"; expected cpu, cuda or cuda:N");
}

/// The device of this name; an Error where the machine does not have it.
Choice deviceNamed(std::string_view name) {
    Choice const choice = parseDevice(name);
    locate([&] { return text("device ", name); }, [&] { backendOf(choice.device); });
    return choice;
}

std::mutex chosenMutex;
std::optional<Choice> chosen; // by setDevice()

Choice currentChoice() {
    {
        std::lock_guard const lock(chosenMutex);
        if (chosen) return *chosen;
    }
    char const* const set = std::getenv("TENON_DEVICE");
    if (set == nullptr || *set == '\0') return {};
    return locate([] { return "TENON_DEVICE"; }, [&] { return deviceNamed(set); });
}

/// The answer of a C function: lives until the thread's next.
char const* keep(std::string text) {
    thread_local std::string kept;
    kept = std::move(text);
    return kept.c_str();
}

} // namespace

Device wantedDevice(Log const& log) {
    Choice const choice = currentChoice();
    say(log, Severity::Info, text("device ", choice, ": ", backendOf(choice.device).describe()));
    return choice.device;
}

} // namespace tenon::trt

using namespace tenon::trt;

char const* tenonSetDevice(char const* device) noexcept try {
    std::optional<Choice> wanted;
    if (device) wanted = deviceNamed(device);
    std::lock_guard const lock(chosenMutex);
    chosen = wanted;
    return nullptr;
} catch (std::exception const& error) {
    return keep(error.what());
}

char const* tenonGetDevice() noexcept try { return keep(tenon::text(currentChoice())); } catch (std::exception const&) {
    return nullptr;
}

char const* tenonDescribeDevice(char const* device) noexcept try {
    return device ? keep(tenon::backendOf(deviceNamed(device).device).describe()) : nullptr;
} catch (std::exception const&) {
    return nullptr;
}

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/device.h"

#include "NvInfer.h"
#include "backends/library_folder.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/parallel.h"
#include "tenon/device.h"
#include "trt/edge/edge.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace tenon::trt {

void append(std::string& to, DeviceChoice const& choice) {
    to += choice.device == Device::Cpu ? text(choice.device) : text(choice.device, ':', choice.index);
}

namespace {

/// The defaults, the best first. Other backends are used on request.
constexpr Device kUsual[]{Device("cuda"), Device::Cpu};

/// A device by name; without a number, the device that is current in the calling thread.
struct NamedDevice {
    Device device = Device::Cpu;
    std::optional<int> index;
};

/// NAME or NAME:N.
NamedDevice parseDevice(std::string_view name) {
    std::string_view const kind = name.substr(0, name.find(':'));
    if (Device::isName(kind) && kind == name) return {Device(kind), std::nullopt};
    int index = 0;
    char const* const end = name.data() + name.size();
    auto const read = std::from_chars(name.data() + std::min(kind.size() + 1, name.size()), end, index);
    if (!Device::isName(kind) || read.ec != std::errc() || read.ptr != end || index < 0)
        fail(ErrorCode::InvalidArgument, "unknown device \"", name,
             "\"; expected cpu, cuda, cuda:N, or the name of another backend, "
             "1 to ",
             Device::kMostCharacters, " characters of a-z, 0-9 and _, and its number");
    return {Device(kind), index};
}

/// The device of this name; an Error if the machine does not have it.
NamedDevice deviceNamed(std::string_view name) {
    NamedDevice const named = parseDevice(name);
    locate([&] { return text("device ", name); },
           [&] {
               Backend const& backend = backendOf(named.device);
               if (!named.index) return;
               CurrentDevice const there(backend, *named.index);
               backend.describe(); // an Error if it is too old
           });
    return named;
}

std::mutex chosenMutex;
std::optional<NamedDevice> chosen; // by setDevice()

/// The first that is available; the reasons against the others are appended to `whyNotOthers`.
NamedDevice bestDevice(std::string& whyNotOthers) {
    for (Device const device : kUsual) {
        try {
            backendOf(device);
            return {device, std::nullopt};
        } catch (Error const& error) {
            whyNotOthers = error.what();
        }
    }
    return {};
}

DeviceChoice resolve(NamedDevice const& named) {
    return {named.device, named.index ? *named.index : backendOf(named.device).current()};
}

DeviceChoice currentChoice(std::string& whyNotOthers) {
    {
        std::lock_guard const lock(chosenMutex);
        if (chosen) return resolve(*chosen);
    }
    char const* const set = std::getenv("TENON_DEVICE");
    if (set == nullptr || *set == '\0') return resolve(bestDevice(whyNotOthers));
    return resolve(locate([] { return "TENON_DEVICE"; }, [&] { return deviceNamed(set); }));
}

std::string describe(DeviceChoice const& choice) {
    return on(choice, [](Backend const& backend) { return backend.describe(); });
}

/// The result of a C function: valid until the thread's next call.
char const* keep(std::string text) {
    thread_local std::string kept;
    kept = std::move(text);
    return kept.c_str();
}

} // namespace

DeviceChoice wantedDevice(Log const& log) {
    std::string whyNotOthers;
    DeviceChoice const choice = currentChoice(whyNotOthers);
    if (!whyNotOthers.empty()) say(log, Severity::Verbose, whyNotOthers);
    say(log, Severity::Info, text("device ", choice, ": ", describe(choice)));
    return choice;
}

DeviceChoice deviceCalled(char const* name) {
    std::string whyNotOthers;
    return name ? resolve(deviceNamed(name)) : currentChoice(whyNotOthers);
}

} // namespace tenon::trt

using namespace tenon::trt;

char const* tenonSetDevice(char const* device) noexcept try {
    std::optional<NamedDevice> wanted;
    if (device) wanted = deviceNamed(device);
    std::lock_guard const lock(chosenMutex);
    chosen = wanted;
    return nullptr;
} catch (std::exception const& error) {
    return keep(error.what());
}

char const* tenonGetDevice() noexcept try {
    std::string whyNotOthers;
    return keep(tenon::text(currentChoice(whyNotOthers)));
} catch (std::exception const&) {
    return nullptr;
}

char const* tenonDescribeDevice(char const* device) noexcept try {
    return device ? keep(describe(resolve(deviceNamed(device)))) : nullptr;
} catch (std::exception const&) {
    return nullptr;
}

char const* tenonDescribeThreads() noexcept try {
    int const threads = tenon::defaultThreads();
    char const* const wanted = std::getenv("TENON_THREADS");
    return keep(tenon::text(threads, threads == 1 ? " thread (" : " threads (",
                            wanted ? tenon::text("TENON_THREADS=", wanted, ", ") : std::string(), tenon::describeCpus(),
                            ')'));
} catch (std::exception const&) {
    return nullptr;
}

extern "C" bool nvinfer1::setInternalLibraryPath(AsciiChar const* path) noexcept {
    return guarded(Reporter(getLogger()), "setInternalLibraryPath", [&] {
        tenon::setLibraryFolder(expectText(path, "path"));
        return true;
    });
}

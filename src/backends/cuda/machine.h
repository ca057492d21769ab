// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/text.h"

#include <string>
#include <vector>

namespace tenon::cuda {

/// The oldest compute capability that the kernels of this library support.
inline constexpr int kOldestCapability = 80; // 8.0
/// The one with machine code; the driver compiles for others.
inline constexpr int kCompiledCapability = 90;

struct Gpu {
    int index = 0;
    std::string name;
    int capability = 0; // 90: compute capability 9.0
};

/// The properties of a machine that decide whether CUDA can be used. Versions are CUDA's: 12040 is 12.4.
struct Machine {
    int runtime = 0; // with which this library is built
    int driver = 0;  // the newest that the driver supports; 0: there is no driver
    std::vector<Gpu> gpus;
};

/// A status of the runtime and of the driver, which have the same meaning in both.
enum class Status : int {
    Success = 0,
    InsufficientDriver = 35,
    InvalidDeviceFunction = 98,
    NoDevice = 100,
    InvalidDevice = 101,
    NoKernelImage = 209,
    UnsupportedPtx = 222,
    JitNotFound = 221,
    JitDisabled = 223,
    DriverMismatch = 803,
    CompatibilityUnsupported = 804,
};

/// The properties of this machine; unknown ones stay empty. Names are set only for GPUs that are too old.
Machine findMachine();
/// adviceOn() for a status of the runtime or the driver on this machine and its current device.
std::string adviceHere(int status);

inline std::string versionText(int version) { return text(version / 1000, '.', version % 1000 / 10); }
inline std::string capabilityText(int capability) { return text(capability / 10, '.', capability % 10); }

inline void append(std::string& to, Gpu const& gpu) {
    to += text("cuda:", gpu.index, " (", gpu.name, ", compute capability ", capabilityText(gpu.capability), ')');
}

/// Why a GPU cannot be used; empty if it can.
inline std::string refusalOf(Gpu const& gpu) {
    if (gpu.capability >= kOldestCapability) return {};
    return text(gpu, " is too old: the kernels require compute capability ", capabilityText(kOldestCapability),
                " or later; choose another device, or TENON_DEVICE=cpu");
}

/// Why there is no device with this index.
inline std::string absenceOf(int index, Machine const& machine) {
    size_t const count = machine.gpus.size();
    std::string const last = count > 1 ? text(" to cuda:", count - 1) : "";
    return text("there is no cuda:", index, "; this machine has ", count, " CUDA device", count == 1 ? "" : "s",
                ", cuda:0", last, "; CUDA_VISIBLE_DEVICES, if set, limits which of them a process sees");
}

/// What is required and what to do about a status that is caused by the machine, a clause that starts with "; ".
/// `current` is the current GPU. Empty for all other statuses.
inline std::string adviceOn(Status status, Machine const& machine, Gpu const& current) {
    std::string const needed = text("a driver for CUDA ", machine.runtime / 1000, ".0 or later");
    switch (status) {
    case Status::InsufficientDriver:
        return text("; this library is built with CUDA ", versionText(machine.runtime), ", and the driver is for CUDA ",
                    versionText(machine.driver), ": install ", needed, ", or set TENON_DEVICE=cpu");
    case Status::InvalidDeviceFunction:
    case Status::NoKernelImage:
        if (std::string const why = refusalOf(current); !why.empty()) return "; " + why;
        return text("; this library has machine code for compute capability ", capabilityText(kCompiledCapability),
                    " and PTX for ", capabilityText(kOldestCapability), " and later, and was run on ", current,
                    ": unset CUDA_DISABLE_PTX_JIT and CUDA_FORCE_PTX_JIT, so that the driver may use both");
    case Status::UnsupportedPtx:
        return text("; the PTX of this library is of CUDA ", versionText(machine.runtime),
                    ", and the driver is for CUDA ", versionText(machine.driver), ": ", current,
                    " needs a driver for CUDA ", versionText(machine.runtime), " or later");
    case Status::JitNotFound:
    case Status::JitDisabled:
        return text("; ", current,
                    " needs the driver's PTX compiler: install libnvidia-ptxjitcompiler.so.1, and "
                    "unset CUDA_DISABLE_PTX_JIT");
    case Status::DriverMismatch:
        return "; the driver's kernel module and its libraries have different versions: restart the machine (or, in "
               "a container, use the libraries of the host's driver)";
    case Status::CompatibilityUnsupported:
        return text("; forward compatibility (the package cuda-compat) does not support this GPU: install ", needed,
                    " and remove cuda-compat from the library path");
    case Status::Success:
    case Status::NoDevice:
    case Status::InvalidDevice: return {};
    }
    return {};
}

/// Why this machine has no usable GPU, by the status of counting its devices; empty if it has one.
inline std::string absenceOn(Status status, Machine const& machine) {
    if (status == Status::InsufficientDriver && machine.driver == 0) return "this machine has no NVIDIA driver";
    if (status == Status::InsufficientDriver)
        return "the NVIDIA driver of this machine is too old" + adviceOn(status, machine, {});
    if (status == Status::NoDevice || (status == Status::Success && machine.gpus.empty()))
        return text("this machine has no NVIDIA GPU, or this process sees none of them (CUDA_VISIBLE_DEVICES; in a "
                    "container, its devices); its driver is for CUDA ",
                    versionText(machine.driver));
    if (status != Status::Success)
        return text("the driver of this machine does not work, CUDA error ", static_cast<int>(status),
                    adviceOn(status, machine, {}));
    for (Gpu const& gpu : machine.gpus) {
        if (refusalOf(gpu).empty()) return {};
    }
    return refusalOf(machine.gpus.front());
}

} // namespace tenon::cuda

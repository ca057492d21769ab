// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/text.h"

#include <string>
#include <vector>

namespace tenon::cuda {

/// What kernels of this library are made for: all from here on.
inline constexpr int kOldestCapability = 80; // 8.0
/// The one that there is machine code for; the driver compiles for the others.
inline constexpr int kCompiledCapability = 90;

struct Gpu {
    int index = 0;
    std::string name;
    int capability = 0; // 90: compute capability 9.0
};

/// What of a machine decides whether CUDA can be used there. Versions as CUDA tells them: 12040 is 12.4.
struct Machine {
    int runtime = 0; // that this library is built with
    int driver = 0;  // the newest that the driver is for; 0: there is no driver
    std::vector<Gpu> gpus;
};

/// The runtime's and the driver's number of a status, by which it is known here: of the same meaning in both.
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

/// What this machine has; what cannot be found out stays empty. GPUs that are not too old stay without their names.
Machine findMachine();
/// adviceOn() a status of the runtime's or the driver's on this machine, about the device that is current.
std::string adviceHere(int status);

inline std::string versionText(int version) { return text(version / 1000, '.', version % 1000 / 10); }
inline std::string capabilityText(int capability) { return text(capability / 10, '.', capability % 10); }

inline void append(std::string& to, Gpu const& gpu) {
    to += text("cuda:", gpu.index, " (", gpu.name, ", compute capability ", capabilityText(gpu.capability), ')');
}

/// Why a GPU cannot be used; empty where it can.
inline std::string refusalOf(Gpu const& gpu) {
    if (gpu.capability >= kOldestCapability) return {};
    return text(gpu, " is too old: kernels are made for compute capability ", capabilityText(kOldestCapability),
                " and later; choose another device, or TENON_DEVICE=cpu");
}

/// Why there is no device of this number.
inline std::string absenceOf(int index, Machine const& machine) {
    size_t const count = machine.gpus.size();
    std::string const last = count > 1 ? text(" to cuda:", count - 1) : "";
    return text("there is no cuda:", index, "; this machine has ", count, " CUDA device", count == 1 ? "" : "s",
                ", cuda:0", last, "; CUDA_VISIBLE_DEVICES, where it is set, says which of them a process sees");
}

/// What is needed and what to do about a status that the machine is the cause of, a clause that begins with "; ".
/// `current` is the GPU that was asked. Empty for all other statuses.
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
                    " needs the driver's compiler of PTX: install libnvidia-ptxjitcompiler.so.1, and "
                    "unset CUDA_DISABLE_PTX_JIT");
    case Status::DriverMismatch:
        return "; the driver's module in the kernel and its libraries are of two versions: restart the machine (or, in "
               "a container, give it the libraries of the host's driver)";
    case Status::CompatibilityUnsupported:
        return text("; forward compatibility (the package cuda-compat) is not for this GPU: install ", needed,
                    " and take cuda-compat off the library path");
    case Status::Success:
    case Status::NoDevice:
    case Status::InvalidDevice: return {};
    }
    return {};
}

/// Why this machine has no GPU to compute on, by what counting its devices answered; empty where it has one.
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

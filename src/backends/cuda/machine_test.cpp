// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/machine.h"

#include <gtest/gtest.h>

namespace tenon::cuda {
namespace {

Gpu const kVolta{0, "Tesla V100", 70};
Gpu const kAmpere{1, "NVIDIA A100", 80};
Gpu const kHopper{2, "NVIDIA H200", 90};

Machine machine(std::vector<Gpu> gpus, int driver = 13000) { return {13000, driver, std::move(gpus)}; }

TEST(Machine, isUsedWhereOneOfItsGpusIsNewEnough) {
    EXPECT_EQ(absenceOn(Status::Success, machine({kHopper})), "");
    EXPECT_EQ(absenceOn(Status::Success, machine({kVolta, kAmpere})), "");
    EXPECT_EQ(absenceOn(Status::Success, machine({kVolta})),
              "cuda:0 (Tesla V100, compute capability 7.0) is too old: the kernels require compute capability 8.0 or "
              "later; choose another device, or TENON_DEVICE=cpu");
    EXPECT_EQ(refusalOf(kAmpere), "");
    EXPECT_EQ(refusalOf(kVolta), absenceOn(Status::Success, machine({kVolta})));
}

TEST(Machine, withoutAGpuSaysWhatIsMissing) {
    EXPECT_EQ(absenceOn(Status::InsufficientDriver, machine({}, 0)), "this machine has no NVIDIA driver");
    std::string const none =
        "this machine has no NVIDIA GPU, or this process sees none of them (CUDA_VISIBLE_DEVICES; in a container, its "
        "devices); its driver is for CUDA 13.0";
    EXPECT_EQ(absenceOn(Status::NoDevice, machine({})), none);
    EXPECT_EQ(absenceOn(Status::Success, machine({})), none);
}

TEST(Machine, withADriverThatIsTooOldSaysWhichOneIsNeeded) {
    EXPECT_EQ(absenceOn(Status::InsufficientDriver, machine({}, 11040)),
              "the NVIDIA driver of this machine is too old; this library is built with CUDA 13.0, and the driver is "
              "for CUDA 11.4: install a driver for CUDA 13.0 or later, or set TENON_DEVICE=cpu");
}

TEST(Machine, withADriverThatDoesNotWorkSaysWhatToDo) {
    EXPECT_EQ(
        absenceOn(Status::DriverMismatch, machine({})),
        "the driver of this machine does not work, CUDA error 803; the driver's kernel module and its libraries have "
        "different versions: restart the machine (or, in a container, use the libraries of the host's driver)");
    EXPECT_EQ(absenceOn(Status::CompatibilityUnsupported, machine({})),
              "the driver of this machine does not work, CUDA error 804; forward compatibility (the package "
              "cuda-compat) does not support this GPU: install a driver for CUDA 13.0 or later and remove cuda-compat "
              "from the library path");
    EXPECT_EQ(absenceOn(static_cast<Status>(999), machine({})),
              "the driver of this machine does not work, CUDA error 999");
}

TEST(Machine, refusesDeviceNumbersThatItDoesNotHave) {
    std::string const hint = "; CUDA_VISIBLE_DEVICES, if set, limits which of them a process sees";
    EXPECT_EQ(absenceOf(7, machine({kHopper})), "there is no cuda:7; this machine has 1 CUDA device, cuda:0" + hint);
    EXPECT_EQ(absenceOf(3, machine({kVolta, kAmpere, kHopper})),
              "there is no cuda:3; this machine has 3 CUDA devices, cuda:0 to cuda:2" + hint);
}

TEST(Machine, withoutAKernelForTheGpuSaysWhatThereIs) {
    EXPECT_EQ(adviceOn(Status::NoKernelImage, machine({kVolta}), kVolta), "; " + refusalOf(kVolta));
    EXPECT_EQ(adviceOn(Status::NoKernelImage, machine({kAmpere}), kAmpere),
              "; this library has machine code for compute capability 9.0 and PTX for 8.0 and later, and was run on "
              "cuda:1 (NVIDIA A100, compute capability 8.0): unset CUDA_DISABLE_PTX_JIT and CUDA_FORCE_PTX_JIT, so "
              "that the driver may use both");
    EXPECT_EQ(adviceOn(Status::InvalidDeviceFunction, machine({kAmpere}), kAmpere),
              adviceOn(Status::NoKernelImage, machine({kAmpere}), kAmpere));
}

TEST(Machine, whoseDriverCannotCompileOurPtxSaysWhy) {
    EXPECT_EQ(adviceOn(Status::UnsupportedPtx, machine({kAmpere}, 12020), kAmpere),
              "; the PTX of this library is of CUDA 13.0, and the driver is for CUDA 12.2: cuda:1 (NVIDIA A100, "
              "compute capability 8.0) needs a driver for CUDA 13.0 or later");
    std::string const jit = "; cuda:1 (NVIDIA A100, compute capability 8.0) needs the driver's PTX compiler: install "
                            "libnvidia-ptxjitcompiler.so.1, and unset CUDA_DISABLE_PTX_JIT";
    EXPECT_EQ(adviceOn(Status::JitNotFound, machine({kAmpere}), kAmpere), jit);
    EXPECT_EQ(adviceOn(Status::JitDisabled, machine({kAmpere}), kAmpere), jit);
}

TEST(Machine, hasNoPartInOtherErrors) {
    constexpr auto kInvalidValue = static_cast<Status>(1);
    EXPECT_EQ(adviceOn(kInvalidValue, machine({kHopper}), kHopper), "");
}

} // namespace
} // namespace tenon::cuda

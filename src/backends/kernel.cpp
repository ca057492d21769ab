// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/kernel.h"

#include "backends/cpu/cpu_backend.h"
#include "base/error.h"

namespace tenon {

std::vector<DataType> KernelQuery::typesOf(Tensor const& tensor) const {
    return tensor.type == DataType::Float32 ? floatTypes : std::vector{tensor.type};
}

Packed Kernel::pack(PrepareArgs const& args) const {
    fail(ErrorCode::Internal, args.node, ": ", name(), " packs nothing");
}

std::string Kernel::packKey(Variant const&) const { return {}; }

Kernel const* Backend::kernelNamed(std::string_view kind, std::string_view name) const {
    for (Kernel const* kernel : kernelsFor(kind)) {
        if (kernel->name() == name) return kernel;
    }
    return nullptr;
}

Backend const& backendOf(Device device) {
    switch (device) {
    case Device::Cpu: return cpu::backend();
    case Device::Cuda: fail(ErrorCode::Device, "this build of Tenon has no CUDA backend; use the CPU");
    }
    fail(ErrorCode::Internal, "an unknown device");
}

} // namespace tenon

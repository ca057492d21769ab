// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/reachable.h"

#include "base/error.h"

namespace tenon::trt {

void expectReachable(std::string const& tensor, void const* data, DeviceChoice const& where, ProgramCuda const& cuda) {
    Backend const& backend = backendOf(where.device);
    ProgramMemory const* const onDevice = backend.programMemory();
    if (!onDevice && cuda.isOnlyOnDevice(data))
        fail(ErrorCode::InvalidArgument, tensor, " is to lie in a GPU's memory, and the engine runs on the ",
             where.device == Device::Cpu ? "CPU" : where.device.name(),
             ": give it host memory, or build it with TENON_DEVICE=cuda");
    if (!onDevice || !data) return;
    CurrentDevice const current(backend, where.index);
    std::string const why = onDevice->unreachable(data);
    if (!why.empty())
        fail(ErrorCode::InvalidArgument, tensor, " is to lie on ", where.device, ':', where.index,
             ", where the engine runs; the address that was given ", why);
}

} // namespace tenon::trt

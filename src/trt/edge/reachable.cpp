// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/reachable.h"

#include "base/error.h"

namespace tenon::trt {

void expectReachable(std::string const& tensor, void const* data, DeviceChoice const& where, ProgramCuda const& cuda) {
    Backend const& backend = backendOf(where.device);
    ProgramMemory const* const onDevice = backend.programMemory();
    if (!onDevice && cuda.isOnlyOnDevice(data))
        fail(ErrorCode::InvalidArgument, tensor, " is in a GPU's memory, but the engine runs on the ",
             where.device == Device::Cpu ? "CPU" : where.device.name(),
             "; set an address in host memory, or build the engine with TENON_DEVICE=cuda");
    if (!onDevice || !data) return;
    CurrentDevice const current(backend, where.index);
    std::string const why = onDevice->unreachable(data);
    if (!why.empty())
        fail(ErrorCode::InvalidArgument, tensor, " must be on ", where.device, ':', where.index,
             ", where the engine runs; its address ", why);
}

} // namespace tenon::trt

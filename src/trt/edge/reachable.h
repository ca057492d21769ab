// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/edge/device.h"
#include "trt/edge/program_cuda.h"

#include <string>

namespace tenon::trt {

/// Throws an Error with the location if an engine on this device cannot access the address that an application set for
/// a tensor. Null is allowed.
void expectReachable(std::string const& tensor, void const* data, DeviceChoice const& where, ProgramCuda const& cuda);

} // namespace tenon::trt

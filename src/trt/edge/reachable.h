// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/edge/device.h"
#include "trt/edge/program_cuda.h"

#include <string>

namespace tenon::trt {

/// An engine on this device can reach what a program gave for a tensor; else an Error says where it lies. Null is
/// no place.
void expectReachable(std::string const& tensor, void const* data, DeviceChoice const& where, ProgramCuda const& cuda);

} // namespace tenon::trt

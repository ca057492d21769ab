// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

#include <string>

namespace trtexec {

/// A GPU, by its name "cuda:N". A Failure if it cannot be used.
std::unique_ptr<Device> makeCudaDevice(std::string const& name);

} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/device.h"

#include <array>
#include <cstdint>
#include <string>

namespace tenon {

/// How many blocks of how many threads run a kernel, and the memory that a block shares.
struct LaunchSize {
    std::array<uint32_t, 3> grid{1, 1, 1};
    std::array<uint32_t, 3> block{1, 1, 1};
    uint32_t sharedBytes = 0;
};

/// Kernels that were compiled elsewhere for a kind of device. All calls are about the device that is current in the
/// calling thread.
class Programs {
public:
    /// The kernel of this name in machine code or assembly of the device (of CUDA: a cubin or PTX), ready to run; an
    /// Error where it cannot be. It stays until the process ends.
    virtual void* load(std::string const& code, std::string const& name) const = 0;
    /// Puts one run into the stream; `arguments` are the addresses of its arguments.
    virtual void launch(void* kernel, LaunchSize const& size, void** arguments, void* stream) const = 0;

protected:
    ~Programs() = default; // there is one for each kind of device, and it stays
};

/// Of the device's backend; an Error where it runs no kernels of others.
Programs const& programsOf(Device device);

} // namespace tenon

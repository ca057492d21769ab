// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/device.h"

#include <array>
#include <cstdint>
#include <string>

namespace tenon {

/// The grid and block size of a launch, and the shared memory of a block.
struct LaunchSize {
    std::array<uint32_t, 3> grid{1, 1, 1};
    std::array<uint32_t, 3> block{1, 1, 1};
    uint32_t sharedBytes = 0;
};

/// Externally compiled kernels for a kind of device. All calls refer to the current device of the calling thread.
class Programs {
public:
    /// Loads the kernel of this name from machine code or assembly of the device (for CUDA: a cubin or PTX); throws an
    /// Error if that fails. It is never unloaded.
    virtual void* load(std::string const& code, std::string const& name) const = 0;
    /// Puts one launch into the stream; `arguments` are the addresses of its arguments.
    virtual void launch(void* kernel, LaunchSize const& size, void** arguments, void* stream) const = 0;

protected:
    ~Programs() = default; // one for each kind of device, never destroyed
};

/// Of the device's backend; throws an Error if it does not run external kernels.
Programs const& programsOf(Device device);

} // namespace tenon

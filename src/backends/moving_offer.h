// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <array>

namespace tenon {

// The offers of kernels that move or choose elements. Labels follow from the layer alone, so all devices accept the
// same types and read the same inputs on the host; they differ in formats and costs.

/// What a kernel moves. Tensors of the network's type of `elements` are stored alike. Other tensors keep their types
/// and are linear.
struct Moving {
    std::array<double, 3> reads{};    // how often the kernel reads the bytes of each of the first inputs: for the cost
    double writes = 0;                // likewise, how often it writes those of output 0
    double ns = 0;                    // added to the cost
    Tensor const* elements = nullptr; // null: output 0
    bool keepsInputs = false;         // inputs keep their types and are linear even if they have the type of `elements`
};

/// A device with its cost, in nanoseconds, of a kernel that moves this many bytes.
struct MovingDevice {
    Device device;
    double (*costOf)(double bytes);
};

/// One variant for each type in which the elements may be stored and each format. Inputs whose values affect how the
/// node is computed are on the host. Tensors with fewer than three axes are linear.
Offer offerMoving(KernelQuery const& query, MovingDevice const& on, Moving const& moving,
                  std::vector<Format> const& formats);

/// Whether output 0 has the bytes of input 0 in formats that move channels, if it has them in linear ones: batch and
/// channels stay and only the other axes are regrouped.
bool keepsChannels(Node const& node);

} // namespace tenon

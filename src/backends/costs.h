// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

#include <algorithm>

namespace tenon {

/// What a device can do, for estimates. They choose between kernels, so they are the same in every build on one
/// machine: read from what the device says of itself, never measured.
struct Costs {
    double launch = 0;          // nanoseconds of a kernel that has nothing to do
    double bytesPerNs = 1;      // of its memory, as kernels reach it
    double float32 = 1;         // operations a nanosecond, at most: a multiplication and an addition are two
    double tf32 = 0;            // the same on float32 whose factors are rounded; 0: it does not do that
    double float16 = 0;         // 0: no faster than float32
    double bfloat16 = 0;        // likewise
    double int8 = 0;            // likewise
    double hop = 0;             // nanoseconds until the host has seen that a copy is there, or the other way
    double hopBytesPerNs = 1e3; // of copies between the device and the host

    /// Operations a nanosecond, at most, on products of this type.
    double peak(DataType type) const {
        double const own = type == DataType::Float16    ? float16
                           : type == DataType::BFloat16 ? bfloat16
                           : type == DataType::Int8     ? int8
                                                        : 0;
        return own > 0 ? own : float32;
    }
    /// Nanoseconds of a kernel that moves this many bytes and computes this many operations, at `perNs` a nanosecond: a
    /// launch, and whichever takes longer.
    double kernel(double bytes, double operations, double perNs) const {
        return launch + std::max(bytes / bytesPerNs, operations / perNs);
    }
};

} // namespace tenon

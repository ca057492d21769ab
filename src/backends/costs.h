// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

#include <algorithm>

namespace tenon {

/// The speed of a device, for estimates. They choose between kernels, so they must be the same in every build on one
/// machine: derived from the device's properties, never measured.
struct Costs {
    double launch = 0;          // nanoseconds of an empty kernel
    double bytesPerNs = 1;      // of its memory, as reached by kernels
    double float32 = 1;         // peak operations a nanosecond; a multiply-add counts as two
    double tf32 = 0;            // the same for float32 with factors rounded to TF32; 0: not supported
    double float16 = 0;         // 0: no faster than float32
    double bfloat16 = 0;        // likewise
    double int8 = 0;            // likewise
    double hop = 0;             // nanoseconds until the host has seen that a copy has arrived, or vice versa
    double hopBytesPerNs = 1e3; // of copies between the device and the host

    /// Peak operations a nanosecond on matrix products of this type.
    double peak(DataType type) const {
        double const own = type == DataType::Float16    ? float16
                           : type == DataType::BFloat16 ? bfloat16
                           : type == DataType::Int8     ? int8
                                                        : 0;
        return own > 0 ? own : float32;
    }
    /// Nanoseconds of a kernel that moves this many bytes and computes this many operations, at `perNs` a nanosecond: a
    /// launch, plus the longer of the two.
    double kernel(double bytes, double operations, double perNs) const {
        return launch + std::max(bytes / bytesPerNs, operations / perNs);
    }
};

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define TENON_ON_BOTH __host__ __device__ __forceinline__
#else
#define TENON_ON_BOTH inline
#endif

namespace tenon::cuda {

/// Division of numbers below 2^31 by a constant from 1 to 2^31 as a multiplication: Granlund and Montgomery, "Division
/// by Invariant Integers using Multiplication" (1994), with a multiplier of 32 bits and a shift.
class Divider {
public:
    Divider() = default;
    explicit Divider(uint32_t divisor) : divisor_(divisor) {
        while ((uint64_t{1} << shift_) < divisor) ++shift_;
        multiplier_ = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift_) - divisor)) / divisor + 1);
    }

    TENON_ON_BOTH uint32_t divide(uint32_t n) const {
#ifdef __CUDA_ARCH__
        uint32_t const high = __umulhi(n, multiplier_);
#else
        auto const high = static_cast<uint32_t>((uint64_t{n} * multiplier_) >> 32);
#endif
        return (high + n) >> shift_; // both are below 2^31: no bit is lost
    }
    TENON_ON_BOTH uint32_t divisor() const { return divisor_; }

private:
    uint32_t divisor_ = 1;
    uint32_t multiplier_ = 1;
    uint32_t shift_ = 0;
};

} // namespace tenon::cuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tenon {

/// A thread's rounding mode and whether it flushes denormals to zero.
class FloatMode {
public:
    static FloatMode ofThisThread() { return FloatMode(read()); }
    /// Applies the mode to the calling thread.
    void apply() const {
        if (bits_ != read()) write(bits_);
    }

private:
    explicit FloatMode(uint64_t bits) : bits_(bits) {}

#if defined(__x86_64__)
    static uint64_t read() { return _mm_getcsr() & ~0x3FU; } // without the flags of past exceptions
    static void write(uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
    static uint64_t read() {
        uint64_t bits;
        asm volatile("mrs %0, fpcr" : "=r"(bits));
        return bits;
    }
    static void write(uint64_t bits) { asm volatile("msr fpcr, %0" ::"r"(bits)); }
#else
    static uint64_t read() { return 0; }
    static void write(uint64_t) {}
#endif

    uint64_t bits_;
};

} // namespace tenon

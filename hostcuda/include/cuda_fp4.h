// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// 4-bit floating point for host code: no infinity and no NaN; larger values and NaN become the largest number.
// Roundings: cudaRoundNearest and cudaRoundZero.
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp6.h"
#include "device_types.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t; // the first in the lower half
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;

// 2 bits of exponent, 1 of mantissa.
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#if defined(__cplusplus)

namespace hostcuda {
inline SmallFloat fp4Format(__nv_fp4_interpretation_t) {
    SmallFloat const e2m1 = {1, 1, 0x8, 0x7, 0x7};
    return e2m1;
}
} // namespace hostcuda

inline __nv_fp4_storage_t __nv_cvt_double_to_fp4(double value, __nv_fp4_interpretation_t kind,
                                                 enum cudaRoundMode rounding) {
    return static_cast<__nv_fp4_storage_t>(
        hostcuda::narrowTo(value, hostcuda::fp4Format(kind), rounding == cudaRoundZero));
}

inline __nv_fp4_storage_t __nv_cvt_float_to_fp4(float value, __nv_fp4_interpretation_t kind,
                                                enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp4(value, kind, rounding);
}

inline __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw value, __nv_fp4_interpretation_t kind,
                                                  enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp4(float(__half(value)), kind, rounding);
}

inline __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw value, __nv_fp4_interpretation_t kind,
                                                      enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp4(float(__nv_bfloat16(value)), kind, rounding);
}

inline __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t code, __nv_fp4_interpretation_t kind) {
    return __half(hostcuda::widen(code, hostcuda::fp4Format(kind)));
}

inline __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 value, __nv_fp4_interpretation_t kind,
                                                     enum cudaRoundMode rounding) {
    unsigned const high = __nv_cvt_float_to_fp4(value.y, kind, rounding);
    return static_cast<__nv_fp4x2_storage_t>(high << 4 | __nv_cvt_float_to_fp4(value.x, kind, rounding));
}

inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t codes, __nv_fp4_interpretation_t kind) {
    __half2_raw const raw = {__nv_cvt_fp4_to_halfraw(codes & 0xf, kind).x, __nv_cvt_fp4_to_halfraw(codes >> 4, kind).x};
    return raw;
}

#define HOSTCUDA_FLOAT4(Type, kind)                                                                                    \
    struct Type {                                                                                                      \
        __nv_fp4_storage_t __x;                                                                                        \
        Type() = default;                                                                                              \
        explicit Type(double value) : __x(__nv_cvt_double_to_fp4(value, kind, cudaRoundNearest)) {}                    \
        explicit Type(float value) : Type(static_cast<double>(value)) {}                                               \
        explicit Type(__half value) : Type(static_cast<float>(value)) {}                                               \
        explicit Type(__nv_bfloat16 value) : Type(static_cast<float>(value)) {}                                        \
        explicit Type(int value) : Type(static_cast<double>(value)) {}                                                 \
        explicit Type(unsigned value) : Type(static_cast<double>(value)) {}                                            \
        explicit Type(long value) : Type(static_cast<double>(value)) {}                                                \
        explicit Type(unsigned long value) : Type(static_cast<double>(value)) {}                                       \
        explicit operator __half() const { return __half(__nv_cvt_fp4_to_halfraw(__x, kind)); }                        \
        explicit operator float() const { return __half2float(__half(__nv_cvt_fp4_to_halfraw(__x, kind))); }           \
        explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }                    \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(static_cast<float>(*this)); }                   \
        explicit operator bool() const { return static_cast<float>(*this) != 0; }                                      \
    };

HOSTCUDA_FLOAT4(__nv_fp4_e2m1, __NV_E2M1)
#undef HOSTCUDA_FLOAT4

struct __nv_fp4x2_e2m1 {
    __nv_fp4x2_storage_t __x;
    __nv_fp4x2_e2m1() = default;
    explicit __nv_fp4x2_e2m1(float2 value) : __x(__nv_cvt_float2_to_fp4x2(value, __NV_E2M1, cudaRoundNearest)) {}
    explicit operator float2() const { return __half22float2(__half2(__nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1))); }
};

#endif

#endif

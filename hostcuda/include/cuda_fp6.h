// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// 6-bit floating point for host code: no infinity and no NaN; larger values and NaN become the largest number.
// Roundings: cudaRoundNearest and cudaRoundZero.
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp8.h"
#include "device_types.h"

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;

// 2 bits of exponent, 3 of mantissa; or 3 and 2.
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#if defined(__cplusplus)

namespace hostcuda {
inline SmallFloat fp6Format(__nv_fp6_interpretation_t kind) {
    SmallFloat const e2m3 = {3, 1, 0x20, 0x1f, 0x1f}, e3m2 = {2, 3, 0x20, 0x1f, 0x1f};
    return kind == __NV_E2M3 ? e2m3 : e3m2;
}
} // namespace hostcuda

inline __nv_fp6_storage_t __nv_cvt_double_to_fp6(double value, __nv_fp6_interpretation_t kind,
                                                 enum cudaRoundMode rounding) {
    return static_cast<__nv_fp6_storage_t>(
        hostcuda::narrowTo(value, hostcuda::fp6Format(kind), rounding == cudaRoundZero));
}

inline __nv_fp6_storage_t __nv_cvt_float_to_fp6(float value, __nv_fp6_interpretation_t kind,
                                                enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp6(value, kind, rounding);
}

inline __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw value, __nv_fp6_interpretation_t kind,
                                                  enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp6(float(__half(value)), kind, rounding);
}

inline __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw value, __nv_fp6_interpretation_t kind,
                                                      enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp6(float(__nv_bfloat16(value)), kind, rounding);
}

inline __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t code, __nv_fp6_interpretation_t kind) {
    return __half(hostcuda::widen(code, hostcuda::fp6Format(kind)));
}

#define HOSTCUDA_FLOAT6(Type, kind)                                                                                    \
    struct Type {                                                                                                      \
        __nv_fp6_storage_t __x;                                                                                        \
        Type() = default;                                                                                              \
        explicit Type(double value) : __x(__nv_cvt_double_to_fp6(value, kind, cudaRoundNearest)) {}                    \
        explicit Type(float value) : Type(static_cast<double>(value)) {}                                               \
        explicit Type(__half value) : Type(static_cast<float>(value)) {}                                               \
        explicit Type(__nv_bfloat16 value) : Type(static_cast<float>(value)) {}                                        \
        explicit Type(int value) : Type(static_cast<double>(value)) {}                                                 \
        explicit Type(unsigned value) : Type(static_cast<double>(value)) {}                                            \
        explicit Type(long value) : Type(static_cast<double>(value)) {}                                                \
        explicit Type(unsigned long value) : Type(static_cast<double>(value)) {}                                       \
        explicit operator __half() const { return __half(__nv_cvt_fp6_to_halfraw(__x, kind)); }                        \
        explicit operator float() const { return __half2float(__half(__nv_cvt_fp6_to_halfraw(__x, kind))); }           \
        explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }                    \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(static_cast<float>(*this)); }                   \
        explicit operator bool() const { return static_cast<float>(*this) != 0; }                                      \
    };

HOSTCUDA_FLOAT6(__nv_fp6_e2m3, __NV_E2M3)
HOSTCUDA_FLOAT6(__nv_fp6_e3m2, __NV_E3M2)
#undef HOSTCUDA_FLOAT6

#endif

#endif

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// 8-bit floating point for host code: conversions that round to nearest and saturate to the largest number.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;

// 4 bits of exponent, 3 of mantissa, no infinity; or 5 and 2, as the upper half of a 16-bit number.
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

// Without saturation, values out of range become NaN in e4m3 and infinity in e5m2.
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
    bool const isFinite = saturate == __NV_SATFINITE;
    hostcuda::SmallFloat const e4m3 = {3, 7, 0x80, isFinite ? 0x7eu : 0x7fu, 0x7f};
    hostcuda::SmallFloat const e5m2 = {2, 15, 0x80, isFinite ? 0x7bu : 0x7cu, 0x7f};
    return static_cast<__nv_fp8_storage_t>(hostcuda::narrow(value, kind == __NV_E4M3 ? e4m3 : e5m2));
}

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(value, saturate, kind);
}

inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw value, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(float(__half(value)), saturate, kind);
}

inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw value, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(float(__nv_bfloat16(value)), saturate, kind);
}

inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind) {
    __half_raw raw = {static_cast<unsigned short>(code << 8)};
    if (kind == __NV_E5M2) {
        if ((code & 0x7f) > 0x7c) raw.x = 0x7fff;
    } else if ((code & 0x7f) == 0x7f) {
        raw.x = 0x7fff;
    } else {
        raw = __half(hostcuda::widen(code, hostcuda::SmallFloat{3, 7, 0x80, 0x7e, 0x7f}));
    }
    return raw;
}

#define HOSTCUDA_FLOAT8(Type, kind)                                                                                    \
    struct Type {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        Type() = default;                                                                                              \
        explicit Type(double value) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, kind)) {}                      \
        explicit Type(float value) : Type(static_cast<double>(value)) {}                                               \
        explicit Type(__half value) : Type(static_cast<float>(value)) {}                                               \
        explicit Type(__nv_bfloat16 value) : Type(static_cast<float>(value)) {}                                        \
        explicit Type(int value) : Type(static_cast<double>(value)) {}                                                 \
        explicit Type(unsigned value) : Type(static_cast<double>(value)) {}                                            \
        explicit Type(long value) : Type(static_cast<double>(value)) {}                                                \
        explicit Type(unsigned long value) : Type(static_cast<double>(value)) {}                                       \
        explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }                        \
        explicit operator float() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, kind))); }           \
        explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }                    \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(static_cast<float>(*this)); }                   \
        explicit operator bool() const { return (__x & 0x7f) != 0; }                                                   \
    };

HOSTCUDA_FLOAT8(__nv_fp8_e4m3, __NV_E4M3)
HOSTCUDA_FLOAT8(__nv_fp8_e5m2, __NV_E5M2)
#undef HOSTCUDA_FLOAT8

#endif

#endif

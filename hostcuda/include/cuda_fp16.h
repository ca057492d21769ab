// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// 16-bit floating point in IEEE's format, for host code: conversions and arithmetic that rounds to nearest. In C only
// the raw bits.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "vector_functions.h"

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x;
    unsigned short y;
} __half2_raw;

#if defined(__cplusplus)

#include "hostcuda/float16.h"

HOSTCUDA_FLOAT16(__half, __half_raw, hostcuda::halfFormat(), hostcuda::widenHalf)
HOSTCUDA_FLOAT16_PAIR(__half2, __half2_raw, __half, __half_raw)

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline __half __int2half_rn(int a) { return __half(a); }
inline __half __uint2half_rn(unsigned a) { return __half(a); }
inline __half __short2half_rn(short a) { return __half(a); }
inline __half __ushort2half_rn(unsigned short a) { return __half(a); }
inline float __half2float(__half a) { return float(a); }
inline unsigned short __half_as_ushort(__half a) { return a.__x; }
inline short __half_as_short(__half a) { return static_cast<short>(a.__x); }
inline __half __ushort_as_half(unsigned short bits) {
    __half_raw raw = {bits};
    return __half(raw);
}
inline __half __short_as_half(short bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }

inline __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
inline __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
inline float2 __half22float2(__half2 a) {
    float2 result = {float(a.x), float(a.y)};
    return result;
}
inline __half2 __half2half2(__half a) { return __half2(a, a); }
inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }

#endif

#endif

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// 16-bit floating point with the exponent of float, for host code: conversions and arithmetic that rounds to nearest.
// In C only the raw bits.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "vector_functions.h"

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x;
    unsigned short y;
} __nv_bfloat162_raw;

#if defined(__cplusplus)

#include "hostcuda/float16.h"

HOSTCUDA_FLOAT16(__nv_bfloat16, __nv_bfloat16_raw, hostcuda::bfloat16Format(), hostcuda::widenBfloat16)
HOSTCUDA_FLOAT16_PAIR(__nv_bfloat162, __nv_bfloat162_raw, __nv_bfloat16, __nv_bfloat16_raw)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __short2bfloat16_rn(short a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return __nv_bfloat16(a); }
inline float __bfloat162float(__nv_bfloat16 a) { return float(a); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
inline short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
    __nv_bfloat16_raw raw = {bits};
    return __nv_bfloat16(raw);
}
inline __nv_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16(static_cast<unsigned short>(bits)); }

inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y)); }
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
    float2 result = {float(a.x), float(a.y)};
    return result;
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }

#endif

#endif

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The vector types of CUDA, such as float4, and dim3. C and C++. Their alignment is that of device code: two or four
// components of a power-of-two size are aligned as a whole, up to 16 bytes.
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "crt/host_defines.h"

#define HOSTCUDA_VECTORS(name, type, align2, align4)                                                                   \
    struct name##1 {                                                                                                   \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct __attribute__((aligned(align2))) name##2 {                                                                  \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct __attribute__((aligned(align4))) name##4 {                                                                  \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    typedef struct name##1 name##1;                                                                                    \
    typedef struct name##2 name##2;                                                                                    \
    typedef struct name##3 name##3;                                                                                    \
    typedef struct name##4 name##4

HOSTCUDA_VECTORS(char, signed char, 2, 4);
HOSTCUDA_VECTORS(uchar, unsigned char, 2, 4);
HOSTCUDA_VECTORS(short, short, 4, 8);
HOSTCUDA_VECTORS(ushort, unsigned short, 4, 8);
HOSTCUDA_VECTORS(int, int, 8, 16);
HOSTCUDA_VECTORS(uint, unsigned int, 8, 16);
HOSTCUDA_VECTORS(long, long, 16, 16);
HOSTCUDA_VECTORS(ulong, unsigned long, 16, 16);
HOSTCUDA_VECTORS(longlong, long long, 16, 16);
HOSTCUDA_VECTORS(ulonglong, unsigned long long, 16, 16);
HOSTCUDA_VECTORS(float, float, 8, 16);
HOSTCUDA_VECTORS(double, double, 16, 16);
#undef HOSTCUDA_VECTORS

struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif

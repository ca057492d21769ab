// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// make_float4() and the like, for every vector type.
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "cuda_runtime_api.h" // as in CUDA; code relies on it, by way of the headers of number types too
#include "vector_types.h"

#define HOSTCUDA_MAKE(name, type)                                                                                      \
    static inline __attribute__((unused)) name##1 make_##name##1(type x) {                                             \
        name##1 v = {x};                                                                                               \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline __attribute__((unused)) name##2 make_##name##2(type x, type y) {                                     \
        name##2 v = {x, y};                                                                                            \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline __attribute__((unused)) name##3 make_##name##3(type x, type y, type z) {                             \
        name##3 v = {x, y, z};                                                                                         \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline __attribute__((unused)) name##4 make_##name##4(type x, type y, type z, type w) {                     \
        name##4 v = {x, y, z, w};                                                                                      \
        return v;                                                                                                      \
    }

HOSTCUDA_MAKE(char, signed char)
HOSTCUDA_MAKE(uchar, unsigned char)
HOSTCUDA_MAKE(short, short)
HOSTCUDA_MAKE(ushort, unsigned short)
HOSTCUDA_MAKE(int, int)
HOSTCUDA_MAKE(uint, unsigned int)
HOSTCUDA_MAKE(long, long)
HOSTCUDA_MAKE(ulong, unsigned long)
HOSTCUDA_MAKE(longlong, long long)
HOSTCUDA_MAKE(ulonglong, unsigned long long)
HOSTCUDA_MAKE(float, float)
HOSTCUDA_MAKE(double, double)
#undef HOSTCUDA_MAKE

#endif

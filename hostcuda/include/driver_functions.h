// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Constructors of the structures that pitched and 3-D calls take. C and C++.
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"

static inline __attribute__((unused)) struct cudaPitchedPtr make_cudaPitchedPtr(void* d, size_t p, size_t xsz,
                                                                                size_t ysz) {
    struct cudaPitchedPtr s = {d, p, xsz, ysz};
    return s;
}

static inline __attribute__((unused)) struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos s = {x, y, z};
    return s;
}

static inline __attribute__((unused)) struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
    struct cudaExtent s = {w, h, d};
    return s;
}

#endif

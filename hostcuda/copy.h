// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills of boxes of bytes: a row is a box of height and depth 1.
#pragma once

#include "stream.h"

namespace hostcuda {

struct Box {
    size_t width; // bytes
    size_t height;
    size_t depth;
    bool isEmpty() const { return width == 0 || height == 0 || depth == 0; }
};

// Where a box lies.
struct Place {
    char* start;
    size_t pitch; // bytes from row to row
    size_t slice; // bytes from slice to slice

    static Place row(void const* start) { return {static_cast<char*>(const_cast<void*>(start)), SIZE_MAX, SIZE_MAX}; }
    static Place rows(void const* start, size_t pitch) {
        return {static_cast<char*>(const_cast<void*>(start)), pitch, SIZE_MAX};
    }
};

// Throw where the arguments are wrong; else submit to the stream. Mark: when it is done.
Mark copy(Place to, Place from, Box box, cudaMemcpyKind kind, cudaStream_t stream);
Mark fill(Place to, int value, Box box, cudaStream_t stream);

} // namespace hostcuda

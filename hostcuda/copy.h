// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills of boxes of bytes: a row is a box of height and depth 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include <driver_types.h>

namespace hostcuda {

struct Box {
    size_t width; // bytes
    size_t height;
    size_t depth;
    bool isEmpty() const { return width == 0 || height == 0 || depth == 0; }
};

// The location of a box.
struct Place {
    char* start;
    size_t pitch; // bytes from row to row
    size_t slice; // bytes from slice to slice

    static Place row(void const* start) { return {static_cast<char*>(const_cast<void*>(start)), SIZE_MAX, SIZE_MAX}; }
    static Place rows(void const* start, size_t pitch) {
        return {static_cast<char*>(const_cast<void*>(start)), pitch, SIZE_MAX};
    }
};

struct Copy {
    Place to;
    Place from;
    Box box;
    cudaMemcpyKind kind;
    void run() const;
};

// Of elements of 1, 2 or 4 bytes; the box's width is bytes too.
struct Fill {
    Place to;
    unsigned value;
    unsigned elementBytes;
    Box box;
    void run() const;
};

// Throw if the arguments are wrong. The location of an empty box is ignored.
void check(Copy const& copy);
void check(Fill const& fill);

// Conversions of the API's structures.
Copy copyOf(cudaMemcpy3DParms const& parameters);
Fill fillOf(cudaMemsetParams const& parameters);
Fill fillOf(cudaPitchedPtr memory, int value, cudaExtent extent);
cudaMemcpy3DParms parametersOf(Copy const& copy);
cudaMemsetParams parametersOf(Fill const& fill);

} // namespace hostcuda

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "array.h"

namespace tenon::cli {

/// An element is within tolerance if |found - expected| <= absolute + relative * |expected|, as in numpy's allclose;
/// NaN and infinity equal only themselves.
struct Tolerance {
    double relative = 1e-3;
    double absolute = 1e-5;
};

struct Comparison {
    bool sameShape = true;
    long double absolute = 0; // the largest difference; infinite if one is NaN or infinite and the other is not
    long double relative = 0; // the largest difference over |expected|, of the elements with a nonzero expected value
    size_t outside = 0;       // elements out of tolerance
    size_t worst = 0;         // the index of the element with the largest difference

    bool within() const { return sameShape && outside == 0; }
};

/// Compares numbers of any types; elements of files without a type of their own are of `type`.
Comparison compare(Array const& found, Array const& expected, nvinfer1::DataType type, Tolerance const& tolerance);

} // namespace tenon::cli

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "compare.h"

#include <cmath>
#include <limits>

namespace tenon::cli {
namespace {

long double differenceOf(long double found, long double expected) {
    if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
    if (!std::isfinite(found) || !std::isfinite(expected)) return std::numeric_limits<long double>::infinity();
    return std::fabs(found - expected);
}

} // namespace

Comparison compare(Array const& found, Array const& expected, nvinfer1::DataType type, Tolerance const& tolerance) {
    Comparison result;
    result.sameShape = found.dims == expected.dims;
    for (size_t i = 0; result.sameShape && i < found.count(); ++i) {
        long double const wanted = numberAt(expected, i, type);
        long double const difference = differenceOf(numberAt(found, i, type), wanted);
        long double const size = std::fabs(wanted);
        if (difference > result.absolute) result.absolute = difference, result.worst = i;
        if (size > 0 && difference > 0) result.relative = std::fmax(result.relative, difference / size);
        bool const inside = difference == 0 ||
                            (std::isfinite(difference) && difference <= tolerance.absolute + tolerance.relative * size);
        if (!inside) ++result.outside;
    }
    return result;
}

} // namespace tenon::cli

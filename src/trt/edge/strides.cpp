// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/strides.h"

#include <vector>

namespace tenon::trt {

Dims stridesOf(Dims const& dims, Format const& format) {
    std::vector<int> order; // the axes, outermost first
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (!format.channelsLast || axis != format.axis) order.push_back(axis);
    }
    if (format.channelsLast) order.push_back(format.axis);
    Dims strides = Dims::filled(dims.rank(), 1);
    int64_t stride = 1;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        strides[*axis] = stride;
        bool const blocked = format.block != 1 && *axis == format.axis;
        stride *= blocked ? (dims[*axis] + format.block - 1) / format.block : dims[*axis];
    }
    return strides;
}

} // namespace tenon::trt

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/memory_axes.h"

#include <algorithm>

namespace tenon {
namespace {

/// The extents of a tensor in the order of its memory.
Dims physical(Dims const& dims, Format const& format) {
    if (format.isLinear()) return dims;
    int64_t const blocks = (dims[format.axis] + format.block - 1) / format.block;
    Dims result;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (axis != format.axis)
            result.push(dims[axis]);
        else if (!format.channelsLast)
            result.push(blocks);
    }
    result.push(format.channelsLast ? blocks * format.block : format.block);
    return result;
}

/// Which axes of memory belong to the channels.
bool isChannelAxis(int axis, int rank, Format const& format) {
    if (format.isLinear()) return false;
    return axis == rank - 1 || (!format.channelsLast && axis == format.axis);
}

Dims stridesOf(OperandView const& operand, Dims const& result, Format const& format) {
    Dims const extents = physical(result, format);
    if (operand.dims.volume() == 1) return Dims::filled(extents.rank(), 0);
    if (format.isLinear()) return broadcastStrides(operand.dims, result);
    Dims strides = broadcastStrides(physical(operand.dims, format), extents);
    if (operand.dims[format.axis] != 1) return strides;
    for (int axis = 0; axis < extents.rank(); ++axis) { // one channel, though stored as a whole block
        if (isChannelAxis(axis, extents.rank(), format)) strides[axis] = 0;
    }
    return strides;
}

/// The last axis replaces the previous one.
void dropBeforeLast(Dims& strides) {
    Dims shorter(strides.span().first(static_cast<size_t>(strides.rank()) - 1));
    shorter[shorter.rank() - 1] = strides[strides.rank() - 1];
    strides = shorter;
}

bool joins(std::vector<Dims> const& strides, int axis, int64_t innerExtent) {
    return std::ranges::all_of(strides, [&](Dims const& s) { return s[axis] == s[axis + 1] * innerExtent; });
}

} // namespace

MemoryAxes memoryAxes(Dims const& result, Format const& format, std::vector<OperandView> const& operands) {
    Dims const extents = physical(result, format);
    std::vector<Dims> strides;
    for (OperandView const& operand : operands) strides.push_back(stridesOf(operand, result, format));
    MemoryAxes axes;
    axes.strides.resize(operands.size());
    for (int axis = 0; axis < extents.rank(); ++axis) {
        if (extents[axis] == 1) continue;
        int const last = axes.extents.rank() - 1;
        for (size_t i = 0; i < operands.size(); ++i) axes.strides[i].push(strides[i][axis]);
        if (last >= 0 && joins(axes.strides, last, extents[axis])) {
            axes.extents[last] *= extents[axis];
            for (Dims& s : axes.strides) dropBeforeLast(s);
        } else {
            axes.extents.push(extents[axis]);
        }
    }
    return axes;
}

} // namespace tenon

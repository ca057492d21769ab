// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/dims.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {

Dims::Dims(std::span<int64_t const> extents) {
    if (extents.size() > kMaxRank)
        fail(ErrorCode::Unsupported, "a tensor of ", extents.size(), " axes; expected at most ", kMaxRank);
    rank_ = static_cast<int>(extents.size());
    std::ranges::copy(extents, extents_.begin());
}

Dims Dims::filled(int rank, int64_t extent) {
    Dims dims;
    for (int i = 0; i < rank; ++i) dims.push(extent);
    return dims;
}

void Dims::push(int64_t extent) {
    if (rank_ == kMaxRank) fail(ErrorCode::Unsupported, "a tensor of more than ", kMaxRank, " axes");
    extents_[static_cast<size_t>(rank_++)] = extent;
}

int64_t Dims::volume(int from, int to) const {
    int64_t volume = 1;
    for (int axis = from; axis < to; ++axis) {
        if (__builtin_mul_overflow(volume, (*this)[axis], &volume))
            fail(ErrorCode::Memory, "a tensor of shape ", *this, " has more elements than 64 bits can count");
    }
    return volume;
}

bool operator==(Dims const& a, Dims const& b) { return std::ranges::equal(a.span(), b.span()); }

void append(std::string& to, Dims const& dims) { to += text("[", joined(dims.span(), ","), "]"); }

Dims rowMajorStrides(Dims const& dims) {
    Dims strides = Dims::filled(dims.rank(), 1);
    for (int axis = dims.rank() - 2; axis >= 0; --axis) { // for an empty tensor they may overflow, and are not used
        if (__builtin_mul_overflow(strides[axis + 1], dims[axis + 1], &strides[axis])) strides[axis] = 0;
    }
    return strides;
}

Dims broadcastStrides(Dims const& from, Dims const& to) {
    Dims const dense = rowMajorStrides(from);
    Dims strides = Dims::filled(to.rank(), 0);
    int const lead = to.rank() - from.rank();
    for (int axis = 0; axis < from.rank(); ++axis) {
        if (from[axis] != 1) strides[lead + axis] = dense[axis];
    }
    return strides;
}

bool nextIndex(Dims& index, Dims const& dims) {
    for (int axis = dims.rank() - 1; axis >= 0; --axis) {
        if (++index[axis] < dims[axis]) return true;
        index[axis] = 0;
    }
    return false;
}

int resolveAxis(int64_t axis, int rank) {
    if (axis < -rank || axis >= rank)
        fail(ErrorCode::InvalidArgument, "axis ", axis, " of a tensor of rank ", rank, "; expected ", -rank, " to ",
             rank - 1);
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_types.h"
#include "graph/layer.h"

#include <array>

namespace tenon {

// Common parts of layers with quantized tensors: which scale belongs to which element.

/// Elements of any type in host memory as floats; without data all are 0.
struct HostNumbers {
    DataType type = DataType::Float32;
    void const* data = nullptr;

    HostNumbers(DataType of, void const* elements) : type(of), data(elements) {}
    explicit HostNumbers(HostTensor const& tensor) : HostNumbers(tensor.type, tensor.data) {}
    /// An optional input.
    HostNumbers(std::span<HostTensor const> in, size_t input)
        : HostNumbers(input < in.size() ? in[input] : HostTensor{}) {}

    double operator[](int64_t i) const {
        if (data == nullptr) return 0;
        if (isSmall(type)) return smallElement(type, data, i);
        return dispatch(type, [&]<class T>(TypeTag<T>) { return static_cast<double>(static_cast<T const*>(data)[i]); });
    }
};

/// Writes one number that the tensor's type can represent; in rising order of i.
void putNumber(HostTensor const& tensor, int64_t i, float number);

/// Maps element i of a dense row-major tensor to the index of its scale: one for all, one for each index of an axis, or
/// one for each block. Axes that are traversed alike are merged. Also compiled for GPUs.
struct ScaleMap {
    int rank = 0;                                  // 0: one for all
    std::array<int64_t, Dims::kMaxRank> extents{}; // outermost first
    std::array<int64_t, Dims::kMaxRank> blocks{};  // that many elements along the axis have the same scale
    std::array<int64_t, Dims::kMaxRank> strides{}; // between the scales of adjacent blocks

    template <class Index = int64_t> constexpr Index of(Index i) const {
        Index place = 0;
        for (int axis = rank - 1; axis >= 0; --axis) {
            auto const a = static_cast<size_t>(axis);
            auto const extent = static_cast<Index>(extents[a]);
            Index const rest = axis == 0 ? 0 : i / extent;
            if (strides[a] != 0)
                place += (i - rest * extent) / static_cast<Index>(blocks[a]) * static_cast<Index>(strides[a]);
            i = rest;
        }
        return place;
    }
};

/// Calls body(from, to, place, step) for ranges that together are [begin, end): the scale of element i is at index
/// place + (i - from) * step.
template <class Body> void forScaled(ScaleMap const& map, int64_t begin, int64_t end, Body const& body) {
    if (map.rank == 0) return body(begin, end, int64_t{0}, int64_t{0});
    auto const last = static_cast<size_t>(map.rank - 1);
    bool const moves = map.strides[last] != 0;
    while (begin < end) {
        int64_t const column = begin % map.extents[last];
        int64_t length = map.extents[last] - column;
        if (moves && map.blocks[last] > 1) length = std::min(length, map.blocks[last] - column % map.blocks[last]);
        length = std::min(length, end - begin);
        body(begin, begin + length, map.of(begin), map.blocks[last] > 1 ? 0 : map.strides[last]);
        begin += length;
    }
}

/// The shape rule of scales (input 1) and zero points (input 2, optional) for X (input 0): one element; or one for each
/// index of `axis`; or of X's rank, one for each block of `blocks` elements along each axis (the last blocks may be
/// shorter). Without `blocks` the extents divide those of X. A zero point may also be one for all.
void expectScales(Operands const& in, int64_t axis, std::vector<int64_t> const& blocks);
/// Throws an Error if the scales are a list for one axis of several, but not this one, whatever else the layer lacks.
void expectListedAxis(Operands const& in, int64_t axis);
/// The same for known extents.
ScaleMap scaleMapOf(Dims const& x, Dims const& scales, int64_t axis, std::vector<int64_t> const& blocks);

} // namespace tenon

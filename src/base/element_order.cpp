// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/element_order.h"

#include "base/parallel.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon {
namespace {

constexpr int64_t kMost = int64_t{1} << 40; // of any number here, so that products of two fit

/// The place of each index of one axis in the copy: an axis at a time they add up.
std::vector<int64_t> placesOf(ElementOrder const& order, size_t axis) {
    std::vector<int64_t> places(static_cast<size_t>(order.dims[axis]));
    std::vector<int64_t> left(places.size());
    std::iota(left.begin(), left.end(), 0);
    int64_t stride = 1;
    for (size_t block = order.blocks.size(); block-- > 0;) {
        int64_t const size = order.blocks[block];
        if (order.blocked[block] == static_cast<int64_t>(axis)) {
            for (size_t i = 0; i < places.size(); ++i) {
                places[i] += left[i] % size * stride;
                left[i] /= size;
            }
        }
        stride *= size;
    }
    for (size_t i = 0; i < places.size(); ++i) places[i] += left[i] * order.strides[axis];
    return places;
}

bool areWithin(std::span<int64_t const> numbers, int64_t least) {
    return std::ranges::all_of(numbers, [&](int64_t number) { return number >= least && number <= kMost; });
}

/// One element after the other along the last axis, for each index of the others.
template <class T> class Restoring {
public:
    Restoring(ElementOrder const& order, std::byte const* copy, std::byte* tensor)
        : order_(order), copy_(copy), tensor_(tensor) {
        for (size_t axis = 0; axis < order.dims.size(); ++axis) places_.push_back(placesOf(order, axis));
    }

    void row(int64_t row) const {
        size_t const last = places_.size() - 1;
        int64_t from = 0;
        int64_t to = 0;
        for (size_t axis = last; axis-- > 0;) {
            int64_t const index = row % order_.dims[axis];
            row /= order_.dims[axis];
            from += places_[axis][static_cast<size_t>(index)];
            to += index * order_.dense[axis];
        }
        for (size_t i = 0; i < places_[last].size(); ++i)
            std::memcpy(tensor_ + (to + static_cast<int64_t>(i) * order_.dense[last]) * kWidth,
                        copy_ + (from + places_[last][i]) * kWidth, sizeof(T));
    }

private:
    static constexpr int64_t kWidth = sizeof(T);

    ElementOrder const& order_;
    std::byte const* copy_;
    std::byte* tensor_;
    std::vector<std::vector<int64_t>> places_;
};

template <class T> void restoreAll(ElementOrder const& order, std::byte const* copy, std::byte* tensor) {
    Restoring<T> const restoring(order, copy, tensor);
    int64_t rows = 1;
    for (size_t axis = 0; axis + 1 < order.dims.size(); ++axis) rows *= order.dims[axis];
    parallelFor(rows, 64, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) restoring.row(row);
    });
}

} // namespace

bool isWithin(ElementOrder const& order, int64_t elements, int64_t copied) {
    size_t const rank = order.dims.size();
    bool const isWhole = rank > 0 && order.dense.size() == rank && order.strides.size() == rank &&
                         order.blocked.size() == order.blocks.size() && order.blocks.size() <= 64 &&
                         elements <= copied && copied <= kMost;
    if (!isWhole || !areWithin(order.dims, 1) || !areWithin(order.dense, 0) || !areWithin(order.strides, 0) ||
        !areWithin(order.blocks, 1))
        return false;
    int64_t volume = 1;
    for (int64_t const extent : order.dims) {
        if (__builtin_mul_overflow(volume, extent, &volume) || volume > elements) return false;
    }
    int64_t inner = 1;
    for (size_t i = 0; i < order.blocks.size(); ++i) {
        bool const isAxis = order.blocked[i] >= 0 && order.blocked[i] < static_cast<int64_t>(rank);
        if (!isAxis || __builtin_mul_overflow(inner, order.blocks[i], &inner) || inner > kMost) return false;
    }
    int64_t lastDense = 0;
    int64_t lastPlace = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
        lastDense += std::min(order.dense[axis] * (order.dims[axis] - 1), kMost);
        auto const places = placesOf(order, axis);
        lastPlace += std::min(*std::ranges::max_element(places), kMost);
    }
    return volume == elements && lastDense < elements && lastPlace < copied;
}

void restore(ElementOrder const& order, size_t width, std::span<std::byte const> copy, std::span<std::byte> tensor) {
    std::ranges::fill(tensor, std::byte{0});
    switch (width) {
    case 1: return restoreAll<uint8_t>(order, copy.data(), tensor.data());
    case 2: return restoreAll<uint16_t>(order, copy.data(), tensor.data());
    case 4: return restoreAll<uint32_t>(order, copy.data(), tensor.data());
    case 8: return restoreAll<uint64_t>(order, copy.data(), tensor.data());
    default: break;
    }
}

} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/element_order.h"

#include "base/parallel.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon {
namespace {

constexpr int64_t kMost = int64_t{1} << 40; // limits each number, so that products of two do not overflow

/// The offset of each index of one axis in the copy; the offsets of all axes add up.
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

/// Walks along the axis in which the tensor is dense and, inside, a strip of the axis in which the copy is dense:
/// stepping through both in long strides would cost a cache line for each element.
class Walk {
public:
    explicit Walk(ElementOrder const& order) {
        for (size_t axis = 0; axis < order.dims.size(); ++axis)
            outer_.push_back({placesOf(order, axis), order.dense[axis]});
        auto const along = std::ranges::min_element(outer_, {}, &Line::denseStep);
        auto const across = std::ranges::min_element(outer_, {}, &Line::step);
        if (across != along) std::swap(*across, across_);
        std::swap(*along, along_);
        strips_ = (across_.extent() + kStrip - 1) / kStrip;
    }

    /// Calls move(offset in the copy, offset in the tensor) for each element, on several threads.
    template <class Move> void forEach(Move const& move) const {
        int64_t parts = strips_;
        for (Line const& line : outer_) parts *= line.extent();
        int64_t const elements = std::min(kStrip, across_.extent()) * along_.extent();
        parallelFor(parts, std::max<int64_t>(1, 16384 / elements), [&](int64_t begin, int64_t end) {
            for (int64_t part = begin; part < end; ++part) forPart(part, move);
        });
    }

private:
    static constexpr int64_t kStrip = 16; // a cache line of float32; longer strips leave the L1 cache

    /// An axis: the offset of each index in the copy, and the stride in the tensor.
    struct Line {
        std::vector<int64_t> places{0};
        int64_t dense = 0;

        int64_t extent() const { return static_cast<int64_t>(places.size()); }
        int64_t step() const { return extent() > 1 ? places[1] - places[0] : kMost; }
        int64_t denseStep() const { return extent() > 1 ? dense : kMost; }
        int64_t at(int64_t index) const { return places[static_cast<size_t>(index)]; }
    };

    template <class Move> void forPart(int64_t part, Move const& move) const {
        int64_t const first = part % strips_ * kStrip;
        int64_t const end = std::min(first + kStrip, across_.extent());
        part /= strips_;
        int64_t from = 0;
        int64_t to = 0;
        for (size_t axis = outer_.size(); axis-- > 0;) {
            int64_t const index = part % outer_[axis].extent();
            part /= outer_[axis].extent();
            from += outer_[axis].at(index);
            to += index * outer_[axis].dense;
        }
        for (int64_t j = 0; j < along_.extent(); ++j) {
            int64_t const fromLine = from + along_.at(j);
            int64_t const toLine = to + j * along_.dense;
            for (int64_t i = first; i < end; ++i) move(fromLine + across_.at(i), toLine + i * across_.dense);
        }
    }

    Line along_, across_; // across_: a single index where the same axis is dense in both
    std::vector<Line> outer_;
    int64_t strips_ = 1;
};

enum class Way { ToCopy, ToTensor };

template <class T, Way way> void moveAll(ElementOrder const& order, std::byte const* from, std::byte* to) {
    constexpr auto kWidth = static_cast<int64_t>(sizeof(T));
    Walk(order).forEach([&](int64_t inCopy, int64_t inTensor) { // of any alignment
        int64_t const source = way == Way::ToCopy ? inTensor : inCopy;
        int64_t const target = way == Way::ToCopy ? inCopy : inTensor;
        std::memcpy(to + target * kWidth, from + source * kWidth, sizeof(T));
    });
}

template <Way way> void moveAll(ElementOrder const& order, size_t width, std::byte const* from, std::byte* to) {
    switch (width) {
    case 1: return moveAll<uint8_t, way>(order, from, to);
    case 2: return moveAll<uint16_t, way>(order, from, to);
    case 4: return moveAll<uint32_t, way>(order, from, to);
    case 8: return moveAll<uint64_t, way>(order, from, to);
    default: break;
    }
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

void place(ElementOrder const& order, size_t width, std::span<std::byte const> tensor, std::span<std::byte> copy) {
    moveAll<Way::ToCopy>(order, width, tensor.data(), copy.data());
}

void restore(ElementOrder const& order, size_t width, std::span<std::byte const> copy, std::span<std::byte> tensor) {
    std::ranges::fill(tensor, std::byte{0});
    moveAll<Way::ToTensor>(order, width, copy.data(), tensor.data());
}

} // namespace tenon

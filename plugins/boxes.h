// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenon::plugins {

/// A box by two opposite corners, in any order of the axes.
struct Box {
    float x1, y1, x2, y2;
};

/// Added to the edges: 1 if coordinates name pixels that belong to the box.
struct Borders {
    float each = 0;   ///< To those of the boxes.
    float common = 0; ///< To those of the intersection.
};

/// The length from `low` to `high`; 0 if empty.
constexpr float span(float low, float high, float border) { return high < low ? 0 : high - low + border; }

/// A box as overlap() needs it.
struct Extent {
    Extent() = default;
    constexpr Extent(float left, float top, float right, float bottom, float area)
        : left(left), top(top), right(right), bottom(bottom), area(area) {}
    constexpr Extent(Box const& box, float border)
        : left(std::min(box.x1, box.x2)), top(std::min(box.y1, box.y2)), right(std::max(box.x1, box.x2)),
          bottom(std::max(box.y1, box.y2)), area(span(left, right, border) * span(top, bottom, border)) {}

    float left, top, right, bottom, area;
};

/// The intersection over union of two boxes. `border` is that of the intersection.
constexpr float overlap(Extent const& a, Extent const& b, float border) {
    float const both = span(std::max(a.left, b.left), std::min(a.right, b.right), border) *
                       span(std::max(a.top, b.top), std::min(a.bottom, b.bottom), border);
    float const either = a.area + b.area - both;
    return both > 0 && either > 0 ? both / either : 0;
}

/// The same for boxes that are compared once.
inline float overlap(Box const& a, Box const& b, Borders borders = {}) {
    return overlap(Extent(a, borders.each), Extent(b, borders.each), borders.common);
}

/// Boxes to compare others with.
class KeptBoxes {
public:
    using Shape = Extent;

    /// Removes all boxes. Allocates memory for `most` boxes if there is less.
    void clear(int64_t most, Borders borders);
    Shape shape(Box const& box) const { return {box, borders_.each}; }
    /// Whether one of the boxes overlaps `box` by more than `limit`; below 0, any does.
    bool overlaps(Shape const& box, float limit) const;
    /// Appends a box; there must be room.
    void add(Shape const& box);

private:
    static constexpr size_t kLanes = 16;
    struct Block {
        float left[kLanes], top[kLanes], right[kLanes], bottom[kLanes], area[kLanes];
    };

    static bool anyOverlaps(Block const* block, Block const* end, Shape const& box, float border, float limit);
    static bool anyOverlapsWide(Block const* block, Block const* end, Shape const& box, float border, float limit);

    std::vector<Block> blocks_; // padding after the last box overlaps nothing
    size_t count_ = 0;
    Borders borders_;
};

/// A box with the score of one class.
struct Candidate {
    float score;
    int32_t box; ///< Its index in the image.
    int32_t label;
};

/// Boxes of a tensor [B,N,4], [B,N,1,4] or [B,N,C,4]; the last has a box per class.
template <typename Real> class BoxesOf {
public:
    explicit BoxesOf(PluginBase::Tensor const& tensor)
        : data_(static_cast<Real const*>(tensor.data)), boxes_(tensor[1]), each_(tensor.rank() == 4 ? tensor[2] : 1) {}

    /// Four elements.
    constexpr Real const* at(int64_t picture, Candidate const& candidate) const {
        return data_ + ((picture * boxes_ + candidate.box) * each_ + (each_ > 1 ? candidate.label : 0)) * 4;
    }

private:
    Real const* data_;
    int64_t boxes_, each_;
};

/// The same in host memory.
class BoxTensor : public BoxesOf<float> {
public:
    using BoxesOf::BoxesOf;

    Box corners(int64_t picture, Candidate const& candidate) const {
        float const* const box = at(picture, candidate);
        return {box[0], box[1], box[2], box[3]};
    }
};

} // namespace tenon::plugins

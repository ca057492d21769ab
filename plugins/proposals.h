// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the plugins that choose the regions of an image in which a network expects objects.
#pragma once

#include "anchors.h"
#include "boxes.h"
#include "feature_maps.h"
#include "gpu.h"
#include "nms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tenon::plugins {

/// One element for each axis of an image; the boxes' coordinates decide which comes first.
struct Pair {
    float first, second;
};

/// A box by its centre, and by the vector from corner to corner.
struct Anchor {
    Pair middle, size;
};

/// The same with the other axis first.
constexpr Anchor swapped(Anchor const& anchor) {
    return {{anchor.middle.second, anchor.middle.first}, {anchor.size.second, anchor.size.first}};
}

/// The box between two corners, four numbers.
constexpr Anchor between(float const* corners) {
    return {{(corners[0] + corners[2]) / 2, (corners[1] + corners[3]) / 2},
            {corners[2] - corners[0], corners[3] - corners[1]}};
}

/// Anchors of the same sizes around the centre of each position of a feature map; x is the first axis. Sizes is an
/// array, or a pointer into memory of the computing device.
template <typename Sizes> struct AnchorGrid {
    int64_t rows, columns;     ///< Of the feature map.
    float stepDown, stepRight; ///< From one position to the next.
    float offset;              ///< Of a centre in its position, in steps.
    Sizes sizes;
    int64_t each; ///< The number of sizes.

    constexpr int64_t count() const { return rows * columns * each; }

    constexpr Anchor at(int64_t row, int64_t column, int64_t size) const {
        return {{(float(column) + offset) * stepRight, (float(row) + offset) * stepDown},
                {sizes[size_t(size)].width, sizes[size_t(size)].height}};
    }
    /// By index, position by position, in the order of the sizes.
    constexpr Anchor at(int64_t index) const {
        int64_t const place = index / each;
        return at(place / columns, place % columns, index % each);
    }
};

using AnyAnchors = AnchorGrid<Anchors::Size const*>;

/// The coding of the network's four deltas of an anchor: two move its centre, by fractions of its size; two, powers of
/// e, scale it.
struct BoxCoding {
    float move = 1, stretch = 1;                                ///< Factors of the deltas.
    float mostStretch = std::numeric_limits<float>::infinity(); ///< Of the powers.
    float border =
        0; ///< The difference between a box's size and the vector from corner to corner: 1 if corners are pixels.

    /// The box, clipped to an image whose coordinates range from 0 to `last`. NaN stays NaN.
    constexpr Box decode(Anchor const& anchor, float const* delta, Pair last) const {
        Pair const first = along(anchor.middle.first, anchor.size.first, delta[0], delta[2], last.first);
        Pair const second = along(anchor.middle.second, anchor.size.second, delta[1], delta[3], last.second);
        return {first.first, second.first, first.second, second.second};
    }

private:
    // The ends on one axis.
    constexpr Pair along(float middle, float way, float moved, float stretched, float last) const {
        float const size = way + border;
        float const center = middle + border / 2 + moved * move * size;
        float const decoded = std::exp(std::min(stretched * stretch, mostStretch)) * size;
        float const low = center - decoded / 2;
        return {within(low, last), within(low + decoded - border, last)};
    }
    // std::clamp does not allow an image without pixels, whose last coordinate is -1.
    static constexpr float within(float place, float last) { return std::max(std::min(place, last), 0.0F); }
};

/// BoxCoding::mostStretch of Detectron and its successors: log(1000 / 16).
constexpr float kMostStretch = 4.135166556742356F;

/// A feature map's deltas of the boxes in images.
template <typename Real> struct MapOfBoxes {
    AnyAnchors anchors;
    Real const* deltas; ///< [N,A,4,H,W] for the number of anchors' sizes A, rows H and columns W; coordinates are x, y.

    /// \param index of [A,H,W]
    constexpr Box boxAt(int64_t picture, int64_t index, Pair last) const {
        int64_t const places = anchors.rows * anchors.columns, size = index / places, place = index % places;
        Real const* const numbers = deltas + (picture * anchors.each + size) * 4 * places + place;
        float delta[4]{};
        for (int i = 0; i < 4; ++i) delta[i] = float(numbers[i * places]);
        return BoxCoding{}.decode(anchors.at(place / anchors.columns, place % anchors.columns, size), delta, last);
    }
};

/// Whether no element of a box is NaN. All others are finite, since they are inside an image.
constexpr bool isNumber(Box const& box) {
    float const sum = box.x1 + box.y1 + box.x2 + box.y2;
    return sum == sum;
}

/// With the smaller coordinates first, and pixels at the far edges, as in Faster R-CNN: two boxes whose pixels are less
/// than one apart overlap, which they do not with Borders.
constexpr Box grown(Box const& box, float border) {
    return {std::min(box.x1, box.x2), std::min(box.y1, box.y2), std::max(box.x1, box.x2) + border,
            std::max(box.y1, box.y2) + border};
}

/// The score of an object in a region, and its class.
struct Sureness {
    float score; ///< Not an object if it is NaN or minus infinity.
    int32_t label = 0;

    static constexpr float kNone = -std::numeric_limits<float>::infinity();
};

/// Chooses among the regions of one image after another. One thread at a time uses an object; it keeps its memory, so
/// that a choice among the same number of regions allocates nothing.
class Selection {
public:
    struct Limits {
        int64_t candidates; ///< The number of highest-scoring regions considered.
        float overlap;    ///< A region is dropped if its overlap with a higher-scoring one of the same class is larger.
        int64_t kept;     ///< The number of the remaining regions kept per class.
        float border = 0; ///< 1 if coordinates name pixels that belong to the box.

        /// The rules of a suppression.
        NmsRules rules() const {
            NmsRules rules;
            rules.scoreLimit = Sureness::kNone;
            rules.overlapLimit = overlap;
            rules.candidates = candidates;
            rules.perClass = rules.perPicture = kept;
            return rules;
        }
    };

    /// Begins an image.
    void clear();

    /// Chooses among `count` regions, separately from those of earlier calls. Ties: the smaller class comes first, then
    /// the region with the smaller index; those of earlier calls come before.
    /// \param surenessOf of a region, by its index; on any thread
    /// \param boxOf of a Candidate, whose `box` is the region's index; on any thread. NaN is not a region
    /// \param steps the work of surenessOf, in cheap steps
    template <typename SurenessOf, typename BoxOf>
    void add(int64_t count, Limits const& limits, SurenessOf const& surenessOf, BoxOf const& boxOf, int64_t steps) {
        int64_t const grain = rowsPerThread(steps);
        reserve(count, grain);
        parallelFor(count, grain, [&](int64_t begin, int64_t end) {
            Candidate* last = room_.data() + begin;
            for (int64_t i = begin; i < end; ++i) {
                Sureness const sureness = surenessOf(i);
                if (sureness.score > Sureness::kNone) *last++ = {sureness.score, int32_t(i), sureness.label};
            }
            keepBestOfPart(begin, last, begin / grain, limits.candidates);
        });
        gather(grain, limits.candidates);
        size_t const first = reserveBoxes();
        parallelFor(int64_t(candidates_.size()), rowsPerThread(32), [&](int64_t begin, int64_t end) {
            for (auto i = size_t(begin); i < size_t(end); ++i) setBox(i, first, boxOf(candidates_[i]));
        });
        suppress(limits, std::min({count, limits.candidates, limits.kept}));
    }

    /// The same for regions.count() regions of an image, with regions.surenessOf(picture, i) and regions.boxOf(picture,
    /// candidate).
    template <typename Regions> void add(int64_t picture, Regions const& regions, Limits const& limits, int64_t steps) {
        add(
            regions.count(), limits, [&](int64_t i) { return regions.surenessOf(picture, i); },
            [&](Candidate const& candidate) { return regions.boxOf(picture, candidate); }, steps);
    }

    /// The highest-scoring of all kept ones, at most this many, and Limits::kept; class and score only, boxOf() returns
    /// the box. Valid until the next call of another method.
    std::span<Candidate const> best(int64_t most);

    /// The box of one of best().
    Box const& boxOf(Candidate const& candidate) const { return boxes_[size_t(candidate.box)]; }

    /// Writes the boxes of best(most), [most,4]: one corner and the other; padding is 0.
    void writeBest(int64_t most, float* to);

private:
    void reserve(int64_t count, int64_t grain);
    /// Of room_[begin,last), which belongs to a part.
    void keepBestOfPart(int64_t begin, Candidate* last, int64_t part, int64_t most);
    /// Makes candidates_ from the results of all parts, class by class.
    void gather(int64_t grain, int64_t most);
    /// Reserves room for the boxes of all candidates, and returns its start.
    size_t reserveBoxes();
    /// Gives a candidate its box; from now on its index is the box's.
    void setBox(size_t candidate, size_t firstBox, Box const& box);
    /// Of each class, `most` are kept.
    void suppress(Limits const& limits, int64_t most);

    std::vector<Candidate> room_, candidates_, kept_;
    std::vector<int64_t> endOfPart_; // in room_; 0 where no part begins
    std::vector<Box> boxes_;
    BlockwiseSuppression<KeptBoxes> suppression_;
    size_t usedBoxes_ = 0;
};

/// Room for this many sizes of anchors.
inline Anchors::Size* takeSizes(int64_t count, GpuPieces& pieces) { return pieces.take<Anchors::Size>({count}); }

/// Throws std::invalid_argument if a map does not have `each` channels for each of the anchors.
/// \param channels -1 if not known yet
/// \param fields whose values make the anchors
void checkChannels(char const* map, int64_t channels, size_t each, size_t anchors, char const* fields);

/// Throws std::invalid_argument if a tensor does not have one box for each anchor in an image of the field image_size.
/// \param boxes -1 if not known yet
void checkAnchors(std::string const& tensor, int64_t boxes, int64_t anchors, std::vector<int32_t> const& imageSize);

/// Throws std::invalid_argument, with the name of the field, for a number below 1.
void checkOneOrMore(char const* field, int32_t value);

/// Throws std::invalid_argument, with the name of the field, for a negative or infinite number or NaN.
void checkNotNegative(char const* field, float value);

} // namespace tenon::plugins

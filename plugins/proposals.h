// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the plugins have in common that choose the regions of a picture in which a network expects objects.
#pragma once

#include "anchors.h"
#include "boxes.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tenon::plugins {

/// One number for each axis of a picture; which comes first, the boxes' coordinates say.
struct Pair {
    float first, second;
};

/// A box by its middle, and by the way from corner to corner.
struct Anchor {
    Pair middle, size;
};

/// The anchor of one of the sizes at a place of a feature map; x is the first axis.
Anchor anchorAt(Anchors const& anchors, int64_t row, int64_t column, size_t size);

/// The same by its number, place by place, in the order of the sizes.
Anchor anchorAt(Anchors const& anchors, int64_t index);

/// The same with the other axis first.
Anchor swapped(Anchor const& anchor);

/// The box between two corners, four numbers.
Anchor between(float const* corners);

/// What the four numbers mean that a network says of an anchor: two move its middle, by shares of its size; two, powers
/// of e, stretch it.
struct BoxCoding {
    float move = 1, stretch = 1;                                ///< What the numbers are multiplied by.
    float mostStretch = std::numeric_limits<float>::infinity(); ///< Of the powers.
    float border =
        0; ///< 1 where coordinates name pixels that belong to the box: it is larger than the way between them.

    /// The box, within a picture whose coordinates go from 0 to `last`. What is not a number stays that.
    Box decode(Anchor const& anchor, float const* delta, Pair last) const;
};

/// BoxCoding::mostStretch of Detectron and what follows it: log(1000 / 16).
constexpr float kMostStretch = 4.135166556742356F;

/// What a feature map says of the boxes in one picture.
class MapOfBoxes {
public:
    /// \param deltas [A,4,H,W], numbers of anchors' sizes A, rows H and columns W; coordinates are x, y
    MapOfBoxes(Anchors const& anchors, float const* deltas, Pair last)
        : anchors_(anchors), deltas_(deltas), last_(last) {}

    /// \param index of [A,H,W]
    Box boxAt(int64_t index) const;

private:
    Anchors const& anchors_;
    float const* deltas_;
    Pair last_;
};

/// A region of a picture, for objects of a class.
struct Proposal {
    Box box;     ///< None where a coordinate is not a number.
    float score; ///< None where it is not a number, or minus infinity.
    int32_t label = 0;

    static constexpr float kNone = -std::numeric_limits<float>::infinity();
};

/// Chooses among the proposals for one picture after another. One thread at a time uses an object; it keeps its memory,
/// so that a choice among as many as before allocates nothing.
class Selection {
public:
    struct Limits {
        int64_t candidates; ///< So many of the surest are considered.
        float overlap;      ///< More with a surer one of the same class, and a box is dropped.
        int64_t kept;       ///< So many of the surest that are left stay.
        float border = 0;   ///< 1 where coordinates name pixels that belong to the box.
    };

    /// Begins with a picture.
    void clear();

    /// Chooses among `count` proposals, apart from those of earlier calls. Of equal scores the smaller class comes
    /// first, then the one with the smaller number.
    /// \param propose makes the proposal of a number, on any thread
    /// \param steps the work of that, in cheap steps
    template <typename Propose> void add(int64_t count, Limits const& limits, int64_t steps, Propose const& propose) {
        size_t const first = reserve(count);
        parallelFor(count, rowsPerThread(steps), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) proposals_[first + size_t(i)] = propose(i);
        });
        select(first, limits);
    }

    /// The surest of all that stay, at most so many. Valid until the next call of another method.
    std::span<Candidate const> best(int64_t most);

    /// Writes the boxes of best(most), [most,4]: one corner and the other; 0 for those that are left.
    void writeBest(int64_t most, float* to);

    Proposal const& operator[](Candidate const& candidate) const { return proposals_[size_t(candidate.box)]; }

private:
    /// Has room for so many proposals more, and says where they begin.
    size_t reserve(int64_t count);
    void select(size_t first, Limits const& limits);
    void suppress(Limits const& limits);
    /// Whether the box overlaps one of kept_[from,to) of its class.
    bool isSuppressed(Candidate const& candidate, size_t from, size_t to, Limits const& limits) const;
    Box grown(Candidate const& candidate, float border) const;

    std::vector<Proposal> proposals_;
    size_t used_ = 0; // of proposals_
    std::vector<Candidate> candidates_, kept_;
    std::vector<Box> keptBoxes_; // with their borders
};

/// Throws std::invalid_argument where a map has not `each` channels for each of the anchors.
/// \param channels -1 where that is not known yet
/// \param fields whose numbers make the anchors
void checkChannels(char const* map, int64_t channels, size_t each, size_t anchors, char const* fields);

/// Throws std::invalid_argument where a tensor has not one box for each anchor in a picture of the field image_size.
/// \param boxes -1 where that is not known yet
void checkAnchors(std::string const& tensor, int64_t boxes, int64_t anchors, std::vector<int32_t> const& imageSize);

/// Throws std::invalid_argument, with the name of the field, for a number below 1.
void checkOneOrMore(char const* field, int32_t value);

/// Throws std::invalid_argument, with the name of the field, for what is negative or not finite.
void checkNotNegative(char const* field, float value);

/// Throws std::invalid_argument where the field image_size is not channels, height and width, each 1 or more.
void checkImageSize(std::vector<int32_t> const& imageSize);

} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <cstdint>
#include <vector>

namespace tenon::plugins {

/// A box by two opposite corners; which axis comes first does not matter.
struct Box {
    float x1, y1, x2, y2;
};

/// What is added to the edges: 1 where coordinates name pixels that belong to the box.
struct Borders {
    float each = 0;   ///< To those of the boxes.
    float common = 0; ///< To those of what they have in common.
};

/// The share of the joint area that two boxes have in common.
float overlap(Box const& a, Box const& b, Borders borders = {});

/// A box with the score of one class.
struct Candidate {
    float score;
    int32_t box; ///< Its number in the picture.
    int32_t label;
};

/// The order by falling score; of equal ones, the smaller class first, then the box with the smaller number.
bool isBefore(Candidate const& a, Candidate const& b);
void sortByScore(std::vector<Candidate>& candidates);

/// The first `most` in that order; the others are dropped.
void keepBest(std::vector<Candidate>& candidates, int64_t most);

} // namespace tenon::plugins

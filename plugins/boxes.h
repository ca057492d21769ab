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

/// The share of the joint area that two boxes have in common, 0 to 1. `border` is added to each edge: 1 where
/// coordinates are pixels that belong to the box themselves.
float overlap(Box const& a, Box const& b, float border = 0);

/// A box with the score of one class.
struct Candidate {
    float score;
    int32_t box; ///< Its number in the picture.
    int32_t label;
};

/// By falling score; of equal ones, the box with the smaller number first, then the smaller class.
void sortByScore(std::vector<Candidate>& candidates);

} // namespace tenon::plugins

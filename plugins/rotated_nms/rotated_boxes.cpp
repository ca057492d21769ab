// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "rotated_boxes.h"

namespace tenon::plugins {

void KeptRotatedBoxes::clear(int64_t most, Borders) {
    if (boxes_.size() < size_t(most)) boxes_.resize(size_t(most));
    count_ = 0;
}

bool KeptRotatedBoxes::overlaps(Shape const& box, float limit) const {
    return std::any_of(boxes_.begin(), boxes_.begin() + int64_t(count_),
                       [&](Shape const& kept) { return plugins::overlaps(kept, box, limit); });
}

} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "boxes.h"

#include <algorithm>
#include <tuple>

namespace tenon::plugins {
namespace {

struct Span {
    float low, high;
};

// 0 for what is empty.
float length(Span const& span, float border) { return span.high < span.low ? 0 : span.high - span.low + border; }
Span common(Span const& a, Span const& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
Span horizontal(Box const& box) { return {std::min(box.x1, box.x2), std::max(box.x1, box.x2)}; }
Span vertical(Box const& box) { return {std::min(box.y1, box.y2), std::max(box.y1, box.y2)}; }
float area(Box const& box, float border) { return length(horizontal(box), border) * length(vertical(box), border); }

} // namespace

float overlap(Box const& a, Box const& b, Borders borders) {
    float const both = length(common(horizontal(a), horizontal(b)), borders.common) *
                       length(common(vertical(a), vertical(b)), borders.common);
    float const either = area(a, borders.each) + area(b, borders.each) - both;
    return both > 0 && either > 0 ? both / either : 0;
}

bool isBefore(Candidate const& a, Candidate const& b) {
    return a.score != b.score ? a.score > b.score : std::tie(a.label, a.box) < std::tie(b.label, b.box);
}

void sortByScore(std::vector<Candidate>& candidates) { std::ranges::sort(candidates, isBefore); }

void keepBest(std::vector<Candidate>& candidates, int64_t most) {
    if (most < std::ssize(candidates)) {
        std::ranges::nth_element(candidates, candidates.begin() + most, isBefore);
        candidates.resize(size_t(most));
    }
    sortByScore(candidates);
}

} // namespace tenon::plugins

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

float length(Span const& span, float border) { return std::max(span.high - span.low + border, 0.0F); }
Span common(Span const& a, Span const& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
Span horizontal(Box const& box) { return {std::min(box.x1, box.x2), std::max(box.x1, box.x2)}; }
Span vertical(Box const& box) { return {std::min(box.y1, box.y2), std::max(box.y1, box.y2)}; }
float area(Box const& box, float border) { return length(horizontal(box), border) * length(vertical(box), border); }

} // namespace

float overlap(Box const& a, Box const& b, float border) {
    float const both =
        length(common(horizontal(a), horizontal(b)), border) * length(common(vertical(a), vertical(b)), border);
    float const either = area(a, border) + area(b, border) - both;
    return both > 0 && either > 0 ? both / either : 0;
}

void sortByScore(std::vector<Candidate>& candidates) {
    std::ranges::sort(candidates, [](Candidate const& a, Candidate const& b) {
        return a.score != b.score ? a.score > b.score : std::tie(a.box, a.label) < std::tie(b.box, b.label);
    });
}

} // namespace tenon::plugins

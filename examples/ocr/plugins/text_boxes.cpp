// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text_boxes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ocr {
namespace {

// Boxes with a shorter side (in pixels of the map) are noise.
constexpr float kMinCoreSide = 3;
constexpr float kMinBoxSide = kMinCoreSide + 2;

// Marks in `isText` the pixels of row y that are text or, with dilation, lie right of or below one.
void markRow(ProbabilityMap map, int32_t y, BoxRules const& rules, std::vector<uint8_t>& isText) {
    std::fill(isText.begin(), isText.end(), uint8_t{0});
    int32_t const reach = rules.useDilation != 0 ? 1 : 0;
    for (int32_t source = std::max(0, y - reach); source <= y; ++source) {
        float const* row = map.values + size_t(source) * map.width;
        for (int32_t x = 0; x < map.width; ++x) {
            if (!(row[x] > rules.threshold)) continue;
            isText[x] = 1;
            isText[std::min(x + reach, map.width - 1)] = 1;
        }
    }
}

// The x coordinates at which a convex quad covers row y: from `first` to `second`, none if first > second.
std::pair<float, float> spanInRow(Quad const& quad, float y) {
    float left = INFINITY, right = -INFINITY;
    auto cover = [&](float x) {
        left = std::min(left, x);
        right = std::max(right, x);
    };
    for (size_t i = 0; i < quad.size(); ++i) {
        Point const a = quad[i], b = quad[(i + 1) % quad.size()];
        if (y < std::min(a.y, b.y) || y > std::max(a.y, b.y)) continue;
        cover(a.y == b.y ? a.x : a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
        if (a.y == b.y) cover(b.x);
    }
    return {left, right};
}

// The mean of the map's pixels whose centres lie in the quad; 0 where there are none.
float meanInside(ProbabilityMap map, Quad const& quad) {
    constexpr float kRounding = 1e-3F; // corners come from floats: a pixel on the edge stays inside
    auto const [top, bottom] =
        std::minmax_element(quad.begin(), quad.end(), [](Point a, Point b) { return a.y < b.y; });
    int32_t const firstRow = std::max(0, int32_t(std::ceil(top->y - kRounding)));
    int32_t const lastRow = std::min(map.height - 1, int32_t(std::floor(bottom->y + kRounding)));
    double sum = 0;
    int64_t count = 0;
    for (int32_t y = firstRow; y <= lastRow; ++y) {
        auto const [left, right] = spanInRow(quad, std::clamp(float(y), top->y, bottom->y));
        int32_t const first = std::max(0, int32_t(std::ceil(left - kRounding)));
        int32_t const last = std::min(map.width - 1, int32_t(std::floor(right + kRounding)));
        for (int32_t x = first; x <= last; ++x, ++count) sum += map.values[size_t(y) * map.width + x];
    }
    return count == 0 ? 0 : float(sum / double(count));
}

} // namespace

std::vector<TextBox> const& TextBoxFinder::find(ProbabilityMap map) {
    boxes_.clear();
    findRuns(map);
    joinRuns();
    sortRunsByCore();
    Run const* const end = runs_.data() + runs_.size();
    Run const* core = runs_.data();
    for (int32_t candidate = 0; candidate < rules_.maxCandidates && core != end; ++candidate) {
        Run const* const next = std::find_if(core, end, [=](Run const& run) { return run.parent != core->parent; });
        addBox(map, core, next);
        core = next;
    }
    return boxes_;
}

void TextBoxFinder::findRuns(ProbabilityMap map) {
    runs_.clear();
    isText_.resize(map.width);
    for (int32_t y = 0; y < map.height; ++y) {
        markRow(map, y, rules_, isText_);
        for (int32_t x = 0; x < map.width; ++x) {
            if (isText_[x] == 0) continue;
            bool const continues = x > 0 && isText_[x - 1] != 0;
            if (!continues) runs_.push_back({y, x, x, uint32_t(runs_.size())});
            runs_.back().last = x;
        }
    }
}

// Runs that touch, diagonally too, belong to one core. `above` follows `below` one row behind.
void TextBoxFinder::joinRuns() {
    uint32_t above = 0;
    for (uint32_t below = 0; below < runs_.size(); ++below) {
        Run const& run = runs_[below];
        auto isBefore = [&](Run const& other) {
            return other.row < run.row - 1 || (other.row == run.row - 1 && other.last < run.first - 1);
        };
        while (above < below && isBefore(runs_[above])) ++above;
        for (uint32_t i = above; i < below && runs_[i].row == run.row - 1 && runs_[i].first <= run.last + 1; ++i) {
            uint32_t const a = rootOf(i), b = rootOf(below);
            runs_[std::max(a, b)].parent = std::min(a, b);
        }
    }
}

uint32_t TextBoxFinder::rootOf(uint32_t run) {
    while (runs_[run].parent != run) {
        runs_[run].parent = runs_[runs_[run].parent].parent; // halves the way for the next caller
        run = runs_[run].parent;
    }
    return run;
}

void TextBoxFinder::sortRunsByCore() {
    for (uint32_t i = 0; i < runs_.size(); ++i) runs_[i].parent = rootOf(i);
    std::sort(runs_.begin(), runs_.end(), [](Run const& a, Run const& b) { return a.parent < b.parent; });
}

void TextBoxFinder::addBox(ProbabilityMap map, Run const* begin, Run const* end) {
    outline_.clear();
    for (Run const* run = begin; run != end; ++run) {
        outline_.push_back({float(run->first), float(run->row)});
        outline_.push_back({float(run->last), float(run->row)});
    }
    RotatedRect const core = minAreaRect(convexHull(outline_));
    if (std::min(core.width, core.height) < kMinCoreSide) return;
    float const score = meanInside(map, core.corners());
    if (score < rules_.boxThreshold) return;
    RotatedRect const box = core.grown(core.area() * rules_.unclipRatio / core.perimeter());
    if (std::min(box.width, box.height) < kMinBoxSide) return;
    boxes_.push_back({box.corners(), score});
}

} // namespace ocr

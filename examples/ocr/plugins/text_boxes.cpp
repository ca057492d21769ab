// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text_boxes.h"

#include <algorithm>
#include <utility>

namespace ocr {
namespace {

// Marks in `isText` the pixels of row y that are text or, with dilation, are right of or below one.
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

// The mean of the map's pixels whose centres are in the quad; 0 if there are none.
float meanInside(ProbabilityMap map, Quad const& quad) {
    Span const rows = rowsInside(quad, map.height);
    double sum = 0;
    int64_t count = 0;
    for (int32_t y = rows.first; y <= rows.last; ++y) {
        Span const columns = columnsInside(quad, y, map.width);
        for (int32_t x = columns.first; x <= columns.last; ++x, ++count) sum += map.values[size_t(y) * map.width + x];
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

// Runs that touch, also diagonally, belong to one core. `below` is the row after `above`.
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
        runs_[run].parent = runs_[runs_[run].parent].parent; // halves the path for the next caller
        run = runs_[run].parent;
    }
    return run;
}

void TextBoxFinder::sortRunsByCore() {
    for (uint32_t i = 0; i < runs_.size(); ++i) runs_[i].parent = rootOf(i);
    std::sort(runs_.begin(), runs_.end(),
              [](Run const& a, Run const& b) { return std::pair(a.parent, a.row) < std::pair(b.parent, b.row); });
}

void TextBoxFinder::addBox(ProbabilityMap map, Run const* begin, Run const* end) {
    outline_.clear(); // the columns that a core covers in each row, from its first to its last pixel
    for (Run const* run = begin; run != end; ++run) {
        if (run->row == begin->row + int32_t(outline_.size())) outline_.push_back({run->first, run->last});
        Span& row = outline_.back();
        row = {std::min(row.first, run->first), std::max(row.last, run->last)};
    }
    RotatedRect const core = minAreaRect(convexHull(outline_, begin->row));
    if (core.shorterSide() < kMinCoreSide) return;
    float const score = meanInside(map, core.corners());
    if (score < rules_.boxThreshold) return;
    RotatedRect const box = boxOf(core, rules_);
    if (box.shorterSide() < kMinBoxSide) return;
    boxes_.push_back({box.corners(), score});
}

} // namespace ocr

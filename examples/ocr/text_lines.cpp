// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ocr {
namespace {

using Line = std::vector<TextPiece const*>;

float width(Quad const& box) { return distance(box[0], box[1]); }
float height(Quad const& box) { return distance(box[0], box[3]); }
Point center(Quad const& box) { return {(box[0].x + box[2].x) / 2, (box[0].y + box[2].y) / 2}; }

// Whether the middle of the narrower box lies near the long axis of the wider one. The axis counts, not just the
// height in the picture: a page may lie a little askew.
bool onOneLine(Quad const& a, Quad const& b) {
    Quad const& wide = width(a) >= width(b) ? a : b;
    Quad const& narrow = width(a) >= width(b) ? b : a;
    Point const along = {(wide[1].x - wide[0].x) / width(wide), (wide[1].y - wide[0].y) / width(wide)};
    Point const way = {center(narrow).x - center(wide).x, center(narrow).y - center(wide).y};
    float const offAxis = std::abs(along.x * way.y - along.y * way.x);
    return offAxis < std::min(height(a), height(b)) / 2;
}

TextLine joined(Line& line) {
    std::sort(line.begin(), line.end(),
              [](TextPiece const* a, TextPiece const* b) { return center(a->box).x < center(b->box).x; });
    TextLine result{};
    float total = 0;
    for (TextPiece const* piece : line) {
        if (!result.text.empty()) result.text += ' ';
        result.text += piece->text;
        result.confidence += piece->confidence * float(piece->text.size());
        total += float(piece->text.size());
    }
    result.confidence /= total;
    return result;
}

} // namespace

std::vector<TextLine> joinIntoLines(std::vector<TextPiece> const& pieces) {
    Line ordered;
    for (TextPiece const& piece : pieces) ordered.push_back(&piece);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](TextPiece const* a, TextPiece const* b) { return center(a->box).y < center(b->box).y; });
    std::vector<Line> lines;
    for (TextPiece const* piece : ordered) {
        auto const line = std::find_if(lines.begin(), lines.end(), [&](Line const& candidate) {
            return std::any_of(candidate.begin(), candidate.end(),
                               [&](TextPiece const* other) { return onOneLine(other->box, piece->box); });
        });
        if (line != lines.end())
            line->push_back(piece);
        else
            lines.push_back({piece});
    }
    std::vector<TextLine> result;
    for (Line& line : lines) result.push_back(joined(line));
    return result;
}

} // namespace ocr

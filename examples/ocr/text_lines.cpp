// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text_lines.h"

#include <algorithm>
#include <cmath>

namespace ocr {
namespace {

float height(Quad const& box) { return distance(box[0], box[3]); }

// The direction in which the page is read: that of its long boxes, as a page may be slightly rotated. Short boxes are
// rotated by their letters and are ignored.
Point readingDirection(std::vector<TextPiece> const& pieces) {
    constexpr float kLong = 5;
    Point sum;
    for (auto const& [box, text, confidence] : pieces) {
        if (distance(box[0], box[1]) < kLong * height(box)) continue;
        sum = {sum.x + box[1].x - box[0].x, sum.y + box[1].y - box[0].y};
    }
    float const length = distance({}, sum);
    return length > 0 ? Point{sum.x / length, sum.y / length} : Point{1, 0};
}

// A piece, and its centre on the page in reading direction.
struct Placed {
    TextPiece const* piece;
    float along, across;
};

std::vector<Placed> placed(std::vector<TextPiece> const& pieces) {
    Point const direction = readingDirection(pieces);
    std::vector<Placed> result;
    for (TextPiece const& piece : pieces) {
        float const x = (piece.box[0].x + piece.box[2].x) / 2, y = (piece.box[0].y + piece.box[2].y) / 2;
        result.push_back({&piece, direction.x * x + direction.y * y, direction.x * y - direction.y * x});
    }
    return result;
}

bool onOneLine(Placed const& a, Placed const& b) {
    return std::abs(a.across - b.across) < std::min(height(a.piece->box), height(b.piece->box)) / 2;
}

TextLine joined(std::vector<Placed>& line) {
    std::sort(line.begin(), line.end(), [](Placed const& a, Placed const& b) { return a.along < b.along; });
    TextLine result{};
    float total = 0;
    for (auto const& [piece, along, across] : line) {
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
    std::vector<Placed> ordered = placed(pieces);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](Placed const& a, Placed const& b) { return a.across < b.across; });
    std::vector<std::vector<Placed>> lines;
    for (Placed const& piece : ordered) {
        auto const line = std::find_if(lines.begin(), lines.end(), [&](auto const& candidate) {
            return std::any_of(candidate.begin(), candidate.end(),
                               [&](Placed const& other) { return onOneLine(other, piece); });
        });
        if (line != lines.end())
            line->push_back(piece);
        else
            lines.push_back({piece});
    }
    std::vector<TextLine> result;
    for (auto& line : lines) result.push_back(joined(line));
    return result;
}

} // namespace ocr

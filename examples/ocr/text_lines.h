// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/geometry.h"

#include <string>
#include <vector>

namespace ocr {

struct TextPiece {
    Quad box;
    std::string text; // UTF-8
    float confidence; // 0 to 1
};

struct TextLine {
    std::string text;
    float confidence; // mean over its pieces, weighted by length
};

// Joins adjacent pieces to lines, separated by spaces; lines from top to bottom.
std::vector<TextLine> joinIntoLines(std::vector<TextPiece> const& pieces);

} // namespace ocr

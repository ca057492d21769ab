// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ocr {
namespace {

// A box 24 high around (x, y), turned by `angle` around the origin.
TextPiece piece(char const* text, float x, float y, float width = 100, float angle = 0, float confidence = 1) {
    auto const turned = [&](float px, float py) {
        return Point{px * std::cos(angle) - py * std::sin(angle), px * std::sin(angle) + py * std::cos(angle)};
    };
    float const w = width / 2, h = 12;
    return {{turned(x - w, y - h), turned(x + w, y - h), turned(x + w, y + h), turned(x - w, y + h)}, text, confidence};
}

std::vector<std::string> textsOf(std::vector<TextPiece> const& pieces) {
    std::vector<std::string> texts;
    for (TextLine const& line : joinIntoLines(pieces)) texts.push_back(line.text);
    return texts;
}

using Texts = std::vector<std::string>;

TEST(TextLines, LinesGoFromTopToBottom) {
    EXPECT_EQ(textsOf({piece("third", 60, 100), piece("first", 80, 20), piece("second", 70, 60)}),
              (Texts{"first", "second", "third"}));
}

TEST(TextLines, PiecesBesideEachOtherBecomeOneLineFromLeftToRight) {
    EXPECT_EQ(textsOf({piece("right", 400, 18), piece("left", 60, 22), piece("below", 60, 60)}),
              (Texts{"left right", "below"}));
}

TEST(TextLines, TightLinesStayApart) {
    EXPECT_EQ(textsOf({piece("one", 60, 20), piece("two", 60, 38)}), (Texts{"one", "two"}));
}

TEST(TextLines, APageThatLiesAskewKeepsItsLines) {
    float const angle = 0.05F; // over 600 pixels a line drops by more than its own height
    EXPECT_EQ(textsOf({piece("right", 700, 20, 300, angle), piece("left", 100, 20, 160, angle),
                       piece("below left", 100, 60, 160, angle), piece("below right", 700, 60, 300, angle)}),
              (Texts{"left right", "below left below right"}));
}

TEST(TextLines, ShortPiecesDoNotTurnThePage) {
    TextPiece price = piece("7.25", 700, 20, 50, 0), pears = piece("Pears", 60, 20, 70, 0);
    pears.box[0].y += 3; // letters without ascenders at one end rotate a short box
    pears.box[3].y += 3;
    EXPECT_EQ(textsOf({price, pears}), (Texts{"Pears 7.25"}));
}

TEST(TextLines, ALongPieceCountsMoreTowardsTheConfidence) {
    auto const lines = joinIntoLines({piece("abc", 60, 20, 100, 0, 0.5F), piece("d", 400, 20, 100, 0, 0.9F)});
    ASSERT_EQ(lines.size(), 1);
    EXPECT_NEAR(lines[0].confidence, (3 * 0.5F + 1 * 0.9F) / 4, 1e-6);
}

TEST(TextLines, NothingGivesNoLine) { EXPECT_TRUE(joinIntoLines({}).empty()); }

} // namespace
} // namespace ocr

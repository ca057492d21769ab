// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/lay_out_memory.h"

#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

TEST(LayOutMemory, reusesWhatIsNoLongerRead) {
    std::vector<Lifetime> const chain{{100, 0, 1}, {100, 1, 2}, {100, 2, 3}};
    auto const layout = layOutMemory(chain);
    EXPECT_EQ(layout.bytes, 256U); // two pieces of 128 at a time
    EXPECT_EQ(layout.offsets[0], layout.offsets[2]);
}

TEST(LayOutMemory, neverOverlapsPiecesThatLiveTogether) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        std::vector<Lifetime> pieces;
        for (int i = 0; i < 60; ++i) {
            int const first = static_cast<int>(random() % 40);
            pieces.push_back({random() % 5000, first, first + static_cast<int>(random() % 10)});
        }
        auto const layout = layOutMemory(pieces);
        for (size_t a = 0; a < pieces.size(); ++a) {
            EXPECT_EQ(layout.offsets[a] % 64, 0U);
            EXPECT_LE(layout.offsets[a] + pieces[a].bytes, layout.bytes);
            for (size_t b = 0; b < a; ++b) {
                bool const together = pieces[a].first <= pieces[b].last && pieces[b].first <= pieces[a].last;
                bool const apart = layout.offsets[a] + pieces[a].bytes <= layout.offsets[b] ||
                                   layout.offsets[b] + pieces[b].bytes <= layout.offsets[a];
                EXPECT_TRUE(!together || apart || pieces[a].bytes == 0 || pieces[b].bytes == 0);
            }
        }
    }
}

TEST(LayOutMemory, ofNothingTakesNothing) { EXPECT_EQ(layOutMemory({}).bytes, 0U); }

} // namespace
} // namespace tenon

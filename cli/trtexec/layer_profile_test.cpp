// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "layer_profile.h"

#include <gtest/gtest.h>

namespace trtexec {
namespace {

LayerProfile threeQueries() {
    LayerProfile profile;
    for (float const ms : {1.F, 2.F, 6.F}) {
        profile.reportLayerTime("conv", ms);
        profile.reportLayerTime("say \"y\"", 1.F);
    }
    return profile;
}

TEST(LayerProfile, TableHasSumMeanMedianAndShare) {
    EXPECT_EQ(threeQueries().table(), "=== Profile (3 iterations ) ===\n"
                                      "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n"
                                      "       9.00        3.0000       2.0000      75.0   conv\n"
                                      "       3.00        1.0000       1.0000      25.0   say \"y\"\n"
                                      "      12.00        4.0000       3.0000     100.0   Total\n");
}

TEST(LayerProfile, JsonHasTheSame) {
    EXPECT_EQ(threeQueries().json(),
              R"([
  { "count" : 3 }
, { "name" : "conv", "timeMs" : 9, "averageMs" : 3, "medianMs" : 2, "percentage" : 75 }
, { "name" : "say \"y\"", "timeMs" : 3, "averageMs" : 1, "medianMs" : 1, "percentage" : 25 }
]
)");
}

TEST(LayerProfile, OfNoQueryIsEmpty) {
    EXPECT_EQ(LayerProfile().json(), "[\n  { \"count\" : 0 }\n]\n");
    EXPECT_EQ(LayerProfile().table(), "=== Profile (0 iterations ) ===\n"
                                      "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n");
}

} // namespace
} // namespace trtexec

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>

namespace trtexec {
namespace {

TEST(ProgressBar, ShowsOpenPhasesAndWipesThemOff) {
    std::ostringstream out;
    ProgressBar bar(out, ProgressBar::Seconds(0));
    bar.phaseStart("Building", nullptr, 4);
    EXPECT_TRUE(bar.stepComplete("Building", 1));
    EXPECT_NE(out.str().find("Building [===============               ] 2/4"), std::string::npos) << out.str();
    bar.phaseStart("Tuning", "Building", 2);
    EXPECT_NE(out.str().find("2/4  Tuning [                              ] 0/2"), std::string::npos) << out.str();
    bar.phaseFinish("Tuning");
    bar.phaseFinish("Building");
    EXPECT_TRUE(out.str().ends_with("\r\033[K"));
}

TEST(ProgressBar, StaysAwayFromShortBuilds) {
    std::ostringstream out;
    ProgressBar bar(out, ProgressBar::Seconds(3600));
    bar.phaseStart("Building", nullptr, 1);
    bar.stepComplete("Building", 0);
    bar.phaseFinish("Building");
    EXPECT_EQ(out.str(), "");
}

} // namespace
} // namespace trtexec

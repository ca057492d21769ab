// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "nms.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tenon::plugins {
namespace {

TEST(Nms, RefusesMoreScoresThanThereAreNumbersForThem) {
    PluginBase::Tensor const scores{{3, {1, int64_t(1) << 31, 3}}, nullptr, nvinfer1::DataType::kFLOAT};
    try {
        CandidateLists().find({}, Scores(scores));
        FAIL();
    } catch (std::invalid_argument const& error) {
        EXPECT_STREQ(error.what(), "a picture has 2147483648 boxes of 3 classes; expected at most 4294967296 scores");
    }
}

} // namespace
} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu_nms.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace tenon::plugins {
namespace {

TEST(Nms, RefusesMoreScoresThanThereAreNumbersForThem) {
    PluginBase::Tensor const scores{{3, {1, int64_t(1) << 31, 3}}, nullptr, nvinfer1::DataType::kFLOAT};
    try {
        CandidateLists().find({}, Scores(scores));
        FAIL();
    } catch (std::invalid_argument const& error) {
        EXPECT_STREQ(error.what(), "an image has 2147483648 boxes of 3 classes; expected at most 2147483647 scores");
    }
}

TEST(Nms, OnAGpuRefusesMoreScoresThanThereIsMemoryFor) {
    int64_t const many = int64_t(1) << 30;
    EXPECT_THROW(gpuNmsWorkspace({}, {many, 1, many * 2}), std::invalid_argument); // elements of an image
    EXPECT_THROW(gpuNmsWorkspace({}, {many * 8, 1, 1}), std::invalid_argument);
    EXPECT_THROW(gpuNmsWorkspace({}, {many, many, many}), std::invalid_argument);
    EXPECT_LT(gpuNmsWorkspace({}, {0, 3, 50}), 256);
    EXPECT_LT(gpuNmsWorkspace({}, {8, 80, 25200}), 8 * 80 * 25200 * 17 + (36 << 20));
}

TEST(Nms, OnAGpuTakesNoMoreMemoryForLess) {
    for (bool classesCompete : {false, true}) {
        NmsRules rules;
        rules.classesCompete = classesCompete;
        size_t const largest = gpuNmsWorkspace(rules, {3, 5, 3000});
        for (NmsExtents const& less : {NmsExtents{2, 5, 3000}, {3, 4, 3000}, {3, 5, 2999}, {3, 5, 100}, {0, 0, 0}})
            EXPECT_LE(gpuNmsWorkspace(rules, less), largest);
    }
}

// Boxes of several images and classes, many with equal scores, of which many overlap.
struct Pictures {
    static constexpr int64_t kBoxes = 700, kClasses = 7;

    Pictures(int64_t pictures, bool classesCompete)
        : pictures(pictures), classesCompete(classesCompete), boxes(size_t(pictures * kBoxes * 4)),
          scores(size_t(pictures * kBoxes * kClasses)) {
        std::mt19937 random(1); // whose values the standard defines
        for (float& edge : boxes) edge = float(random() % 64);
        for (float& score : scores) score = float(random() % 32) / 32;
    }

    std::vector<int64_t> select(Nms<KeptBoxes>& nms) {
        PluginBase::Tensor const corners{{3, {pictures, kBoxes, 4}}, boxes.data(), nvinfer1::DataType::kFLOAT};
        PluginBase::Tensor const sure{{3, {pictures, kBoxes, kClasses}}, scores.data(), nvinfer1::DataType::kFLOAT};
        NmsRules rules;
        rules.scoreLimit = 0.25F;
        rules.overlapLimit = 0.25F;
        rules.perPicture = 100;
        rules.classesCompete = classesCompete;
        nms.runByPicture(rules, Scores(sure), [&](int64_t picture, Candidate const& candidate) {
            return BoxTensor(corners).corners(picture, candidate);
        });
        std::vector<int64_t> found;
        for (int64_t picture = 0; picture < pictures; ++picture)
            nms.visit(picture, [&](int64_t, Candidate const& kept) {
                found.push_back((picture * kClasses + kept.label) * kBoxes + kept.box);
            });
        return found;
    }

    int64_t pictures;
    bool classesCompete;
    std::vector<float> boxes, scores;
};

TEST(Nms, FindsTheSameOnAnyNumberOfThreads) {
    for (Pictures pictures : {Pictures(3, false), Pictures(3, true), Pictures(1, false), Pictures(1, true)}) {
        std::vector<std::vector<int64_t>> alone(2);
        parallelFor(2, 1, [&](int64_t begin, int64_t end) { // inside which parallelFor() uses one thread
            for (int64_t i = begin; i < end; ++i) {
                Nms<KeptBoxes> nms;
                alone[size_t(i)] = pictures.select(nms);
            }
        });
        Nms<KeptBoxes> nms;
        for (int i = 0; i < 20; ++i) EXPECT_EQ(pictures.select(nms), alone[0]);
        EXPECT_EQ(alone[1], alone[0]);
        EXPECT_GT(alone[0].size(), 0);
    }
}

} // namespace
} // namespace tenon::plugins

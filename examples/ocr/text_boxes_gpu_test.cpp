// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// DBPostProcess in an engine on a GPU, against the host's TextBoxFinder and against formulas.
#include "plugins_on_gpu.h"

#include <cmath>
#include <random>

namespace ocr {
namespace {

using namespace nvinfer1;

struct Map {
    int height, width;
    std::vector<float> values;

    Map(int height, int width, float value = 0)
        : height(height), width(width), values(size_t(height) * size_t(width), value) {}

    float& at(int x, int y) { return values[size_t(y) * size_t(width) + size_t(x)]; }

    // Text under a bar turned by `angle`, as far as it is in the map.
    void paintBar(Point center, float length, float thickness, float angle, std::mt19937& random) {
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                float const dx = float(x) - center.x, dy = float(y) - center.y;
                float const along = dx * std::cos(angle) + dy * std::sin(angle);
                float const across = dy * std::cos(angle) - dx * std::sin(angle);
                if (std::abs(along) < length / 2 && std::abs(across) < thickness / 2)
                    at(x, y) = 0.3F + float(random() % 700) / 1000;
            }
    }
};

float upTo(float most, std::mt19937& random) { return most * float(random() % 1000) / 1000; }

Map bars(int height, int width, int count, std::mt19937& random) {
    Map map(height, width);
    for (int i = 0; i < count; ++i) {
        Point const center = {upTo(float(width), random), upTo(float(height), random)};
        map.paintBar(center, 4 + upTo(60, random), 3 + upTo(14, random), upTo(3.14F, random), random);
    }
    return map;
}

// Single pixels and clusters, which often touch along diagonals.
Map noise(int height, int width, int percent, std::mt19937& random) {
    Map map(height, width);
    for (float& value : map.values) value = int(random() % 100) < percent ? 0.9F : 0.1F;
    return map;
}

class DBPostProcessOnGpu : public PluginsOnGpu {
protected:
    void makeEngine(BoxRules const& rules) {
        rules_ = rules;
        Range const maps = {Dims4(1, 1, 1, 1), Dims4(1, 1, 1536, 1536)};
        auto const file =
            saveEngine(logger_, Dims4(1, 1, -1, -1), maps, addPostProcess(rules), {"boxes", "scores", "count"});
        ASSERT_FALSE(file.empty()) << logger_.text;
        engine_ = std::make_unique<Engine>(*runtime_, file);
    }

    void run(Map const& map) { engine_->run({{1, 1, map.height, map.width}, map.values}); }

    void expectAsOnHost(Map const& map) {
        SCOPED_TRACE(testing::Message() << map.height << " x " << map.width);
        TextBoxFinder finder(rules_);
        auto const& host = finder.find({map.values.data(), map.height, map.width});
        run(map);
        auto const count = int64_t(host.size());
        ASSERT_EQ(engine_->values<int64_t>("count")[0], count);
        ASSERT_EQ(sizes(engine_->shape("boxes")), (Sizes{count, 4, 2}));
        ASSERT_EQ(sizes(engine_->shape("scores")), (Sizes{count}));
        auto const corners = engine_->values<float>("boxes");
        for (size_t i = 0; i < host.size(); ++i) {
            EXPECT_NEAR(engine_->values<float>("scores")[i], host[i].score, 1e-5) << "box " << i;
            for (size_t corner = 0; corner < 4; ++corner) {
                EXPECT_NEAR(corners[8 * i + 2 * corner], host[i].corners[corner].x, 1e-3) << "box " << i;
                EXPECT_NEAR(corners[8 * i + 2 * corner + 1], host[i].corners[corner].y, 1e-3) << "box " << i;
            }
        }
    }

    std::unique_ptr<Engine> engine_;

private:
    BoxRules rules_;
    std::unique_ptr<IRuntime> const runtime_{createInferRuntime(logger_)};
};

// Rules of every kind: without dilation, few candidates, faint boxes kept.
std::vector<BoxRules> variousRules() {
    std::vector<BoxRules> rules(4);
    rules[1].useDilation = 0;
    rules[2].maxCandidates = 3;
    rules[3].boxThreshold = 0;
    rules[3].maxCandidates = 100'000;
    return rules;
}

TEST_F(DBPostProcessOnGpu, FindsWhatTheHostFindsInRandomMaps) {
    std::mt19937 random(1);
    for (BoxRules const& rules : variousRules()) {
        makeEngine(rules);
        for (int round = 0; round < 60; ++round) {
            int const height = 1 + int(random() % 150), width = 1 + int(random() % 200);
            expectAsOnHost(bars(height, width, int(random() % 12), random));
            expectAsOnHost(noise(height, width, int(random() % 100), random));
        }
    }
    EXPECT_EQ(logger_.text, "");
}

TEST_F(DBPostProcessOnGpu, FindsWhatTheHostFindsInTheLargestMaps) {
    std::mt19937 random(2);
    for (BoxRules const& rules : variousRules()) {
        makeEngine(rules);
        expectAsOnHost(bars(1536, 1535, 60, random));
        expectAsOnHost(noise(1535, 1536, 5, random));
        expectAsOnHost(noise(1536, 1536, 41, random)); // cores that wind through all of the map
        expectAsOnHost(Map(1536, 1536, 0.9F));
        expectAsOnHost(Map(1536, 1536));
    }
}

TEST_F(DBPostProcessOnGpu, FindsWhatTheHostFindsInMapsOfOneRowOrColumn) {
    std::mt19937 random(3);
    makeEngine(variousRules().back());
    for (auto [height, width] : {std::pair(1, 1), {1, 1536}, {1536, 1}, {2, 3}, {33, 1}, {1, 33}})
        for (int percent : {0, 50, 100}) expectAsOnHost(noise(height, width, percent, random));
}

// A comb whose teeth meet in the last row only, and rings of one core around another.
TEST_F(DBPostProcessOnGpu, FindsWhatTheHostFindsInCoresThatMeetFarDown) {
    makeEngine(variousRules()[1]);
    Map comb(400, 301);
    for (int x = 0; x < comb.width; x += 2)
        for (int y = 0; y < comb.height; ++y) comb.at(x, y) = 0.9F;
    expectAsOnHost(comb);
    for (int x = 0; x < comb.width; ++x) comb.at(x, comb.height - 1) = 0.9F;
    expectAsOnHost(comb);
    Map rings(301, 301);
    for (int y = 0; y < rings.height; ++y)
        for (int x = 0; x < rings.width; ++x)
            if (std::max(std::abs(x - 150), std::abs(y - 150)) % 8 < 4) rings.at(x, y) = 0.8F;
    expectAsOnHost(rings);
}

TEST_F(DBPostProcessOnGpu, ACoreGrowsByAreaTimesRatioOverPerimeter) {
    BoxRules rules;
    rules.useDilation = 0;
    makeEngine(rules);
    Map map(300, 400);
    for (int bar = 0; bar < 5; ++bar)
        for (int y = 0; y < 11; ++y)
            for (int x = 0; x < 41; ++x) map.at(20 + 60 * bar + x, 250 - 50 * bar + y) = 0.5F + 0.0625F * float(bar);
    run(map);
    ASSERT_EQ(engine_->values<int64_t>("count")[0], 5);
    float const grown = 40 * 10 * 1.6F / (2 * (40 + 10)); // between pixel centres
    auto const corners = engine_->values<float>("boxes");
    for (size_t i = 0; i < 5; ++i) { // from the top: the last bar first
        float const bar = 4 - float(i), left = 20 + 60 * bar, top = 250 - 50 * bar;
        float const expected[] = {left - grown,      top - grown,      left + 40 + grown, top - grown,
                                  left + 40 + grown, top + 10 + grown, left - grown,      top + 10 + grown};
        for (size_t number = 0; number < 8; ++number) EXPECT_NEAR(corners[8 * i + number], expected[number], 1e-3) << i;
        EXPECT_FLOAT_EQ(engine_->values<float>("scores")[i], 0.5F + 0.0625F * bar);
    }
}

TEST_F(DBPostProcessOnGpu, GivesTheSameEachTime) {
    std::mt19937 random(4);
    makeEngine(variousRules()[3]);
    Map const map = bars(700, 900, 150, random);
    run(map);
    auto const copied = [&] {
        auto const boxes = engine_->values<float>("boxes"), scores = engine_->values<float>("scores");
        std::vector<float> all(boxes.begin(), boxes.end());
        all.insert(all.end(), scores.begin(), scores.end());
        return all;
    };
    std::vector<float> const first = copied();
    for (int again = 0; again < 20; ++again) {
        run(map);
        EXPECT_EQ(copied(), first);
    }
}

} // namespace
} // namespace ocr

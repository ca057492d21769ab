// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Both plugins in engines with no other layer, built, saved, loaded and run at several shapes.
#include "plugins_in_engine.h"

namespace ocr {
namespace {

using namespace nvinfer1;

TEST_F(PluginsInEngine, BoxesComeAsManyAsThereAre) {
    Range const maps = {Dims4(1, 1, 8, 8), Dims4(1, 1, 200, 300)};
    auto const file = saveEngine(logger_, Dims4(1, 1, -1, -1), maps, addPostProcess(), {"boxes", "scores", "count"});
    ASSERT_FALSE(file.empty()) << logger_.text;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger_));
    Engine engine(*runtime, file);
    for (int bars : {2, 0, 5}) {
        int const height = 20 + 30 * bars, width = 100;
        Tensor map{{1, 1, height, width}, std::vector<float>(size_t(height) * width)};
        for (int bar = 0; bar < bars; ++bar)
            for (int y = 0; y < 10; ++y) std::fill_n(&map.values[size_t((10 + 30 * bar + y) * width + 20)], 50, 0.9F);
        engine.run(map);
        EXPECT_EQ(engine.values<int64_t>("count")[0], bars);
        EXPECT_EQ(sizes(engine.shape("boxes")), (Sizes{bars, 4, 2}));
        EXPECT_EQ(sizes(engine.shape("scores")), (Sizes{bars}));
        for (int bar = 0; bar < bars; ++bar) { // dilated: the core is 50 wide and 10 high between pixel centres
            float const grown = 50 * 10 * 1.6F / (2 * (50 + 10));
            EXPECT_NEAR(engine.values<float>("boxes")[size_t(8 * bar)], 20 - grown, 1e-3);
            EXPECT_NEAR(engine.values<float>("boxes")[size_t(8 * bar + 1)], float(10 + 30 * bar) - grown, 1e-3);
        }
    }
    EXPECT_EQ(logger_.text, "");
}

TEST_F(PluginsInEngine, TextsAreDecodedAtAnyBatchAndLength) {
    Range const texts = {Dims3(1, 1, 3), Dims3(4, 50, 3)};
    auto const file = saveEngine(logger_, Dims3(-1, -1, 3), texts, addDecoder(), {"indices", "lengths", "confidence"});
    ASSERT_FALSE(file.empty()) << logger_.text;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger_));
    Engine engine(*runtime, file);
    engine.run({{2, 2, 3}, {0.1F, 0.8F, 0.1F, 0.1F, 0.3F, 0.6F, 0.9F, 0.1F, 0, 0.2F, 0.1F, 0.7F}});
    EXPECT_EQ(sizes(engine.shape("indices")), (Sizes{2, 2}));
    auto const indices = engine.values<int32_t>("indices");
    EXPECT_EQ(std::vector<int32_t>(indices.begin(), indices.end()), (std::vector<int32_t>{1, 2, 2, 0}));
    EXPECT_EQ(engine.values<int32_t>("lengths")[0], 2);
    EXPECT_EQ(engine.values<int32_t>("lengths")[1], 1);
    EXPECT_FLOAT_EQ(engine.values<float>("confidence")[0], (0.8F + 0.6F) / 2);
    engine.run({{1, 4, 3}, {0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0}});
    EXPECT_EQ(sizes(engine.shape("indices")), (Sizes{1, 4}));
    EXPECT_EQ(engine.values<int32_t>("lengths")[0], 2);
    EXPECT_EQ(logger_.text, "");
}

TEST_F(PluginsInEngine, AMapOfSeveralPicturesIsRefusedWhenTheLayerIsAdded) {
    Range const maps = {Dims4(2, 1, 8, 8), Dims4(2, 1, 8, 8)};
    EXPECT_TRUE(saveEngine(logger_, Dims4(2, 1, 8, 8), maps, addPostProcess(), {"boxes", "scores", "count"}).empty());
    EXPECT_EQ(logger_.text.rfind("DBPostProcess: input 'map' is [2,1,8,8]; expected [1,1,H,W]\n", 0), 0)
        << logger_.text;
}

TEST_F(PluginsInEngine, AShapeOutsideTheProfileIsRefusedAndTheEngineStaysUsable) {
    Range const texts = {Dims3(1, 1, 3), Dims3(1, 5, 3)};
    auto const file = saveEngine(logger_, Dims3(-1, -1, 3), texts, addDecoder(), {"indices", "lengths", "confidence"});
    ASSERT_FALSE(file.empty()) << logger_.text;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger_));
    Engine engine(*runtime, file);
    EXPECT_THROW(engine.run({{1, 6, 3}, std::vector<float>(18)}), std::runtime_error);
    EXPECT_NE(logger_.text.find("axis 1 is outside 1 to 5"), std::string::npos) << logger_.text;
    engine.run({{1, 1, 3}, {0, 1, 0}});
    EXPECT_EQ(engine.values<int32_t>("lengths")[0], 1);
}

} // namespace
} // namespace ocr

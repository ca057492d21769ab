// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "db_post_process.h"

#include <NvInfer.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace ocr {
namespace {

using namespace nvinfer1;

using Plugin = std::unique_ptr<IPluginV3>;

IPluginCreatorV3One& creator() {
    static tenon::PluginCreators const creators({kDBPostProcess});
    int32_t count = 0;
    return static_cast<IPluginCreatorV3One&>(*creators.list(count)[0]);
}

Plugin created(std::vector<PluginField> const& fields) {
    PluginFieldCollection const collection{int32_t(fields.size()), fields.data()};
    return Plugin(creator().createPlugin("boxes", &collection, TensorRTPhase::kBUILD));
}

IPluginV3OneRuntime& runtimeOf(IPluginV3& plugin) {
    return *static_cast<IPluginV3OneRuntime*>(plugin.getCapabilityInterface(PluginCapabilityType::kRUNTIME));
}

IPluginV3OneBuild& buildOf(IPluginV3& plugin) {
    return *static_cast<IPluginV3OneBuild*>(plugin.getCapabilityInterface(PluginCapabilityType::kBUILD));
}

struct Found {
    std::vector<float> boxes, scores;
    int64_t count;
    int32_t status;
};

constexpr int kSide = 60;

// The plugin's boxes in a map with a bar of 0.9, 21 x 11 pixels large, at each of the positions.
Found find(IPluginV3& plugin, std::vector<std::pair<int, int>> const& bars) {
    std::vector<float> map(kSide * kSide);
    for (auto [left, top] : bars)
        for (int y = top; y < top + 11; ++y) std::fill_n(&map[size_t(y * kSide + left)], 21, 0.9F);
    Found found{std::vector<float>(8 * 1000, 77), std::vector<float>(1000, 77), 77, 0};
    PluginTensorDesc input{};
    input.dims = Dims4(1, 1, kSide, kSide);
    PluginTensorDesc const outputDescs[3]{};
    void const* inputs[] = {map.data()};
    void* outputs[] = {found.boxes.data(), found.scores.data(), &found.count};
    found.status = runtimeOf(plugin).onShapeChange(&input, 1, nullptr, 3);
    if (found.status == 0)
        found.status = runtimeOf(plugin).enqueue(&input, outputDescs, inputs, outputs, nullptr, nullptr);
    return found;
}

TEST(DBPostProcess, GivesCornersScoresAndTheirCount) {
    int32_t const no = 0;
    auto const plugin = created({PluginField("use_dilation", &no, PluginFieldType::kINT32, 1)});
    Found const found = find(*plugin, {{10, 5}, {15, 40}});
    EXPECT_EQ(found.status, 0);
    ASSERT_EQ(found.count, 2);
    float const grown = 20 * 10 * 1.6F / (2 * (20 + 10));
    float const first[] = {10 - grown, 5 - grown,  30 + grown, 5 - grown,
                           30 + grown, 15 + grown, 10 - grown, 15 + grown};
    for (int i = 0; i < 8; ++i) {
        EXPECT_NEAR(found.boxes[size_t(i)], first[i], 1e-3) << i;
        EXPECT_NEAR(found.boxes[size_t(8 + i)], first[i] + (i % 2 == 0 ? 5 : 35), 1e-3) << i;
    }
    EXPECT_NEAR(found.scores[0], 0.9F, 1e-6);
    EXPECT_EQ(found.scores[2], 77) << "nothing is written behind the last";
}

TEST(DBPostProcess, AnEmptyMapGivesCountZero) {
    Found const found = find(*created({}), {});
    EXPECT_EQ(found.status, 0);
    EXPECT_EQ(found.count, 0);
}

TEST(DBPostProcess, NeverGivesMoreThanMaxCandidates) {
    int32_t const one = 1;
    auto const plugin = created({PluginField("max_candidates", &one, PluginFieldType::kINT32, 1)});
    EXPECT_EQ(find(*plugin, {{10, 5}, {15, 40}}).count, 1);
}

TEST(DBPostProcess, TakesOnePictureAtATime) {
    auto const plugin = created({});
    PluginTensorDesc input{};
    input.dims = Dims4(2, 1, 8, 8);
    EXPECT_NE(runtimeOf(*plugin).onShapeChange(&input, 1, nullptr, 3), 0);
}

TEST(DBPostProcess, SavedFieldsMakeTheSamePlugin) {
    float const thresh = 0.25F, boxThresh = 0.75F, ratio = 0.5F;
    int32_t const most = 7, no = 0;
    auto const plugin = created({PluginField("thresh", &thresh, PluginFieldType::kFLOAT32, 1),
                                 PluginField("box_thresh", &boxThresh, PluginFieldType::kFLOAT32, 1),
                                 PluginField("unclip_ratio", &ratio, PluginFieldType::kFLOAT32, 1),
                                 PluginField("max_candidates", &most, PluginFieldType::kINT32, 1),
                                 PluginField("use_dilation", &no, PluginFieldType::kINT32, 1)});
    Plugin const clone(plugin->clone());
    Plugin const attached(runtimeOf(*clone).attachToContext(nullptr));
    PluginFieldCollection const* const saved = runtimeOf(*attached).getFieldsToSerialize();
    Plugin const loaded(creator().createPlugin("boxes", saved, TensorRTPhase::kRUNTIME));
    PluginFieldCollection const* const fields = runtimeOf(*loaded).getFieldsToSerialize();
    ASSERT_EQ(fields->nbFields, creator().getFieldNames()->nbFields);
    void const* const expected[] = {&thresh, &boxThresh, &ratio, &most, &no};
    for (int32_t i = 0; i < fields->nbFields; ++i) {
        EXPECT_STREQ(fields->fields[i].name, creator().getFieldNames()->fields[i].name);
        EXPECT_EQ(std::memcmp(fields->fields[i].data, expected[i], 4), 0) << fields->fields[i].name;
    }
}

TEST(DBPostProcess, RefusesFieldsThatMakeNoSense) {
    float const tooMuch = 1.5F, negative = -1;
    int32_t const none = 0;
    EXPECT_EQ(created({PluginField("thresh", &tooMuch, PluginFieldType::kFLOAT32, 1)}), nullptr);
    EXPECT_EQ(created({PluginField("box_thresh", &negative, PluginFieldType::kFLOAT32, 1)}), nullptr);
    EXPECT_EQ(created({PluginField("unclip_ratio", &negative, PluginFieldType::kFLOAT32, 1)}), nullptr);
    EXPECT_EQ(created({PluginField("max_candidates", &none, PluginFieldType::kINT32, 1)}), nullptr);
    EXPECT_EQ(created({PluginField("thresh", &none, PluginFieldType::kINT32, 1)}), nullptr) << "wrong type";
}

TEST(DBPostProcess, TakesLinearFloatsAndGivesFloatsAndAnInt64Count) {
    auto const plugin = created({});
    DataType types[3] = {};
    DataType const inputs[] = {DataType::kFLOAT};
    EXPECT_EQ(buildOf(*plugin).getOutputDataTypes(types, 3, inputs, 1), 0);
    DataType const expected[] = {DataType::kFLOAT, DataType::kFLOAT, DataType::kFLOAT, DataType::kINT64};
    std::vector<DynamicPluginTensorDesc> tensors(4);
    for (int32_t pos = 0; pos < 4; ++pos) {
        PluginTensorDesc& tensor = tensors[size_t(pos)].desc;
        tensor.format = TensorFormat::kLINEAR;
        tensor.type = expected[pos];
        EXPECT_TRUE(buildOf(*plugin).supportsFormatCombination(pos, tensors.data(), 1, 3)) << pos;
        tensor.type = DataType::kHALF;
        EXPECT_FALSE(buildOf(*plugin).supportsFormatCombination(pos, tensors.data(), 1, 3)) << pos;
        if (pos > 0) {
            EXPECT_EQ(types[pos - 1], expected[pos]);
        }
    }
}

} // namespace
} // namespace ocr

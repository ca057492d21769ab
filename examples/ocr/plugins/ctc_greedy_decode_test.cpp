// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "ctc_greedy_decode.h"

#include <NvInfer.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>

namespace ocr {
namespace {

using namespace nvinfer1;

struct Destroy {
    void operator()(IPluginV2* plugin) const { plugin->destroy(); }
};
using Plugin = std::unique_ptr<IPluginV2DynamicExt, Destroy>;

Plugin owned(IPluginV2* plugin) { return Plugin(static_cast<IPluginV2DynamicExt*>(plugin)); }

IPluginCreator& creator() {
    static tenon::PluginCreators const creators({kCTCGreedyDecode}, "print");
    int32_t count = 0;
    return static_cast<IPluginCreator&>(*creators.list(count)[0]);
}

Plugin created(std::vector<PluginField> const& fields) {
    PluginFieldCollection const collection{int32_t(fields.size()), fields.data()};
    return owned(creator().createPlugin("decode", &collection));
}

// Probabilities of `texts.size()` texts over `classes` classes: each step has its class with the given probability.
struct Step {
    int32_t best;
    float probability;
};

struct Decoded {
    std::vector<int32_t> indices, lengths;
    std::vector<float> confidence;
    int32_t status;
};

Decoded decode(IPluginV2DynamicExt& plugin, std::vector<std::vector<Step>> const& texts, int32_t classes) {
    auto const steps = int64_t(texts.empty() ? 0 : texts[0].size());
    std::vector<float> probabilities(texts.size() * size_t(steps * classes));
    float* row = probabilities.data();
    for (auto const& text : texts)
        for (Step step : text) {
            std::fill_n(row, classes, (1 - step.probability) / float(classes - 1));
            row[step.best] = step.probability;
            row += classes;
        }
    // Filled with arbitrary values: a plugin may not rely on earlier contents of its outputs.
    Decoded result{std::vector<int32_t>(texts.size() * size_t(steps), 77), std::vector<int32_t>(texts.size(), 77),
                   std::vector<float>(texts.size(), 77), 0};
    DynamicPluginTensorDesc input{};
    input.desc.dims = Dims3(int64_t(texts.size()), steps, classes);
    PluginTensorDesc const outputDescs[3]{};
    void const* inputs[] = {probabilities.data()};
    void* outputs[] = {result.indices.data(), result.lengths.data(), result.confidence.data()};
    plugin.configurePlugin(&input, 1, nullptr, 3);
    result.status = plugin.enqueue(&input.desc, outputDescs, inputs, outputs, nullptr, nullptr);
    return result;
}

using Indices = std::vector<int32_t>;

TEST(CTCGreedyDecode, RepeatsCountOnceAndBlanksPartThem) {
    Decoded const text =
        decode(*created({}), {{{1, 0.9F}, {1, 0.8F}, {0, 0.9F}, {1, 0.7F}, {2, 0.6F}, {2, 0.9F}, {0, 0.9F}}}, 4);
    EXPECT_EQ(text.status, 0);
    EXPECT_EQ(text.lengths, (Indices{3}));
    EXPECT_EQ(text.indices, (Indices{1, 1, 2, 0, 0, 0, 0}));
    EXPECT_NEAR(text.confidence[0], (0.9F + 0.7F + 0.6F) / 3, 1e-6) << "the first step of each character";
}

TEST(CTCGreedyDecode, EachTextOfABatchStandsForItself) {
    Decoded const texts = decode(*created({}), {{{3, 0.9F}, {3, 0.9F}}, {{3, 0.8F}, {2, 0.6F}}}, 5);
    EXPECT_EQ(texts.lengths, (Indices{1, 2}));
    EXPECT_EQ(texts.indices, (Indices{3, 0, 3, 2}));
    EXPECT_NEAR(texts.confidence[0], 0.9F, 1e-6);
    EXPECT_NEAR(texts.confidence[1], 0.7F, 1e-6);
}

TEST(CTCGreedyDecode, NothingButBlanksIsAnEmptyTextOfConfidenceZero) {
    Decoded const text = decode(*created({}), {{{0, 0.9F}, {0, 0.9F}}}, 3);
    EXPECT_EQ(text.lengths, (Indices{0}));
    EXPECT_EQ(text.confidence[0], 0);
}

TEST(CTCGreedyDecode, NoTextsAndNoStepsAreFine) {
    EXPECT_EQ(decode(*created({}), {}, 3).status, 0);
    Decoded const text = decode(*created({}), {{}}, 3);
    EXPECT_EQ(text.status, 0);
    EXPECT_EQ(text.lengths, (Indices{0}));
}

TEST(CTCGreedyDecode, TheBlankMayBeAnyClass) {
    int32_t const blank = 2;
    auto const plugin = created({PluginField("blank", &blank, PluginFieldType::kINT32, 1)});
    Decoded const text = decode(*plugin, {{{0, 0.9F}, {2, 0.9F}, {0, 0.9F}}}, 3);
    EXPECT_EQ(text.indices, (Indices{0, 0, 2}));
    EXPECT_NE(decode(*plugin, {{{0, 0.9F}}}, 2).status, 0) << "no such class";
}

TEST(CTCGreedyDecode, AClonedAndASavedPluginDecodeTheSame) {
    int32_t const blank = 1;
    auto const plugin = created({PluginField("blank", &blank, PluginFieldType::kINT32, 1)});
    std::vector<char> saved(plugin->getSerializationSize());
    plugin->serialize(saved.data());
    auto const clone = owned(plugin->clone());
    auto const loaded = owned(creator().deserializePlugin("decode", saved.data(), saved.size()));
    for (IPluginV2DynamicExt* copy : {clone.get(), loaded.get()}) {
        EXPECT_EQ(decode(*copy, {{{1, 0.9F}, {0, 0.9F}}}, 2).indices, (Indices{0, 1}));
        EXPECT_STREQ(copy->getPluginNamespace(), "print");
        EXPECT_STREQ(copy->getPluginType(), creator().getPluginName());
        EXPECT_STREQ(copy->getPluginVersion(), creator().getPluginVersion());
    }
}

TEST(CTCGreedyDecode, FieldsAndDataThatAreNotItsOwnAreRefused) {
    int32_t const number = -1;
    float const real = 1;
    EXPECT_EQ(created({PluginField("blank", &number, PluginFieldType::kINT32, 1)}), nullptr) << "negative";
    EXPECT_EQ(created({PluginField("blank", &real, PluginFieldType::kFLOAT32, 1)}), nullptr) << "wrong type";
    EXPECT_EQ(creator().deserializePlugin("decode", &number, 3), nullptr) << "truncated";
    EXPECT_EQ(creator().deserializePlugin("decode", &number, 4), nullptr) << "negative";
}

TEST(CTCGreedyDecode, TakesLinearFloatsAndGivesInt32AndFloat) {
    auto const plugin = created({});
    std::vector<PluginTensorDesc> tensors(4);
    for (auto& tensor : tensors) tensor.format = TensorFormat::kLINEAR;
    DataType const types[] = {DataType::kFLOAT, DataType::kINT32, DataType::kINT32, DataType::kFLOAT};
    for (int32_t pos = 0; pos < 4; ++pos) {
        auto& tensor = tensors[size_t(pos)];
        tensor.type = types[pos];
        EXPECT_TRUE(plugin->supportsFormatCombination(pos, tensors.data(), 1, 3)) << pos;
        tensor.format = TensorFormat::kCHW32;
        EXPECT_FALSE(plugin->supportsFormatCombination(pos, tensors.data(), 1, 3)) << pos;
        tensor.format = TensorFormat::kLINEAR;
        tensor.type = DataType::kHALF;
        EXPECT_FALSE(plugin->supportsFormatCombination(pos, tensors.data(), 1, 3)) << pos;
        if (pos > 0) {
            EXPECT_EQ(plugin->getOutputDataType(pos - 1, types, 1), types[pos]);
        }
    }
}

} // namespace
} // namespace ocr

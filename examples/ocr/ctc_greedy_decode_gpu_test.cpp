// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// CTCGreedyDecode in an engine on a GPU, against the host and against a formula.
#include "plugins_on_gpu.h"

#include <random>

namespace ocr {
namespace {

using namespace nvinfer1;

struct Decoded {
    std::vector<int32_t> indices, lengths;
    std::vector<float> confidence;
};

template <typename Value> std::vector<Value> copied(std::span<Value const> values) {
    return {values.begin(), values.end()};
}

Decoded decodedBy(Engine& engine, Tensor const& probabilities) {
    engine.run(probabilities);
    return {copied(engine.values<int32_t>("indices")), copied(engine.values<int32_t>("lengths")),
            copied(engine.values<float>("confidence"))};
}

Decoded decodedOnHost(int32_t blank, Tensor const& probabilities) {
    DynamicPluginTensorDesc input{};
    input.desc.dims = Dims3(probabilities.shape[0], probabilities.shape[1], probabilities.shape[2]);
    auto const texts = size_t(probabilities.shape[0]), steps = size_t(probabilities.shape[1]);
    Decoded host{std::vector<int32_t>(texts * steps), std::vector<int32_t>(texts), std::vector<float>(texts)};
    void const* inputs[] = {probabilities.values.data()};
    void* outputs[] = {host.indices.data(), host.lengths.data(), host.confidence.data()};
    PluginTensorDesc const outputDescs[3]{};
    Decoder const decoder = makeDecoder(blank);
    decoder->configurePlugin(&input, 1, nullptr, 3);
    EXPECT_EQ(decoder->enqueue(&input.desc, outputDescs, inputs, outputs, nullptr, nullptr), 0);
    return host;
}

class CTCGreedyDecodeOnGpu : public PluginsOnGpu {
protected:
    std::unique_ptr<Engine> makeEngine(int32_t blank) {
        Range const texts = {Dims3(1, 1, 1), Dims3(40, 200, 7000)};
        auto const file =
            saveEngine(logger_, Dims3(-1, -1, -1), texts, addDecoder(blank), {"indices", "lengths", "confidence"});
        EXPECT_FALSE(file.empty()) << logger_.text;
        return std::make_unique<Engine>(*runtime_, file);
    }

private:
    std::unique_ptr<IRuntime> const runtime_{createInferRuntime(logger_)};
};

// Few distinct probabilities, so that many classes are equally likely; and often the blank, so that it separates
// repeats.
Tensor randomProbabilities(std::vector<int> const& shape, int32_t blank, std::mt19937& random) {
    Tensor tensor{{shape.begin(), shape.end()}, {}};
    size_t const rows = size_t(shape[0]) * size_t(shape[1]), classes = size_t(shape[2]);
    tensor.values.resize(rows * classes);
    for (float& value : tensor.values) value = float(random() % 9) / 10;
    for (size_t row = 0; row < rows; ++row) {
        float* const values = &tensor.values[row * classes];
        if (random() % 3 == 0) values[blank] = 0.95F;
        if (random() % 3 == 0) values[random() % std::min<size_t>(classes, 3)] = 0.9F;
    }
    return tensor;
}

TEST_F(CTCGreedyDecodeOnGpu, GivesWhatTheHostGivesAtAnySize) {
    std::mt19937 random(1);
    for (int32_t blank : {0, 2}) {
        auto const engine = makeEngine(blank);
        for (int texts : {1, 7, 40})
            for (int steps : {1, 31, 32, 33, 64, 200})
                for (int classes : {3, 31, 32, 33, 97, 6625}) {
                    if (texts * steps * classes > 10'000'000) continue;
                    SCOPED_TRACE(testing::Message() << texts << " x " << steps << " x " << classes);
                    Tensor const probabilities = randomProbabilities({texts, steps, classes}, blank, random);
                    Decoded const host = decodedOnHost(blank, probabilities);
                    Decoded const gpu = decodedBy(*engine, probabilities);
                    EXPECT_EQ(gpu.indices, host.indices);
                    EXPECT_EQ(gpu.lengths, host.lengths);
                    ASSERT_EQ(gpu.confidence.size(), host.confidence.size());
                    for (size_t n = 0; n < size_t(texts); ++n) EXPECT_FLOAT_EQ(gpu.confidence[n], host.confidence[n]);
                }
    }
    EXPECT_EQ(logger_.text, "");
}

// Two steps for each character, beyond the 32 steps that a warp processes at a time.
TEST_F(CTCGreedyDecodeOnGpu, RepeatsCountOnce) {
    int const steps = 135, classes = 11;
    Tensor probabilities{{1, steps, classes}, std::vector<float>(size_t(steps * classes), 0.01F)};
    auto const characterAt = [](int step) { return 1 + step / 2 % (classes - 1); };
    for (int step = 0; step < steps; ++step)
        probabilities.values[size_t(step * classes + characterAt(step))] = step % 2 == 0 ? 0.75F : 0.5F;
    Decoded const text = decodedBy(*makeEngine(0), probabilities);
    EXPECT_EQ(text.lengths, std::vector<int32_t>{(steps + 1) / 2});
    for (int i = 0; i < steps; ++i)
        EXPECT_EQ(text.indices[size_t(i)], i < (steps + 1) / 2 ? characterAt(2 * i) : 0) << i;
    EXPECT_FLOAT_EQ(text.confidence[0], 0.75F);
}

TEST_F(CTCGreedyDecodeOnGpu, WhatIsNotANumberCountsAsOnTheHost) {
    Tensor const probabilities{{3, 1, 3}, {NAN, 0.5F, 0.9F, 0.1F, NAN, 0.9F, 0.1F, 0.2F, NAN}};
    EXPECT_EQ(decodedBy(*makeEngine(0), probabilities).indices, (std::vector<int32_t>{0, 2, 1}));
    EXPECT_EQ(decodedOnHost(0, probabilities).indices, (std::vector<int32_t>{0, 2, 1}));
}

} // namespace
} // namespace ocr

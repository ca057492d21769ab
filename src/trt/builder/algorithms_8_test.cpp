// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#include "trt/edge/older_program.inc"

#include <map>
#include <set>

namespace {

/// What tells an algorithm from others by the documentation: implementation, tactic, formats and types.
std::vector<int64_t> keyOf(IAlgorithmContext const& context, IAlgorithm const& algorithm) {
    std::vector<int64_t> key{algorithm.getAlgorithmVariant().getImplementation(),
                             algorithm.getAlgorithmVariant().getTactic()};
    for (int32_t i = 0; i < context.getNbInputs() + context.getNbOutputs(); ++i) {
        IAlgorithmIOInfo const& info = algorithm.getAlgorithmIOInfo(i);
        key.push_back(static_cast<int64_t>(info.getTensorFormat()));
        key.push_back(static_cast<int64_t>(info.getDataType()));
    }
    return key;
}

/// Notes what was chosen, or asks for what was noted.
class Recorder final : public IAlgorithmSelector {
public:
    int32_t selectAlgorithms(IAlgorithmContext const& context, IAlgorithm const* const* choices, int32_t count,
                             int32_t* selection) noexcept override {
        std::set<std::vector<int64_t>> keys;
        int32_t selected = 0;
        for (int32_t i = 0; i < count; ++i) {
            auto const key = keyOf(context, *choices[i]);
            EXPECT_TRUE(keys.insert(key).second) << context.getName() << ": two algorithms of " << count << " are alike";
            auto const wanted = chosen.find(context.getName());
            if (wanted != chosen.end() && wanted->second == key) selection[selected++] = i;
        }
        return selected;
    }
    void reportAlgorithms(IAlgorithmContext const* const* contexts, IAlgorithm const* const* algorithms,
                          int32_t count) noexcept override {
        for (int32_t i = 0; i < count; ++i) chosen[contexts[i]->getName()] = keyOf(*contexts[i], *algorithms[i]);
    }
    std::map<std::string, std::vector<int64_t>> chosen;
};

using AlgorithmSelectors = OlderProgram;

/// A cache of choices, as NVIDIA's sample of selectors keeps one in a file.
TEST_F(AlgorithmSelectors, canFindTheChoiceOfAnotherBuild) {
    Values const kernel(size_t{8} * 8 * 5 * 5, 0.01F);
    Values const matrix(size_t{8} * 8 * 12 * 12, 0.01F);
    ITensor* t = network->addConvolutionNd(input(Dims3(8, 28, 28)), 8, DimsHW(5, 5), weightsOf(kernel), {})->getOutput(0);
    t = network->addPoolingNd(*t, PoolingType::kMAX, DimsHW(2, 2))->getOutput(0);
    static_cast<IPoolingLayer*>(network->getLayer(1))->setStrideNd(DimsHW(2, 2));
    t = network->addFullyConnected(*t, 8, weightsOf(matrix), {})->getOutput(0);
    t = network->addSoftMax(*network->addActivation(*t, ActivationType::kRELU)->getOutput(0))->getOutput(0);
    network->markOutput(*t);
    for (bool const half : {false, true}) {
        Recorder recorder;
        Owned<IBuilderConfig> const config(builder->createBuilderConfig());
        if (half) config->setFlag(BuilderFlag::kFP16);
        config->setAlgorithmSelector(&recorder);
        engine.reset(builder->buildEngineWithConfig(*network, *config));
        ASSERT_NE(engine, nullptr) << errors.last;
        ASSERT_FALSE(recorder.chosen.empty());
        auto const first = recorder.chosen;
        config->setFlag(BuilderFlag::kREJECT_EMPTY_ALGORITHMS);
        engine.reset(builder->buildEngineWithConfig(*network, *config));
        ASSERT_NE(engine, nullptr) << errors.last;
        EXPECT_EQ(recorder.chosen, first);
    }
}

} // namespace

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#include "trt/edge/older_program.inc"

#include <map>
#include <set>

namespace {

/// The documented identity of an algorithm: implementation, tactic, formats and types.
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

/// Records the choices, or selects recorded ones.
class Recorder final : public IAlgorithmSelector {
public:
    int32_t selectAlgorithms(IAlgorithmContext const& context, IAlgorithm const* const* choices, int32_t count,
                             int32_t* selection) noexcept override {
        std::set<std::vector<int64_t>> keys;
        int32_t selected = 0;
        for (int32_t i = 0; i < count; ++i) {
            auto const key = keyOf(context, *choices[i]);
            EXPECT_TRUE(keys.insert(key).second)
                << context.getName() << ": two algorithms of " << count << " are alike";
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

class AlgorithmSelectors : public OlderProgram {
protected:
    Weights weightsFor(size_t count) { return weightsOf(weights_.emplace_back(count, 0.01F)); }
    ITensor& convolved(ITensor& x, int32_t inputs, int32_t outputs) {
        size_t const count = size_t{25} * static_cast<size_t>(inputs) * static_cast<size_t>(outputs);
        return *network->addConvolutionNd(x, outputs, DimsHW(5, 5), weightsFor(count), {})->getOutput(0);
    }
    ITensor& pooled(ITensor& x) {
        IPoolingLayer* const layer = network->addPoolingNd(x, PoolingType::kMAX, DimsHW(2, 2));
        layer->setStrideNd(DimsHW(2, 2));
        return *layer->getOutput(0);
    }
    ITensor& connected(ITensor& x, size_t inputs, int32_t outputs) {
        return *network->addFullyConnected(x, outputs, weightsFor(inputs * static_cast<size_t>(outputs)), {})
                    ->getOutput(0);
    }
    /// LeNet for images of 28 x 28, each tensor with a range.
    void defineLeNet() {
        ITensor& features = pooled(convolved(pooled(convolved(input(Dims3(1, 28, 28)), 1, 20)), 20, 50));
        ITensor& hidden = connected(features, 800, 500);
        ITensor& logits = connected(*network->addActivation(hidden, ActivationType::kRELU)->getOutput(0), 500, 10);
        network->markOutput(*network->addSoftMax(logits)->getOutput(0));
        network->getInput(0)->setDynamicRange(-127, 127);
        for (int32_t i = 0; i < network->getNbLayers(); ++i)
            network->getLayer(i)->getOutput(0)->setDynamicRange(-127, 127);
    }

private:
    std::deque<Values> weights_;
};

/// A cache of choices, stored in a file as in NVIDIA's sample of selectors.
TEST_F(AlgorithmSelectors, canFindTheChoicesOfAnotherBuild) {
    defineLeNet();
    for (std::vector<BuilderFlag> const& wanted :
         {std::vector<BuilderFlag>{}, {BuilderFlag::kFP16}, {BuilderFlag::kFP16, BuilderFlag::kINT8}}) {
        Recorder recorder;
        Owned<IBuilderConfig> const config(builder->createBuilderConfig());
        for (BuilderFlag const flag : wanted) config->setFlag(flag);
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

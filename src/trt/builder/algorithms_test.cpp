// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

#include <map>
#include <stdexcept>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

/// The calls that a build makes.
struct Selector final : IAlgorithmSelector {
    struct Asked {
        std::vector<int64_t> implementations;
        std::vector<int64_t> tactics;
        int32_t inputs;
        int32_t outputs;
        Dims least;
    };

    int32_t selectAlgorithms(IAlgorithmContext const& context, IAlgorithm const* const* choices, int32_t nbChoices,
                             int32_t* selection) override {
        Asked& one = asked[context.getName()];
        one.inputs = context.getNbInputs();
        one.outputs = context.getNbOutputs();
        one.least = context.getDimensions(0, OptProfileSelector::kMIN);
        for (int32_t i = 0; i < nbChoices; ++i) {
            one.implementations.push_back(choices[i]->getAlgorithmVariant().getImplementation());
            one.tactics.push_back(choices[i]->getAlgorithmVariant().getTactic());
        }
        return select(nbChoices, selection);
    }
    void reportAlgorithms(IAlgorithmContext const* const* algoContexts, IAlgorithm const* const* algoChoices,
                          int32_t nbAlgorithms) override {
        for (int32_t i = 0; i < nbAlgorithms; ++i) {
            IAlgorithmIOInfo const* const input = algoChoices[i]->getAlgorithmIOInfoByIndex(0);
            EXPECT_NE(input, nullptr);
            EXPECT_EQ(algoChoices[i]->getAlgorithmIOInfoByIndex(99), nullptr);
            if (input) types.push_back(input->getDataType());
            told[algoContexts[i]->getName()] = algoChoices[i]->getAlgorithmVariant().getImplementation();
        }
    }

    std::function<int32_t(int32_t, int32_t*)> select = [](int32_t, int32_t*) { return 0; };
    std::map<std::string, Asked> asked;
    std::map<std::string, int64_t> told;
    std::vector<DataType> types;
};

/// y = relu(conv(x)), x [1,8,N,8]
struct Network : Defining {
    std::vector<float> kernel = std::vector<float>(size_t{8} * 8 * 3 * 3, 1);
    Selector selector;
    Network() {
        IConvolutionLayer* const conv = network->addConvolutionNd(
            input("x", {1, 8, -1, 8}), 8, DimsHW(3, 3), test::weights(kernel), {DataType::kFLOAT, nullptr, 0});
        conv->setName("conv");
        ISoftMaxLayer* const softmax = network->addSoftMax(*conv->getOutput(0));
        softmax->setName("softmax");
        output(softmax->getOutput(0));
        range("x", {1, 8, 4, 8}, {1, 8, 8, 8}, {1, 8, 16, 8});
        config->setAlgorithmSelector(&selector);
    }
    std::string refusal() {
        std::unique_ptr<IHostMemory> const file(builder->buildSerializedNetwork(*network, *config));
        return file ? "" : messages.lastError();
    }
};

TEST(AlgorithmSelector, isAskedForEachLayerAndToldWhatWasChosen) {
    Network n;
    EXPECT_EQ(n.config->getAlgorithmSelector(), &n.selector);
    n.build();
    ASSERT_TRUE(n.selector.asked.contains("conv"));
    Selector::Asked const& conv = n.selector.asked["conv"];
    EXPECT_EQ(conv.inputs, 1); // weights are not inputs
    EXPECT_EQ(conv.outputs, 1);
    EXPECT_EQ(test::extents(conv.least), (std::vector<int64_t>{1, 8, 4, 8}));
    EXPECT_GT(conv.implementations.size(), 1U);
    EXPECT_TRUE(n.selector.told.contains("softmax"));
    EXPECT_NE(std::ranges::count(conv.implementations, n.selector.told["conv"]), 0);
    EXPECT_EQ(std::ranges::count(n.selector.types, DataType::kFLOAT), std::ssize(n.selector.types));
}

/// Each variant in turn is used if only it is selected, and the numbers are the same in every build.
TEST(AlgorithmSelector, decidesWhichKernelIsTaken) {
    Network first;
    first.build();
    auto const ways = first.selector.asked["conv"].implementations;
    for (size_t way = 0; way < ways.size(); ++way) {
        Network n;
        n.selector.select = [&](int32_t count, int32_t* selection) {
            bool const isConv = static_cast<size_t>(count) == ways.size() && n.selector.asked.contains("conv") &&
                                n.selector.asked.size() == 1;
            *selection = isConv ? static_cast<int32_t>(way) : 0;
            return isConv ? 1 : 0;
        };
        n.build();
        EXPECT_EQ(n.selector.asked["conv"].implementations, ways);
        EXPECT_EQ(n.selector.told["conv"], ways[way]) << way;
    }
}

TEST(AlgorithmSelector, mayLeaveTheChoiceToTheBuildUnlessTheConfigurationForbidsIt) {
    Network n;
    EXPECT_EQ(n.refusal(), "");
    n.config->setFlag(BuilderFlag::kREJECT_EMPTY_ALGORITHMS);
    std::string const text = n.refusal();
    EXPECT_NE(text.find("conv (Convolution): IAlgorithmSelector::selectAlgorithms selected none of "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("algorithms, and BuilderFlag::kREJECT_EMPTY_ALGORITHMS is set"), std::string::npos) << text;
}

TEST(AlgorithmSelector, isToldWhatIsWrongWithItsAnswers) {
    Network n;
    n.selector.select = [](int32_t count, int32_t*) { return count + 1; };
    EXPECT_NE(n.refusal().find("IAlgorithmSelector::selectAlgorithms returned "), std::string::npos);
    n.selector.select = [](int32_t, int32_t* selection) { return *selection = 1000, 1; };
    EXPECT_NE(n.refusal().find("IAlgorithmSelector::selectAlgorithms selected algorithm 1000; expected 0 to "),
              std::string::npos);
    n.selector.select = [](int32_t, int32_t*) -> int32_t { throw std::runtime_error("no"); };
    EXPECT_NE(n.refusal().find("IAlgorithmSelector::selectAlgorithms threw \"no\""), std::string::npos);
}

} // namespace
} // namespace tenon

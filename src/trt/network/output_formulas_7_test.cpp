// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// IOutputDimensionsFormula, in programs of level 7.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "trt/edge/older_program.inc"

#include <stdexcept>

namespace {

/// Returns the result that the test sets, and records its arguments.
class Formula final : public IOutputDimensionsFormula {
public:
    explicit Formula(DimsHW answer) : answer(answer) {}
    DimsHW compute(DimsHW inputDims, DimsHW kernelSize, DimsHW stride, DimsHW padding, DimsHW dilation,
                   char const* layerName) const override {
        asked = {inputDims, kernelSize, stride, padding, dilation};
        name = layerName;
        if (throws) throw std::runtime_error("no idea");
        return answer;
    }
    DimsHW answer;
    bool throws = false;
    mutable std::vector<DimsHW> asked;
    mutable std::string name;
};

std::vector<std::vector<int32_t>> pairs(std::vector<DimsHW> const& all) {
    std::vector<std::vector<int32_t>> found;
    for (DimsHW const& one : all) found.push_back({one.h(), one.w()});
    return found;
}

class OutputFormula : public OlderProgram {
protected:
    ITensor& picture(int32_t rows, int32_t columns) { return input(DimsCHW(1, rows, columns)); }
    static std::vector<int64_t> shapeOf(ILayer& layer) { return listOf(layer.getOutput(0)->getDimensions()); }
    Values run(ILayer& layer, Values const& x) {
        return finishAll({layer.getOutput(0)}, 1) ? runAll(1, {x}).front() : Values{};
    }

    Values const ones{1, 1, 1, 1};
    Weights const twoByTwo = weightsOf(ones);
};

// A window of 2 with stride 1 that may exceed the input: as many outputs as inputs, which padding alone cannot give.
TEST_F(OutputFormula, ofAPoolingMayAskForWindowsThatHangOverTheEnd) {
    Formula same(DimsHW(2, 3));
    network->setPoolingOutputDimensionsFormula(&same);
    IPoolingLayer* const pool = network->addPooling(picture(2, 3), PoolingType::kMAX, DimsHW(2, 2));
    pool->setStride(DimsHW(1, 1));
    pool->setName("pool");
    EXPECT_EQ(shapeOf(*pool), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(pairs(same.asked), (std::vector<std::vector<int32_t>>{{2, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}}));
    EXPECT_EQ(same.name, "pool");
    EXPECT_EQ(run(*pool, {1, 2, 3, 6, 5, 4}), (Values{6, 5, 4, 6, 5, 4}));
}

TEST_F(OutputFormula, ofAConvolutionMayAskForMoreWindowsThanFit) {
    Formula formula(DimsHW(2, 3));
    network->setConvolutionOutputDimensionsFormula(&formula);
    IConvolutionLayer* const layer = network->addConvolution(picture(2, 3), 1, DimsHW(2, 2), twoByTwo, Weights{});
    layer->setDilation(DimsHW(1, 2));
    layer->setPadding(DimsHW(0, 1));
    EXPECT_EQ(shapeOf(*layer), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(pairs(formula.asked), (std::vector<std::vector<int32_t>>{{2, 3}, {2, 3}, {1, 1}, {0, 1}, {1, 2}}));
    // y[i][j] = sum of x[i..i+1][j-1, j+1], as far as they exist
    EXPECT_EQ(run(*layer, {1, 2, 3, 10, 20, 30}), (Values{22, 44, 22, 20, 40, 20}));
}

TEST_F(OutputFormula, ofAConvolutionMayAskForFewer) {
    Formula formula(DimsHW(1, 1));
    network->setConvolutionOutputDimensionsFormula(&formula);
    IConvolutionLayer* const layer = network->addConvolution(picture(3, 4), 1, DimsHW(2, 2), twoByTwo, Weights{});
    EXPECT_EQ(run(*layer, {1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 300, 400}), (Values{33}));
}

TEST_F(OutputFormula, ofADeconvolutionMayCutAndAdd) {
    Formula formula(DimsHW(1, 5));
    network->setDeconvolutionOutputDimensionsFormula(&formula);
    IDeconvolutionLayer* const layer = network->addDeconvolution(picture(1, 2), 1, DimsHW(2, 2), twoByTwo, Weights{});
    layer->setStride(DimsHW(2, 2));
    EXPECT_EQ(shapeOf(*layer), (std::vector<int64_t>{1, 1, 5}));
    EXPECT_EQ(run(*layer, {3, 7}), (Values{3, 3, 7, 7, 0}));
}

TEST_F(OutputFormula, countsOnlyWhereThePaddingModeSaysNothing) {
    Formula formula(DimsHW(9, 9));
    network->setPoolingOutputDimensionsFormula(&formula);
    IPoolingLayer* const pool = network->addPooling(picture(3, 3), PoolingType::kMAX, DimsHW(2, 2));
    pool->setStride(DimsHW(2, 2));
    pool->setPaddingMode(PaddingMode::kEXPLICIT_ROUND_UP);
    EXPECT_EQ(shapeOf(*pool), (std::vector<int64_t>{1, 2, 2}));
    pool->setPaddingMode(PaddingMode::kEXPLICIT_ROUND_DOWN);
    EXPECT_EQ(shapeOf(*pool), (std::vector<int64_t>{1, 9, 9}));
    network->setPoolingOutputDimensionsFormula(nullptr);
    EXPECT_EQ(shapeOf(*pool), (std::vector<int64_t>{1, 1, 1}));
}

TEST_F(OutputFormula, isTheDefaultWhereNoneIsSet) {
    DimsHW const in(7, 9), kernel(3, 2), stride(2, 1), padding(1, 0), one(1, 1);
    auto const of = [&](IOutputDimensionsFormula const& formula) {
        DimsHW const found = formula.compute(in, kernel, stride, padding, one, "x");
        return std::vector<int32_t>{found.h(), found.w()};
    };
    // (in + 2 padding − kernel) / stride + 1, and (in − 1) stride + kernel − 2 padding
    EXPECT_EQ(of(network->getPoolingOutputDimensionsFormula()), (std::vector<int32_t>{4, 8}));
    EXPECT_EQ(of(network->getConvolutionOutputDimensionsFormula()), (std::vector<int32_t>{4, 8}));
    EXPECT_EQ(of(network->getDeconvolutionOutputDimensionsFormula()), (std::vector<int32_t>{13, 10}));
    Formula formula(DimsHW(1, 2));
    network->setConvolutionOutputDimensionsFormula(&formula);
    EXPECT_EQ(&network->getConvolutionOutputDimensionsFormula(), &formula);
}

TEST_F(OutputFormula, thatFailsIsNamedWithItsLayer) {
    Formula formula(DimsHW(0, 2));
    network->setPoolingOutputDimensionsFormula(&formula);
    IPoolingLayer* const pool = network->addPooling(picture(2, 3), PoolingType::kMAX, DimsHW(2, 2));
    pool->setName("pool");
    EXPECT_EQ(pool->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_EQ(errors.last, "ITensor::getDimensions: pool (Pooling): its output dimensions formula gives [0, 2] for an "
                           "input [batch,1,2,3]; expected at least 1 row and 1 column");
    formula.throws = true;
    EXPECT_EQ(pool->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_EQ(errors.last, "ITensor::getDimensions: pool (Pooling): its output dimensions formula threw \"no idea\"");
}

TEST_F(OutputFormula, isNotAskedAboutExtentsThatAreNotKnown) {
    uint32_t const explicitBatch = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
    network.reset(builder->createNetworkV2(explicitBatch));
    Formula formula(DimsHW(2, 2));
    network->setPoolingOutputDimensionsFormula(&formula);
    ITensor* const x = network->addInput("x", DataType::kFLOAT, DimsNCHW(1, 1, -1, 4));
    IPoolingLayer* const pool = network->addPooling(*x, PoolingType::kMAX, DimsHW(2, 2));
    pool->setName("pool");
    EXPECT_EQ(pool->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_EQ(
        errors.last,
        "ITensor::getDimensions: pool (Pooling): its output dimensions formula cannot be called for an input "
        "[1,1,x.2,4]; expected spatial extents that are known when the engine is built; set a padding mode instead");
}

} // namespace

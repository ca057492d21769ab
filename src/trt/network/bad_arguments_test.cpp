// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Invalid shapes and weights: each call reports them, and the network is unchanged.

#include "support/api.h"

#include <functional>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;

constexpr Dims kNegativeRank{-2, {2, 2}};
constexpr Dims kHugeRank{INT32_MAX, {2, 2}};

struct Case {
    char const* name;
    std::function<void(Defining& d, ITensor& x, Dims const& dims)> call;
};

TEST(BadArguments, shapesOfAnImpossibleRankAreNamed) {
    static float const values[16] = {};
    Weights const some{DataType::kFLOAT, values, 4};
    Case const cases[]{
        {"addInput", [](Defining& d, ITensor&, Dims const& dims) { d.network->addInput("z", DataType::kFLOAT, dims); }},
        {"addConstant", [&](Defining& d, ITensor&, Dims const& dims) { d.network->addConstant(dims, some); }},
        {"addSlice", [](Defining& d, ITensor& x, Dims const& dims) { d.network->addSlice(x, dims, dims, dims); }},
        {"addFill", [](Defining& d, ITensor&,
                       Dims const& dims) { d.network->addFill(dims, FillOperation::kLINSPACE, DataType::kFLOAT); }},
        {"addConvolutionNd",
         [&](Defining& d, ITensor& x, Dims const& dims) { d.network->addConvolutionNd(x, 1, dims, some, {}); }},
        {"addDeconvolutionNd",
         [&](Defining& d, ITensor& x, Dims const& dims) { d.network->addDeconvolutionNd(x, 1, dims, some, {}); }},
        {"addPoolingNd",
         [](Defining& d, ITensor& x, Dims const& dims) { d.network->addPoolingNd(x, PoolingType::kMAX, dims); }},
        {"addPaddingNd", [](Defining& d, ITensor& x, Dims const& dims) { d.network->addPaddingNd(x, dims, dims); }},
        {"setReshapeDimensions",
         [](Defining& d, ITensor& x, Dims const& dims) { d.network->addShuffle(x)->setReshapeDimensions(dims); }},
        {"setOutputDimensions",
         [](Defining& d, ITensor& x, Dims const& dims) { d.network->addResize(x)->setOutputDimensions(dims); }},
        {"setDimensions", [](Defining&, ITensor& x, Dims const& dims) { x.setDimensions(dims); }},
        {"setStrideNd",
         [](Defining& d, ITensor& x, Dims const& dims) {
             d.network->addPoolingNd(x, PoolingType::kMAX, Dims{2, {1, 1}})->setStrideNd(dims);
         }},
        {"setDimensions of a profile",
         [](Defining& d, ITensor&, Dims const& dims) {
             EXPECT_FALSE(d.builder->createOptimizationProfile()->setDimensions("x", OptProfileSelector::kMIN, dims));
         }},
    };
    for (Case const& one : cases) {
        for (Dims const& bad : {kNegativeRank, kHugeRank}) {
            Defining d;
            ITensor& x = d.input("x", {1, 1, 4, 4});
            size_t const before = d.messages.errors.size();
            one.call(d, x, bad);
            ASSERT_GT(d.messages.errors.size(), before) << one.name << " took " << bad.nbDims << " dimensions";
            EXPECT_NE(d.messages.lastError().find(std::to_string(bad.nbDims)), std::string::npos)
                << one.name << ": " << d.messages.lastError();
            EXPECT_EQ(test::extents(x.getDimensions()), (std::vector<int64_t>{1, 1, 4, 4})) << one.name;
        }
    }
}

TEST(BadArguments, weightsWithoutValuesOrOfANegativeCountAreNamed) {
    static float const values[16] = {};
    using Call = std::function<void(Defining & d, ITensor & x, Weights const& weights)>;
    std::pair<char const*, Call> const cases[]{
        {"addConstant",
         [](Defining& d, ITensor&, Weights const& w) {
             d.network->addConstant(Dims{1, {w.count}}, w);
         }},
        {"kernel",
         [](Defining& d, ITensor& x, Weights const& w) {
             d.network->addConvolutionNd(x, 1, Dims{2, {2, 2}}, w, {});
         }},
        {"bias",
         [](Defining& d, ITensor& x, Weights const& w) {
             d.network->addConvolutionNd(x, 4, Dims{2, {1, 1}}, {DataType::kFLOAT, values, 4}, w);
         }},
        {"scale",
         [](Defining& d, ITensor& x, Weights const& w) { d.network->addScale(x, ScaleMode::kUNIFORM, w, {}, {}); }},
        {"setWeights",
         [](Defining& d, ITensor&, Weights const& w) {
             d.network->addConstant(Dims{1, {4}}, {DataType::kFLOAT, values, 4})->setWeights(w);
         }},
    };
    for (auto const& [name, call] : cases) {
        for (Weights const& bad : {Weights{DataType::kFLOAT, values, -1}, Weights{DataType::kFLOAT, nullptr, -1},
                                   Weights{DataType::kFLOAT, nullptr, 4}, Weights{DataType::kFLOAT, nullptr, INT64_MAX},
                                   Weights{DataType::kFLOAT, values, INT64_MIN}}) {
            Defining d;
            ITensor& x = d.input("x", {1, 1, 4, 4});
            call(d, x, bad);
            ASSERT_FALSE(d.messages.errors.empty()) << name << " took " << bad.count << " values at " << bad.values;
        }
    }
}

} // namespace
} // namespace tenon

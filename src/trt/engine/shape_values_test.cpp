// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvInfer.h"

#include "support/api.h"
#include "support/onnx_model.h"

#include "NvOnnxParser.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::OnnxModel;
using test::Running;

void valueRange(Defining& d, char const* name, std::vector<int64_t> const& min, std::vector<int64_t> const& opt,
                std::vector<int64_t> const& max) {
    auto* profile = d.builder->createOptimizationProfile();
    auto const count = static_cast<int32_t>(min.size());
    EXPECT_TRUE(profile->setShapeValuesV2(name, OptProfileSelector::kMIN, min.data(), count));
    EXPECT_TRUE(profile->setShapeValuesV2(name, OptProfileSelector::kOPT, opt.data(), count));
    EXPECT_TRUE(profile->setShapeValuesV2(name, OptProfileSelector::kMAX, max.data(), count));
    EXPECT_EQ(d.config->addOptimizationProfile(profile), 0) << d.messages.lastError();
}

struct Result {
    std::vector<int64_t> extents;
    std::vector<float> elements;

    friend bool operator==(Result const&, Result const&) = default;
};

Result resized(Running& r, std::vector<float> x, std::vector<float> scales) {
    std::vector<float> y(64);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("scales", scales.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    Result const result{test::extents(r.context->getTensorShape("y")), {}};
    int64_t count = 1;
    for (int64_t const extent : result.extents) count *= extent;
    return {result.extents, {y.begin(), y.begin() + count}};
}

/// y = Resize(x [1,1,2,2], scales known at run time)
void parseResize(Defining& d, std::string const& mode) {
    OnnxModel model;
    model.input("x", {1, 1, 2, 2});
    model.input("scales", {4});
    auto& node = model.node("Resize", {"x", "", "scales"}, {"y"}, "resize");
    test::setString(node, "mode", mode);
    model.output("y");
    std::string const bytes = model.bytes();
    std::unique_ptr<nvonnxparser::IParser> parser(nvonnxparser::createParser(*d.network, d.messages));
    ASSERT_TRUE(parser->parse(bytes.data(), bytes.size())) << d.messages.lastError();
}

TEST(ShapeValues, boundTheScalesOfAResizeAtRunTime) {
    Defining d;
    parseResize(d, "nearest");
    valueRange(d, "scales", {1, 1, 1, 1}, {1, 1, 2, 2}, {1, 1, 4, 4});
    Running r(*d.build());
    EXPECT_TRUE(r.engine->isShapeInferenceIO("scales"));
    // onnxruntime 1.31.1, mode nearest, half pixels, scales [1,1,1.5,2] and [1,1,1,3]
    EXPECT_EQ(resized(r, {1, 2, 3, 4}, {1, 1, 1.5F, 2}), (Result{{1, 1, 3, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4}}));
    EXPECT_EQ(resized(r, {1, 2, 3, 4}, {1, 1, 1, 3}), (Result{{1, 1, 2, 6}, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}}));
}

TEST(ShapeValues, interpolateByScalesOfRunTime) {
    Defining d;
    parseResize(d, "linear");
    valueRange(d, "scales", {1, 1, 1, 1}, {1, 1, 2, 2}, {1, 1, 4, 4});
    Running r(*d.build());
    // half pixels: y[i] = x[(i + ½) / s - ½], clamped to the border
    EXPECT_EQ(resized(r, {0, 4, 0, 4}, {1, 1, 1, 2}), (Result{{1, 1, 2, 4}, {0, 1, 3, 4, 0, 1, 3, 4}}));
    EXPECT_EQ(resized(r, {0, 4, 8, 8}, {1, 1, 1, 1}), (Result{{1, 1, 2, 2}, {0, 4, 8, 8}}));
}

TEST(ShapeValues, mayBeFloatsFromWhichAShapeIsComputed) { // nearest, asymmetric: y[i] = x[floor(i / s)]
    Defining d;
    ITensor& x = d.input("x", {1, 2});
    ITensor& size = d.input("scales", {2}, nvinfer1::DataType::kFLOAT);
    IResizeLayer* resize = d.network->addResize(x);
    resize->setInput(1, *d.network->addCast(size, nvinfer1::DataType::kINT64)->getOutput(0));
    d.output(resize->getOutput(0));
    valueRange(d, "scales", {1, 1}, {2, 4}, {4, 8});
    Running r(*d.build());
    EXPECT_EQ(resized(r, {5, 7}, {1, 4}), (Result{{1, 4}, {5, 5, 7, 7}}));
    EXPECT_EQ(resized(r, {5, 7}, {2, 2}), (Result{{2, 2}, {5, 7, 5, 7}}));
}

void valueRanges(Defining& d, char const* name, std::vector<std::vector<int64_t>> const& points) {
    auto* profile = d.builder->createOptimizationProfile();
    for (auto select : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
        auto const& values = points[static_cast<size_t>(select)];
        EXPECT_TRUE(profile->setShapeValuesV2(name, select, values.data(), static_cast<int32_t>(values.size())));
    }
    EXPECT_GE(d.config->addOptimizationProfile(profile), 0) << d.messages.lastError();
}

/// Runs a network of x [6] with "shape" [2]; true where y has these extents.
bool gives(Running& r, std::vector<int64_t> shape, std::vector<int64_t> const& extents) {
    std::vector<float> x{0, 1, 2, 3, 4, 5};
    std::vector<float> y(36);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("shape", shape.data());
    r.context->setTensorAddress("y", y.data());
    return r.context->enqueueV3(nullptr) && test::extents(r.context->getTensorShape("y")) == extents;
}

bool gives(Running& r, std::vector<int64_t> const& shape) { return gives(r, shape, shape); }

TEST(ShapeValues, areRefusedOutsideOfTheirRange) {
    Defining d;
    IShuffleLayer* row = d.network->addShuffle(d.input("x", {6}));
    row->setReshapeDimensions(test::dims({1, 6}));
    ISliceLayer* slice =
        d.network->addSlice(*row->getOutput(0), test::dims({0, 0}), test::dims({1, 1}), test::dims({1, 1}));
    slice->setMode(SampleMode::kCLAMP);
    slice->setInput(2, d.input("shape", {2}, nvinfer1::DataType::kINT64));
    d.output(slice->getOutput(0));
    valueRanges(d, "shape", {{1, 1}, {2, 3}, {3, 6}});
    valueRanges(d, "shape", {{4, 1}, {5, 1}, {6, 1}});
    Running r(*d.build());
    EXPECT_TRUE(gives(r, {1, 6})) << r.messages.lastError();
    EXPECT_FALSE(gives(r, {6, 1}));
    std::string const text = "enqueueV3: element 0 of shape tensor shape is 6; optimization profile 0 allows 1 to 3; "
                             "pass such a value, or build the engine with another profile";
    EXPECT_EQ(r.messages.lastError(), text);
    r.messages.errors.clear();
    EXPECT_FALSE(gives(r, {6, 1})); // not only when they change
    EXPECT_EQ(r.messages.lastError(), text);
    EXPECT_TRUE(gives(r, {1, 1})) << r.messages.lastError();
    EXPECT_TRUE(r.context->setOptimizationProfileAsync(1, nullptr));
    EXPECT_FALSE(gives(r, {1, 1})); // the same elements, and another range
    EXPECT_TRUE(gives(r, {6, 1})) << r.messages.lastError();
}

TEST(ShapeValues, holdAWildcardWhereTheProfileNamesIt) {
    Defining d;
    IShuffleLayer* shuffle = d.network->addShuffle(d.input("x", {6}));
    shuffle->setInput(1, d.input("shape", {2}, nvinfer1::DataType::kINT64));
    d.output(shuffle->getOutput(0));
    valueRanges(d, "shape", {{1, -1}, {2, 3}, {2, 3}});
    Running r(*d.build());
    EXPECT_TRUE(gives(r, {2, -1}, {2, 3})) << r.messages.lastError();
    EXPECT_TRUE(gives(r, {2, 3})) << r.messages.lastError();
    EXPECT_FALSE(gives(r, {-1, 3}, {2, 3}));
}

// Profiles contain integers.
TEST(ShapeValues, ofFloatsHaveNoRange) {
    Defining d;
    parseResize(d, "nearest");
    valueRange(d, "scales", {1, 1, 1, 1}, {1, 1, 2, 2}, {1, 1, 4, 4});
    Running r(*d.build());
    std::vector<float> x{1, 2, 3, 4}, y(64), scales{1, 1, 1, 4.5F};
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("scales", scales.data());
    r.context->setTensorAddress("y", y.data());
    EXPECT_TRUE(r.context->enqueueV3(nullptr)) << r.messages.lastError();
    EXPECT_EQ(test::extents(r.context->getTensorShape("y")).back(), 9); // floor(2 * 4.5)
}

} // namespace
} // namespace tenon

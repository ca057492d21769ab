// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;
using Integers = std::vector<int64_t>;

/// y = -x, and an output for shapes called "bar" that `make` computes from x [-1,4].
template <class Make> std::unique_ptr<IHostMemory> engineOf(Make const& make, Integers const& xExtents = {-1, 4}) {
    Defining d;
    ITensor& x = d.input("x", xExtents);
    if (xExtents[0] < 0) d.range("x", {0, 4}, {2, 4}, {8, 4});
    d.output(d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0));
    ITensor* const bar = make(d, x);
    bar->setName("bar");
    EXPECT_TRUE(d.network->markOutputForShapes(*bar)) << d.messages.lastError();
    EXPECT_TRUE(bar->isShapeTensor());
    return d.build();
}

ITensor* shapeOf(Defining& d, ITensor& x) { return d.network->addShape(x)->getOutput(0); }

ITensor* twiceTheShape(Defining& d, ITensor& x) {
    ITensor* const shape = shapeOf(d, x);
    return d.network->addElementWise(*shape, *shape, ElementWiseOperation::kSUM)->getOutput(0);
}

TEST(ShapeOutputs, areWrittenWhereShapesAreInferred) {
    Running r(*engineOf(twiceTheShape));
    EXPECT_TRUE(r.engine->isShapeInferenceIO("bar"));
    EXPECT_EQ(r.engine->getTensorLocation("bar"), TensorLocation::kHOST);
    EXPECT_FALSE(r.engine->isShapeInferenceIO("y"));
    EXPECT_FALSE(r.engine->isShapeInferenceIO("x"));
    Integers bar{-7, -7};
    EXPECT_TRUE(r.context->setTensorAddress("bar", bar.data()));
    char const* missing = nullptr;
    EXPECT_EQ(r.context->inferShapes(1, &missing), 1);
    EXPECT_STREQ(missing, "x");
    EXPECT_EQ(bar, (Integers{-7, -7}));
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{3, 4}));
    EXPECT_EQ(r.context->inferShapes(0, nullptr), 0);
    EXPECT_EQ(bar, (Integers{6, 8}));
    bar = {-7, -7};
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{1, 4}));
    EXPECT_EQ(r.run({1, -2, 3, -4}, 4), (std::vector<float>{-1, 2, -3, 4}));
    EXPECT_EQ(bar, (Integers{2, 8}));
}

TEST(ShapeOutputs, needNoAddressAmongBindings) { // as up to level 8; enqueueV3 documents that each output has one
    Running r(*engineOf(twiceTheShape));
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{1, 4}));
    EXPECT_EQ(r.context->inferShapes(0, nullptr), 0);
    std::vector<float> x{1, -2, 3, -4};
    std::vector<float> y(4);
    std::vector<void*> bindings;
    for (int32_t i = 0; i < r.engine->getNbIOTensors(); ++i) {
        std::string_view const name = r.engine->getIOTensorName(i);
        bindings.push_back(name == "x" ? x.data() : name == "y" ? y.data() : nullptr);
    }
    EXPECT_TRUE(r.context->executeV2(bindings.data())) << r.messages.lastError();
    EXPECT_EQ(y, (std::vector<float>{-1, 2, -3, 4}));
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(),
              "enqueueV3: output bar has no address; set it with setTensorAddress before running");
}

TEST(ShapeOutputs, areSuchWhereTheBuildKnowsThem) {
    Running r(*engineOf(shapeOf, {2, 4}));
    EXPECT_TRUE(r.engine->isShapeInferenceIO("bar"));
    Integers bar{-7, -7};
    EXPECT_TRUE(r.context->setTensorAddress("bar", bar.data()));
    EXPECT_EQ(r.context->inferShapes(0, nullptr), 0);
    EXPECT_EQ(bar, (Integers{2, 4}));
    bar = {-7, -7};
    EXPECT_EQ(r.run({1, -2, 3, -4, 1, -2, 3, -4}, 8), (std::vector<float>{-1, 2, -3, 4, -1, 2, -3, 4}));
    EXPECT_EQ(bar, (Integers{2, 4}));
}

TEST(ShapeOutputs, thatFollowWhatARunFindsAreWrittenByIt) {
    Running r(*engineOf([](Defining& d, ITensor& x) {
        ITensor* const places = d.network->addNonZero(x)->getOutput(0);
        return shapeOf(d, *places);
    }));
    Integers bar{-7, -7};
    EXPECT_TRUE(r.context->setTensorAddress("bar", bar.data()));
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{1, 4}));
    EXPECT_EQ(r.context->inferShapes(0, nullptr), 0);
    EXPECT_EQ(bar, (Integers{-7, -7}));
    EXPECT_EQ(r.run({0, -2, 3, 0}, 4), (std::vector<float>{0, 2, -3, 0}));
    EXPECT_EQ(bar, (Integers{2, 2})); // two positions of two indices
}

TEST(ShapeOutputs, areNoInputsNoFloatsNoMatricesAndMarkedOnce) {
    Defining d;
    ITensor& s = d.input("s", {2}, DataType::kINT64);
    ITensor& x = d.input("x", {2, 4});
    EXPECT_FALSE(d.network->markOutputForShapes(s));
    EXPECT_EQ(d.messages.lastError(), "markOutputForShapes: input s cannot be marked as an output for shapes; mark the "
                                      "output of a layer that reads it");
    ITensor* const y = d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0);
    y->setName("y");
    EXPECT_FALSE(d.network->markOutputForShapes(*y));
    EXPECT_EQ(d.messages.lastError(),
              "markOutputForShapes: y is float32 [2,4]; expected int32 or int64 with at most one axis");
    ITensor* const matrix = d.network->addCast(x, DataType::kINT32)->getOutput(0);
    EXPECT_FALSE(d.network->markOutputForShapes(*matrix));
    ITensor* const shape = shapeOf(d, x);
    EXPECT_FALSE(d.network->unmarkOutputForShapes(*shape));
    EXPECT_TRUE(d.network->markOutputForShapes(*shape));
    EXPECT_EQ(shape->getLocation(), TensorLocation::kHOST);
    EXPECT_EQ(d.network->getNbOutputs(), 1);
    EXPECT_FALSE(d.network->markOutputForShapes(*shape));
    EXPECT_TRUE(d.network->unmarkOutputForShapes(*shape));
    EXPECT_FALSE(shape->isShapeTensor());
    d.network->markOutput(*shape);
    EXPECT_FALSE(d.network->markOutputForShapes(*shape));
    EXPECT_FALSE(d.network->unmarkOutputForShapes(*shape));
    EXPECT_EQ(d.network->getNbOutputs(), 1);
}

TEST(ShapeOutputs, areNotPlainOutputs) {
    Defining d;
    ITensor& x = d.input("x", {-1, 4});
    d.range("x", {0, 4}, {2, 4}, {8, 4});
    d.output(shapeOf(d, x));
    Running r(*d.build());
    EXPECT_FALSE(r.engine->isShapeInferenceIO("y"));
    EXPECT_EQ(r.engine->getTensorLocation("y"), TensorLocation::kDEVICE);
}

TEST(InferShapes, isGivenRoomForNames) {
    Running r(*engineOf(twiceTheShape));
    std::vector<char const*> names(8);
    EXPECT_EQ(r.context->inferShapes(-3, names.data()), -1);
    EXPECT_EQ(r.messages.lastError(), "inferShapes: nbMaxNames is -3; expected the capacity of tensorNames");
    EXPECT_EQ(r.context->inferShapes(1, nullptr), -1);
}

} // namespace
} // namespace tenon

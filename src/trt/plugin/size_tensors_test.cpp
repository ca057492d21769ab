// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plugin may answer where its output shapes depend on a run.

#include "support/api.h"
#include "support/api_plugins.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::KeepAboveV3;
using test::KeepAboveV3Creator;
using test::notes;
using test::Registered;

using Answer = std::function<void(DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder&)>;

/// The error if a plugin of two outputs, y and n, returns this.
std::string saidOf(Answer const& answer, int64_t shapeInputs = 0, DataType sizeType = DataType::kINT32) {
    Registered<KeepAboveV3Creator> creator;
    notes().shapes = answer;
    notes().sizeType = sizeType;
    Defining d;
    ITensor* inputs[]{&d.input("x", {-1})};
    std::vector<int32_t> const values(static_cast<size_t>(shapeInputs), 1);
    Weights const weights{DataType::kINT32, values.data(), shapeInputs};
    ITensor* shape = shapeInputs ? d.network->addConstant(test::dims({shapeInputs}), weights)->getOutput(0) : nullptr;
    KeepAboveV3 plugin(0.5F, true, false);
    ILayer const* layer = d.network->addPluginV3(inputs, 1, &shape, shape ? 1 : 0, plugin);
    notes().shapes = {};
    EXPECT_EQ(layer == nullptr, !d.messages.errors.empty());
    return d.messages.lastError();
}

void answerOneSize(DimsExprs* outputs, IDimensionExpr const* size) {
    outputs[0].nbDims = 1;
    outputs[0].d[0] = size;
    outputs[1].nbDims = 0;
}

std::string const kPlugin = "addPluginV3: Plugin_0 (Plugin): plugin KeepAboveV3, version 2, namespace \"tests\": ";
std::string const kBuilder =
    "addPluginV3: plugin KeepAboveV3, version 2, namespace \"tests\": Plugin_0 (Plugin): IExprBuilder::";

TEST(SizeTensor, mayBeDeclaredTwiceAlike) {
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  builder.declareSizeTensor(1, all, all);
                  answerOneSize(outputs, builder.declareSizeTensor(1, all, all));
              }),
              "");
}

TEST(SizeTensor, isAnOutputOfThePlugin) {
    for (int32_t const output : {2, -1, INT32_MAX}) {
        EXPECT_EQ(saidOf([=](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                      answerOneSize(outputs, builder.declareSizeTensor(output, all, all));
                  }),
                  kPlugin + "declareSizeTensor for output " + std::to_string(output) + "; it has outputs 0 to 1");
    }
}

TEST(SizeTensor, isAScalar) {
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  answerOneSize(outputs, builder.declareSizeTensor(1, all, all));
                  outputs[1].nbDims = 1;
                  outputs[1].d[0] = builder.constant(1);
              }),
              kPlugin + "declareSizeTensor for output 1, which is int32 [1]; expected a scalar, int32 [] or int64 []");
}

TEST(SizeTensor, isAWholeNumber) {
    auto const answer = [](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
        answerOneSize(outputs, builder.declareSizeTensor(1, all, all));
    };
    EXPECT_EQ(saidOf(answer, 0, DataType::kINT64), "");
    EXPECT_EQ(saidOf(answer, 0, DataType::kFLOAT),
              kPlugin + "declareSizeTensor for output 1, which is float32 []; expected a scalar, int32 [] or int64 []");
}

TEST(SizeTensor, hasOneBound) {
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  builder.declareSizeTensor(1, all, all);
                  answerOneSize(outputs, builder.declareSizeTensor(1, all, *builder.constant(7)));
              }),
              kBuilder + "declareSizeTensor: output 1: opt in0.0 and upper 7, where it was declared with in0.0 and "
                         "in0.0 before; expected the same for one output");
}

TEST(SizeTensor, hasABoundThatIsKnownBefore) {
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  auto const* size = builder.declareSizeTensor(1, all, all);
                  auto const* twice = builder.operation(DimensionOperation::kPROD, *size, *builder.constant(2));
                  answerOneSize(outputs, builder.declareSizeTensor(0, all, *twice));
              }),
              kBuilder +
                  "declareSizeTensor: output 0: upper is (size.1*2); expected a value that does not depend on data");
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  answerOneSize(outputs, builder.declareSizeTensor(1, all, *builder.constant(-1)));
              }),
              kBuilder + "declareSizeTensor: output 1: upper is -1; expected at least 0");
}

// ---- any expression

TEST(ExprBuilder, takesNoExpressionOfAnotherPlugin) {
    static IDimensionExpr const* kept; // as in a plugin that stores it
    kept = nullptr;
    Answer const answer = [](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
        answerOneSize(outputs, kept ? kept : &all);
        outputs[1].nbDims = 0;
        if (!kept) kept = builder.constant(3);
    };
    EXPECT_EQ(saidOf(answer), "");
    EXPECT_EQ(saidOf(answer),
              "addPluginV3: plugin KeepAboveV3, version 2, namespace \"tests\": Plugin_0 (Plugin): output 0: dimension "
              "0 is not an expression of this call; use those of the inputs and of this IExprBuilder");
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  answerOneSize(outputs, builder.operation(DimensionOperation::kSUM, all, *kept));
              }),
              kBuilder + "operation: the second argument is not an expression of this call; use those of the inputs "
                         "and of this IExprBuilder");
}

TEST(ExprBuilder, namesTheFirstMistake) {
    EXPECT_EQ(saidOf([](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder& builder) {
                  auto const* none = builder.operation(static_cast<DimensionOperation>(77), all, all);
                  EXPECT_EQ(none, nullptr);
                  builder.operation(DimensionOperation::kFLOOR_DIV, *builder.constant(1), *builder.constant(0));
                  answerOneSize(outputs, &all);
              }),
              kBuilder + "operation: operation 77 on dimensions does not exist");
}

TEST(ExprBuilder, tellsNoMoreElementsThanAShapeHas) {
    auto const answer = [](DimsExprs* outputs, IDimensionExpr const& all, IExprBuilder&) {
        answerOneSize(outputs, &all);
    };
    EXPECT_EQ(saidOf(answer, 8), "");
    EXPECT_EQ(saidOf(answer, 9), "addPluginV3: plugin KeepAboveV3, version 2, namespace \"tests\": Plugin_1 (Plugin): "
                                 "a shape input of 9 elements; plugins receive 8 at most");
}

} // namespace
} // namespace tenon

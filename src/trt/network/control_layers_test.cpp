// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Loops and conditionals as programs define them: by layers at their edges.

#include "support/api.h"
#include "support/quick_plugins.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

ITensor& sum(Defining& d, ITensor& a, ITensor& b) {
    return *d.network->addElementWise(a, b, ElementWiseOperation::kSUM)->getOutput(0);
}

ITensor& number(Defining& d, int32_t const& value) {
    return *d.network->addConstant(Dims{0, {}}, Weights{DataType::kINT32, &value, 1})->getOutput(0);
}

ITensor& scalar(Defining& d, float const& value) {
    return *d.network->addConstant(Dims{0, {}}, Weights{DataType::kFLOAT, &value, 1})->getOutput(0);
}

void expectNoBuild(Defining& d) {
    std::unique_ptr<IHostMemory> const plan(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_EQ(plan, nullptr);
}

/// What a network makes of x.
Floats compute(Defining& d, ITensor* y, Floats const& x, size_t most) {
    d.output(y);
    return Running(*d.build()).run(x, most);
}

/// The rows of x [3,2], added up; each sum is a row of what it gathers.
struct RunningSums {
    Defining d;
    int32_t three = 3;
    float zeros[2] = {0, 0};
    ITensor& count = number(d, three);
    ILoop* loop = d.network->addLoop();
    ITripLimitLayer* limit = loop->addTripLimit(count, TripLimit::kCOUNT);
    IIteratorLayer* rows = loop->addIterator(d.input("x", {3, 2}));
    IRecurrenceLayer* total =
        loop->addRecurrence(*d.network->addConstant(Dims{1, {2}}, Weights{DataType::kFLOAT, zeros, 2})->getOutput(0));
    ITensor& next = sum(d, *total->getOutput(0), *rows->getOutput(0));

    RunningSums() { total->setInput(1, next); }
    ILoopOutputLayer* gather(LoopOutput kind, int32_t axis = 0) {
        ILoopOutputLayer* const output = loop->addLoopOutput(next, kind, axis);
        output->setInput(1, count);
        return output;
    }
    Floats run(ILoopOutputLayer* output) { return compute(d, output->getOutput(0), {1, 2, 3, 4, 5, 6}, 6); }
};

TEST(LoopLayers, haveTheirKindsAndPorts) {
    RunningSums sums;
    EXPECT_EQ(sums.limit->getType(), LayerType::kTRIP_LIMIT);
    EXPECT_EQ(sums.limit->getTripLimit(), TripLimit::kCOUNT);
    EXPECT_EQ(sums.limit->getNbOutputs(), 0);
    EXPECT_EQ(sums.rows->getType(), LayerType::kITERATOR);
    EXPECT_EQ(sums.rows->getAxis(), 0);
    EXPECT_FALSE(sums.rows->getReverse());
    EXPECT_EQ(extents(sums.rows->getOutput(0)->getDimensions()), (Extents{2}));
    EXPECT_EQ(sums.total->getType(), LayerType::kRECURRENCE);
    EXPECT_EQ(sums.total->getNbInputs(), 2);
    EXPECT_EQ(sums.total->getInput(1), &sums.next);
    EXPECT_EQ(sums.total->getLoop(), sums.loop);
    ILoopOutputLayer* const output = sums.gather(LoopOutput::kCONCATENATE, 1);
    EXPECT_EQ(output->getType(), LayerType::kLOOP_OUTPUT);
    EXPECT_EQ(output->getLoopOutput(), LoopOutput::kCONCATENATE);
    EXPECT_EQ(output->getAxis(), 1);
    EXPECT_EQ(extents(output->getOutput(0)->getDimensions()), (Extents{2, 3}));
    sums.loop->setName("sums");
    EXPECT_STREQ(sums.loop->getName(), "sums");
}

TEST(LoopLayers, giveTheLastValue) {
    RunningSums sums;
    ILoopOutputLayer* const last = sums.loop->addLoopOutput(*sums.total->getOutput(0), LoopOutput::kLAST_VALUE);
    EXPECT_EQ(compute(sums.d, last->getOutput(0), {1, 2, 3, 4, 5, 6}, 2), (Floats{9, 12}));
}

TEST(LoopLayers, gatherAlongAnAxis) {
    RunningSums first;
    EXPECT_EQ(first.run(first.gather(LoopOutput::kCONCATENATE)), (Floats{1, 2, 4, 6, 9, 12}));
    RunningSums second;
    EXPECT_EQ(second.run(second.gather(LoopOutput::kCONCATENATE, 1)), (Floats{1, 4, 9, 2, 6, 12}));
    RunningSums backwards;
    EXPECT_EQ(backwards.run(backwards.gather(LoopOutput::kREVERSE)), (Floats{9, 12, 4, 6, 1, 2}));
}

TEST(LoopLayers, walkBackwardsToo) {
    RunningSums sums;
    sums.rows->setReverse(true);
    EXPECT_EQ(sums.run(sums.gather(LoopOutput::kCONCATENATE)), (Floats{5, 6, 8, 10, 9, 12}));
}

/// x doubled while it is less than 100.
TEST(LoopLayers, endByACondition) {
    Defining d;
    float const hundred = 100;
    ILoop* const loop = d.network->addLoop();
    ITensor& x = *d.network->addShuffle(d.input("x", {1}))->getOutput(0);
    static_cast<IShuffleLayer*>(d.network->getLayer(0))->setReshapeDimensions(Dims{0, {}});
    IRecurrenceLayer* const value = loop->addRecurrence(x);
    ITensor& now = *value->getOutput(0);
    ITensor& isLess = *d.network->addElementWise(now, scalar(d, hundred), ElementWiseOperation::kLESS)->getOutput(0);
    loop->addTripLimit(isLess, TripLimit::kWHILE);
    value->setInput(1, sum(d, now, now));
    d.output(loop->addLoopOutput(now, LoopOutput::kLAST_VALUE)->getOutput(0));
    auto const plan = d.build();
    EXPECT_EQ(Running(*plan).run({3}, 1), (Floats{192}));
    EXPECT_EQ(Running(*plan).run({700}, 1), (Floats{700}));
}

/// A loop in a loop: 3 times, x is doubled 2 times.
TEST(LoopLayers, standInOneAnother) {
    Defining d;
    int32_t const two = 2;
    int32_t const three = 3;
    ILoop* const outer = d.network->addLoop();
    outer->addTripLimit(number(d, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const a = outer->addRecurrence(d.input("x", {2}));
    ILoop* const inner = d.network->addLoop();
    inner->addTripLimit(number(d, two), TripLimit::kCOUNT);
    IRecurrenceLayer* const b = inner->addRecurrence(*a->getOutput(0));
    b->setInput(1, sum(d, *b->getOutput(0), *b->getOutput(0)));
    a->setInput(1, *inner->addLoopOutput(*b->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    EXPECT_EQ(compute(d, outer->addLoopOutput(*a->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0), {1, 3}, 2),
              (Floats{64, 192}));
}

/// A plugin in a loop that only the run counts, in the engine's file too.
TEST(LoopLayers, holdPlugins) {
    test::Registered<test::QuickTimesCreator> const registered;
    test::quickNotes().combinations = test::floatsIn({TensorFormat::kLINEAR}, 2);
    Defining d;
    int32_t const three = 3;
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(number(d, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const value = loop->addRecurrence(d.input("x", {2}));
    test::QuickTimes plugin(2);
    ITensor* const now = value->getOutput(0);
    value->setInput(1, *d.network->addPluginV3(&now, 1, nullptr, 0, plugin)->getOutput(0));
    EXPECT_EQ(compute(d, loop->addLoopOutput(*now, LoopOutput::kLAST_VALUE)->getOutput(0), {1, 3}, 2), (Floats{8, 24}));
}

TEST(LoopLayers, sayWhatDoesNotFit) {
    RunningSums sums;
    EXPECT_EQ(sums.loop->addTripLimit(sums.count, TripLimit::kCOUNT), nullptr);
    EXPECT_EQ(sums.d.messages.lastError(), "addTripLimit: (Unnamed Loop) 0: has a trip limit of kind kCOUNT already; a "
                                           "loop has one at most");
    EXPECT_EQ(sums.loop->addTripLimit(sums.count, TripLimit::kWHILE), nullptr);
    EXPECT_EQ(
        sums.d.messages.lastError(),
        "addTripLimit: ControlEdge_7 (ControlEdge): the condition of a trip is int32; expected bool (add a cast)");
    EXPECT_EQ(sums.loop->addIterator(sums.count, 0), nullptr);
    sums.loop->setName("sums");
    sums.d.output(&sums.next);
    expectNoBuild(sums.d);
    EXPECT_NE(sums.d.messages.lastError().find("is computed inside of a loop or a conditional"), std::string::npos)
        << sums.d.messages.lastError();
}

TEST(ConditionalLayers, takeOneBranch) {
    Defining d;
    float const ten = 10;
    ITensor& x = d.input("x", {2});
    ITensor& most = *d.network->addReduce(x, ReduceOperation::kMAX, 1, false)->getOutput(0);
    IIfConditional* const choice = d.network->addIfConditional();
    IConditionLayer* const condition = choice->setCondition(
        *d.network->addElementWise(most, scalar(d, ten), ElementWiseOperation::kLESS)->getOutput(0));
    ASSERT_NE(condition, nullptr);
    EXPECT_EQ(condition->getType(), LayerType::kCONDITION);
    IIfConditionalInputLayer* const inside = choice->addInput(x);
    EXPECT_EQ(inside->getType(), LayerType::kCONDITIONAL_INPUT);
    EXPECT_EQ(inside->getConditional(), choice);
    ITensor& doubled = sum(d, *inside->getOutput(0), *inside->getOutput(0));
    ITensor& negative = *d.network->addUnary(*inside->getOutput(0), UnaryOperation::kNEG)->getOutput(0);
    IIfConditionalOutputLayer* const output = choice->addOutput(doubled, negative);
    EXPECT_EQ(output->getType(), LayerType::kCONDITIONAL_OUTPUT);
    EXPECT_EQ(extents(output->getOutput(0)->getDimensions()), (Extents{2}));
    d.output(output->getOutput(0));
    auto const plan = d.build();
    EXPECT_EQ(Running(*plan).run({1, 2}, 2), (Floats{2, 4}));
    EXPECT_EQ(Running(*plan).run({1, 20}, 2), (Floats{-1, -20}));
}

TEST(ConditionalLayers, sayWhatIsMissing) {
    Defining d;
    ITensor& x = d.input("x", {2});
    IIfConditional* const choice = d.network->addIfConditional();
    ITensor& inside = *choice->addInput(x)->getOutput(0);
    d.output(choice->addOutput(inside, inside)->getOutput(0));
    expectNoBuild(d);
    EXPECT_NE(d.messages.lastError().find("its conditional has no condition; call setCondition()"), std::string::npos)
        << d.messages.lastError();
}

} // namespace
} // namespace tenon

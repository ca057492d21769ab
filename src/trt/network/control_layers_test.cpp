// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Loops and conditionals as applications define them: by layers at their edges.

#include "support/api.h"
#include "support/edit_plan.h"
#include "support/quick_plugins.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// The results of a network for x.
Floats compute(Defining& d, ITensor* y, Floats const& x, size_t most) {
    d.output(y);
    return Running(*d.build()).run(x, most);
}

/// The rows of x [3,2], added up; each sum is a row of the gathered output.
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

/// Sums of rows, whose number is an input: no shape, since the gathered output has a length of its own.
struct SumsOfSome {
    RunningSums sums;
    int32_t most = 3;
    int32_t fewer = 2;
    ITensor* n = sums.d.network->addInput("n", DataType::kINT32, Dims{0, {}});
    ILoopOutputLayer* all = gather(most);
    ILoopOutputLayer* some = gather(fewer);
    ILoopOutputLayer* last = sums.loop->addLoopOutput(*sums.total->getOutput(0), LoopOutput::kLAST_VALUE);

    SumsOfSome() {
        sums.limit->setInput(0, *n);
        name(all, "all");
        name(some, "some");
        name(last, "last");
    }
    ILoopOutputLayer* gather(int32_t const& length) {
        ILoopOutputLayer* const output = sums.loop->addLoopOutput(sums.next, LoopOutput::kCONCATENATE);
        output->setInput(1, number(sums.d, length));
        return output;
    }
    void name(ILoopOutputLayer* layer, char const* name) {
        layer->getOutput(0)->setName(name);
        sums.d.network->markOutput(*layer->getOutput(0));
    }
};

/// The results of a run for this number of rows.
struct SomeSums {
    Floats all = Floats(6), some = Floats(4), last = Floats(2);

    SomeSums(Running& running, int32_t rows) {
        Floats x{1, 2, 3, 4, 5, 6};
        running.context->setTensorAddress("x", x.data());
        running.context->setTensorAddress("n", &rows);
        running.context->setTensorAddress("all", all.data());
        running.context->setTensorAddress("some", some.data());
        running.context->setTensorAddress("last", last.data());
        running.run();
    }
};

TEST(LoopLayers, makeAsManyTripsAsAnInputSays) {
    SumsOfSome some;
    EXPECT_FALSE(some.n->isShapeTensor());
    Running running(*some.sums.d.build());
    EXPECT_EQ(running.engine->getTensorLocation("n"), TensorLocation::kDEVICE);
    SomeSums const none(running, 0);
    EXPECT_EQ(none.all, Floats(6));
    EXPECT_EQ(none.last, (Floats{0, 0}));
    SomeSums const two(running, 2);
    EXPECT_EQ(two.all, (Floats{1, 2, 4, 6, 0, 0}));
    EXPECT_EQ(two.some, (Floats{1, 2, 4, 6}));
    EXPECT_EQ(two.last, (Floats{4, 6}));
    SomeSums const three(running, 3);
    EXPECT_EQ(three.all, (Floats{1, 2, 4, 6, 9, 12}));
    EXPECT_EQ(three.some, (Floats{1, 2, 4, 6}));
    EXPECT_EQ(three.last, (Floats{9, 12}));
}

/// Tensors that the body does not use, such as its own iteration counter, need not leave the loop.
TEST(LoopLayers, mayHaveLayersThatNothingReads) {
    RunningSums sums;
    int32_t zero = 0;
    int32_t one = 1;
    IRecurrenceLayer* const trip = sums.loop->addRecurrence(number(sums.d, zero));
    trip->setInput(1, sum(sums.d, *trip->getOutput(0), number(sums.d, one)));
    sums.d.network->addShuffle(*trip->getOutput(0))->setReshapeDimensions(Dims{1, {1}});
    EXPECT_EQ(sums.run(sums.gather(LoopOutput::kCONCATENATE)), (Floats{1, 2, 4, 6, 9, 12}));
}

/// With a condition that is true and passed on, a loop runs all its iterations, so its gathered output has as many
/// rows.
TEST(LoopLayers, areCountedWhereTheirConditionStaysTrue) {
    RunningSums sums;
    bool const yes = true;
    IRecurrenceLayer* const goesOn = sums.loop->addRecurrence(
        *sums.d.network->addConstant(Dims{0, {}}, Weights{DataType::kBOOL, &yes, 1})->getOutput(0));
    goesOn->setInput(1, *sums.d.network->addIdentity(*goesOn->getOutput(0))->getOutput(0));
    sums.loop->addTripLimit(*goesOn->getOutput(0), TripLimit::kWHILE);
    sums.d.output(sums.gather(LoopOutput::kCONCATENATE)->getOutput(0));
    Running running(*sums.d.build());
    EXPECT_EQ(extents(running.context->getTensorShape("y")), (Extents{3, 2}));
    EXPECT_EQ(running.run({1, 2, 3, 4, 5, 6}, 6), (Floats{1, 2, 4, 6, 9, 12}));
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

/// A plugin in a loop whose count is known at run time only, also in the engine's file.
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
    EXPECT_NE(sums.d.messages.lastError().find("is computed inside a loop or conditional"), std::string::npos)
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

/// "first" and "second" are the results of the branches for x.
template <class First, class Second>
ITensor* either(Defining& d, ITensor& condition, ITensor& x, First const& first, Second const& second) {
    IIfConditional* const choice = d.network->addIfConditional();
    choice->setCondition(condition);
    ITensor& inside = *choice->addInput(x)->getOutput(0);
    return choice->addOutput(*first(inside), *second(inside))->getOutput(0);
}

/// Edits plugins among these nodes of a plan, and in the loops among them.
void readInput7OnTheHost(Json& nodes) {
    for (Json& node : nodes) {
        Json& fields = node["kind"] == "Plugin" && node["fields"].is_array() ? node["fields"][0] : node["fields"];
        if (node["kind"] == "Plugin") fields["shape_inputs"] = {7};
        if (node["kind"] == "Loop") readInput7OnTheHost(fields["body"][0]["nodes"]);
    }
}

/// A plugin that accepts no types, so that no engine can contain it.
ITensor* impossible(Defining& d, ITensor& x) {
    test::QuickTimes plugin(2);
    ITensor* input = &x;
    return d.network->addPluginV3(&input, 1, nullptr, 0, plugin)->getOutput(0);
}

struct KnownConditions : testing::Test, Defining {
    ITensor& flag(bool const& value) {
        return *network->addConstant(Dims{0, {}}, Weights{DataType::kBOOL, &value, 1})->getOutput(0);
    }
    ITensor* either(ITensor& condition, ITensor& x) {
        return tenon::either(
            *this, condition, x, [&](ITensor& in) { return &sum(*this, in, in); },
            [&](ITensor& in) { return impossible(*this, in); });
    }
    /// Of an engine that keeps the network, built again as for another device.
    std::unique_ptr<IHostMemory> builtAgain(IHostMemory const& plan) {
        auto const other = test::editPlan({static_cast<std::byte const*>(plan.data()), plan.size()},
                                          [](auto& json) { json["device"] = "cuda"; });
        std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
        std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(other.data(), other.size()));
        EXPECT_NE(engine, nullptr) << messages.lastError();
        return std::unique_ptr<IHostMemory>(engine->serialize());
    }

    test::Registered<test::QuickTimesCreator> const registered;
    bool const yes = true;
    bool const no = false;
};

TEST_F(KnownConditions, leaveTheBranchThatRuns) {
    output(either(flag(yes), input("x", {2})));
    auto const plan = build();
    EXPECT_EQ(Running(*plan).run({1, 3}, 2), (Floats{2, 6}));
    EXPECT_EQ(Running(*builtAgain(*plan)).run({1, 3}, 2), (Floats{2, 6})) << "the other one is not kept either";
    std::unique_ptr<IEngineInspector> const inspector(Running(*plan).engine->createEngineInspector());
    EXPECT_EQ(std::string(inspector->getEngineInformation(LayerInformationFormat::kONELINE)).find("Conditional"),
              std::string::npos);
}

TEST_F(KnownConditions, mayBeComputed) {
    ITensor& isFalse = *network->addElementWise(flag(yes), flag(no), ElementWiseOperation::kAND)->getOutput(0);
    ITensor& isTrue = *network->addUnary(isFalse, UnaryOperation::kNOT)->getOutput(0);
    output(either(isTrue, input("x", {2})));
    EXPECT_EQ(Running(*build()).run({1, 3}, 2), (Floats{2, 6}));
}

TEST_F(KnownConditions, mayStandInLoopsAndInOneAnother) {
    int32_t const three = 3;
    ILoop* const loop = network->addLoop();
    loop->addTripLimit(number(*this, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const value = loop->addRecurrence(input("x", {2}));
    ITensor& isTrue = flag(yes);
    ITensor& isFalse = flag(no);
    ITensor* const next = tenon::either(
        *this, isFalse, *value->getOutput(0), [&](ITensor& in) { return impossible(*this, in); },
        [&](ITensor& in) { return either(isTrue, in); });
    value->setInput(1, *next);
    output(loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    EXPECT_EQ(Running(*build()).run({1, 3}, 2), (Floats{8, 24}));
}

TEST_F(KnownConditions, mayFollowFromAProfile) {
    int32_t const two = 2;
    ITensor& x = input("x", {-1});
    ITensor& extents = *network->addShape(x)->getOutput(0);
    ITensor& expected = *network->addConstant(Dims{1, {1}}, Weights{DataType::kINT32, &two, 1})->getOutput(0);
    ITensor& wide = *network->addCast(expected, DataType::kINT64)->getOutput(0);
    ITensor& isTwo = *network->addElementWise(extents, wide, ElementWiseOperation::kEQUAL)->getOutput(0);
    output(either(isTwo, x));
    range("x", {2}, {2}, {2});
    auto const plan = build();
    EXPECT_EQ(Running(*plan).run({1, 3}, 2), (Floats{2, 6}));
    EXPECT_EQ(Running(*builtAgain(*plan)).run({1, 3}, 2), (Floats{2, 6}));
}

TEST_F(KnownConditions, mayPassWhatTheyRead) {
    ITensor& x = input("x", {2});
    output(tenon::either(
        *this, flag(yes), x, [](ITensor& in) { return &in; }, [&](ITensor& in) { return impossible(*this, in); }));
    EXPECT_EQ(Running(*build()).run({1, 3}, 2), (Floats{1, 3}));
}

/// Extents that are known at run time only are named after their layers, and both branches have one of the same name.
TEST(ConditionalLayers, tellApartWhatIsCalledAlike) {
    Defining d;
    float const ten = 10;
    ITensor& x = d.input("x", {6});
    ITensor& most = *d.network->addReduce(x, ReduceOperation::kMAX, 1, false)->getOutput(0);
    ITensor& isSmall = *d.network->addElementWise(most, scalar(d, ten), ElementWiseOperation::kLESS)->getOutput(0);
    auto const indices = [&](ITensor& in) {
        INonZeroLayer* const layer = d.network->addNonZero(in);
        layer->setName("indices");
        return layer->getOutput(0);
    };
    ITensor& found = *either(
        d, isSmall, x,
        [&](ITensor& in) { return indices(*d.network->addActivation(in, ActivationType::kRELU)->getOutput(0)); },
        indices);
    ITensor& real = *d.network->addCast(found, DataType::kFLOAT)->getOutput(0);
    d.output(d.network->addReduce(real, ReduceOperation::kSUM, 2, false)->getOutput(0));
    auto const plan = d.build();
    EXPECT_EQ(Running(*plan).run({1, -1, 1, -1, 1, -1}, 1), (Floats{0 + 2 + 4}));
    EXPECT_EQ(Running(*plan).run({20, -1, 1, -1, 1, -1}, 1), (Floats{0 + 1 + 2 + 3 + 4 + 5}));
}

/// The engine that an application builds keeps the weights of the application that it needs, also inside loops.
TEST(LoopLayers, keepWhatTheProgramLends) {
    Defining d;
    std::vector<float> lent{1, 10};
    int32_t const three = 3;
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(number(d, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const value = loop->addRecurrence(d.input("x", {2}));
    ITensor& weights = *d.network->addConstant(Dims{1, {2}}, test::weights(lent))->getOutput(0);
    value->setInput(1, sum(d, *value->getOutput(0), weights));
    d.output(loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    std::unique_ptr<ICudaEngine> const engine(d.builder->buildEngineWithConfig(*d.network, *d.config));
    ASSERT_NE(engine, nullptr) << d.messages.lastError();
    lent = {1000, 1000};
    std::unique_ptr<IHostMemory> const plan(engine->serialize());
    EXPECT_EQ(Running(*plan).run({0, 0}, 2), (Floats{3, 30}));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    Floats x{0, 0};
    Floats y(2);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(y, (Floats{3, 30}));
}

TEST(LoopLayers, mustHaveNamesInUtf8) {
    RunningSums sums;
    sums.d.network->getLayer(sums.d.network->getNbLayers() - 1)->setName("caf\xe9");
    sums.d.output(sums.gather(LoopOutput::kCONCATENATE)->getOutput(0));
    expectNoBuild(sums.d);
    EXPECT_EQ(sums.d.messages.lastError(),
              "buildSerializedNetwork: the name of a layer (Elementwise), \"caf\\xe9\", is not UTF-8");
}

/// An engine that is kept to be built again has the requested types of layers in loops.
TEST_F(KnownConditions, keepTypesThatLayersInLoopsAreAskedFor) {
    config->setFlag(BuilderFlag::kFP16);
    config->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    int32_t const three = 3;
    ILoop* const loop = network->addLoop();
    loop->addTripLimit(number(*this, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const value = loop->addRecurrence(input("x", {2}));
    IUnaryLayer* const sine = network->addUnary(*value->getOutput(0), UnaryOperation::kSIN);
    sine->setPrecision(DataType::kFLOAT);
    value->setInput(1, *sine->getOutput(0));
    output(loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    auto const first = build();
    auto const second = builtAgain(*first);
    for (auto const* plan : {&first, &second}) {
        Running r(**plan);
        std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
        std::string const told = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
        EXPECT_NE(told.find("AskedPrecision: FP32"), std::string::npos) << told;
    }
}

/// An edited plan: errors in it are found in loops too.
TEST_F(KnownConditions, areNotTrustedInAPlan) {
    test::quickNotes().combinations = test::floatsIn({TensorFormat::kLINEAR}, 2);
    int32_t const three = 3;
    ILoop* const loop = network->addLoop();
    loop->addTripLimit(number(*this, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const value = loop->addRecurrence(input("x", {2}));
    value->setInput(1, *impossible(*this, *value->getOutput(0)));
    output(loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    auto const plan = build();
    auto const edited = test::editPlan(
        {static_cast<std::byte const*>(plan->data()), plan->size()}, [](auto& json) { json["device"] = "cuda"; },
        [](auto& kept) { readInput7OnTheHost(kept["nodes"]); });
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    EXPECT_EQ(runtime->deserializeCudaEngine(edited.data(), edited.size()), nullptr);
    EXPECT_NE(messages.lastError().find("a shape input is 7; the plugin has 1 inputs"), std::string::npos)
        << messages.lastError();
}

// ---- layer information

/// 3 times: x = max(x) < 10 ? tanh(x) : softmax(x)
struct Nested : Defining {
    explicit Nested(ProfilingVerbosity verbosity) {
        config->setProfilingVerbosity(verbosity);
        loop->setName("loop");
        loop->addTripLimit(number(*this, three), TripLimit::kCOUNT);
        IRecurrenceLayer* const value = loop->addRecurrence(input("x", {2}));
        ITensor& now = *value->getOutput(0);
        ITensor& most = *network->addReduce(now, ReduceOperation::kMAX, 1, false)->getOutput(0);
        ITensor& isSmall =
            *network->addElementWise(most, scalar(*this, ten), ElementWiseOperation::kLESS)->getOutput(0);
        IIfConditional* const choice = network->addIfConditional();
        choice->setName("choice");
        choice->setCondition(isSmall);
        ITensor& inside = *choice->addInput(now)->getOutput(0);
        IActivationLayer* const tanh = network->addActivation(inside, ActivationType::kTANH);
        tanh->setName("tanh");
        ISoftMaxLayer* const soft = network->addSoftMax(inside);
        soft->setName("soft");
        value->setInput(1, *choice->addOutput(*tanh->getOutput(0), *soft->getOutput(0))->getOutput(0));
        output(loop->addLoopOutput(now, LoopOutput::kLAST_VALUE)->getOutput(0));
    }

    /// The layer information of the engine; the loop's part of it.
    nlohmann::json told() {
        Running r(*build());
        std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
        oneLine = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
        auto const all = nlohmann::json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON));
        EXPECT_EQ(static_cast<int32_t>(all["Layers"].size()), r.engine->getNbLayers());
        for (auto const& layer : all["Layers"]) {
            if (layer.is_object() && layer["Name"] == "loop") return layer;
        }
        ADD_FAILURE() << all;
        return {};
    }

    int32_t three = 3;
    float ten = 10;
    ILoop* loop = network->addLoop();
    std::string oneLine;
};

nlohmann::json named(nlohmann::json const& layers, std::string const& name) {
    for (auto const& layer : layers) {
        if (layer.is_object() && layer["Name"] == name) return layer;
    }
    ADD_FAILURE() << name << " is not in " << layers;
    return {};
}

TEST(ControlLayers, areShownWithTheirLayersInside) {
    Nested d(ProfilingVerbosity::kDETAILED);
    auto const loop = d.told();
    EXPECT_EQ(loop["LayerType"], "Loop");
    EXPECT_EQ(loop["Carried"], 1);
    auto const choice = named(loop["Body"], "choice");
    EXPECT_EQ(choice["LayerType"], "If");
    auto const tanh = named(choice["ThenBody"], "tanh");
    EXPECT_EQ(tanh["Outputs"][0]["Dimensions"], (std::vector<int>{2}));
    EXPECT_FALSE(tanh["TacticName"].get<std::string>().empty());
    EXPECT_EQ(named(choice["ElseBody"], "soft")["LayerType"], "Softmax");
    EXPECT_NE(d.oneLine.find("Body: [ { Name: "), std::string::npos) << d.oneLine;
    EXPECT_NE(d.oneLine.find("ElseBody: [ { Name: soft, LayerType: Softmax, "), std::string::npos) << d.oneLine;
    EXPECT_EQ(std::ranges::count(d.oneLine, '\n'), 6) << "a line for each layer of the engine\n" << d.oneLine;
}

TEST(ControlLayers, areShownByNamesWhereThatIsAll) {
    Nested d(ProfilingVerbosity::kLAYER_NAMES_ONLY);
    auto const loop = d.told();
    EXPECT_EQ(loop.size(), 2U) << loop;
    auto const choice = named(loop["Body"], "choice");
    EXPECT_EQ(choice, nlohmann::json::parse(R"({"Name": "choice", "ThenBody": ["tanh"], "ElseBody": ["soft"]})"));
    EXPECT_NE(d.oneLine.find("{ Name: choice, ThenBody: [tanh], ElseBody: [soft] }"), std::string::npos) << d.oneLine;
}

/// 3 times, n from 1 on: y += n + the index of the first element of x that is not 0. No kernel runs that, since it
/// fails if there is no such element, which is the least that the run may find.
TEST(ControlLayers, areShownWithTheirLayersWhereTheseRunWithoutKernels) {
    Defining d;
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    float const zero = 0;
    int32_t const three = 3;
    int32_t const one = 1;
    ITensor& step = *d.network->addConstant(Dims{2, {1, 1}}, Weights{DataType::kINT32, &one, 1})->getOutput(0);
    ITensor& indices = *d.network->addNonZero(d.input("x", {3}))->getOutput(0);
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(number(d, three), TripLimit::kCOUNT);
    IRecurrenceLayer* const y = loop->addRecurrence(scalar(d, zero));
    IRecurrenceLayer* const n = loop->addRecurrence(step);
    ITensor& shifted = sum(d, indices, *n->getOutput(0));
    ISliceLayer* const part = d.network->addSlice(shifted, Dims{2, {0, 0}}, Dims{2, {1, 1}}, Dims{2, {1, 1}});
    part->setName("part");
    ITensor& partAsFloat = *d.network->addCast(*part->getOutput(0), DataType::kFLOAT)->getOutput(0);
    ITensor& partSum = *d.network->addReduce(partAsFloat, ReduceOperation::kSUM, 3, false)->getOutput(0);
    y->setInput(1, sum(d, *y->getOutput(0), partSum));
    n->setInput(1, sum(d, *n->getOutput(0), step));
    d.output(loop->addLoopOutput(*y->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.run({0, 10, 100}, 1), (Floats{2 + 3 + 4}));
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    auto const told = nlohmann::json::parse(inspector->getLayerInformation(1, LayerInformationFormat::kJSON));
    EXPECT_EQ(told["TacticName"], "reference");
    auto const slice = named(told["Body"], "part");
    EXPECT_EQ(slice["LayerType"], "Slice");
    EXPECT_FALSE(slice.contains("TacticName"));
}

TEST(ControlLayers, areNotShownWhereNothingIs) {
    Nested d(ProfilingVerbosity::kNONE);
    Running r(*d.build());
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    EXPECT_STREQ(inspector->getEngineInformation(LayerInformationFormat::kONELINE), "Layers:\n\nBindings:\nx\ny\n");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// y = relu(conv(x) + 1): without debug tensors it becomes one node. Values are worked out by hand.

#include "support/api.h"

#include <map>
#include <set>
#include <stdexcept>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

struct Listener final : IDebugListener {
    bool processDebugTensor(void const* addr, TensorLocation location, DataType type, Dims64 const& shape,
                            char const* name, cudaStream_t) override {
        EXPECT_EQ(location, TensorLocation::kDEVICE);
        EXPECT_EQ(type, DataType::kFLOAT);
        size_t count = 1;
        for (int32_t i = 0; i < shape.nbDims; ++i) count *= static_cast<size_t>(shape.d[i]);
        auto const* values = static_cast<float const*>(addr);
        seen[name] = {values, values + count};
        return goesOn;
    }
    std::map<std::string, std::vector<float>> seen;
    bool goesOn = true;
};

std::vector<float> const kX{1, -2, 3, -4};
std::vector<float> const kConvolved{2, -4, 6, -8, -1, 2, -3, 4}; // channels 2x and -x
std::vector<float> const kSum{3, -3, 7, -7, 0, 3, -2, 5};
std::vector<float> const kY{3, 0, 7, 0, 0, 3, 0, 5};

std::unique_ptr<IHostMemory> engineOf(std::vector<std::string> const& marked, bool unfused = false) {
    static float const kKernel[]{2, -1}, kOne[]{1};
    Defining d;
    ITensor& x = d.input("x", {1, 1, 2, 2});
    ITensor* convolved =
        d.network->addConvolutionNd(x, 2, Dims2(1, 1), {DataType::kFLOAT, kKernel, 2}, {DataType::kFLOAT, nullptr, 0})
            ->getOutput(0);
    ITensor* one = d.network->addConstant(Dims4(1, 1, 1, 1), {DataType::kFLOAT, kOne, 1})->getOutput(0);
    ITensor* sum = d.network->addElementWise(*convolved, *one, ElementWiseOperation::kSUM)->getOutput(0);
    convolved->setName("convolved");
    sum->setName("sum");
    for (ITensor* tensor : {convolved, sum}) {
        bool const wanted = std::ranges::find(marked, tensor->getName()) != marked.end();
        EXPECT_TRUE(!wanted || d.network->markDebug(*tensor));
        EXPECT_EQ(d.network->isDebugTensor(*tensor), wanted);
    }
    if (unfused) d.network->markUnfusedTensorsAsDebugTensors();
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    d.output(d.network->addActivation(*sum, ActivationType::kRELU)->getOutput(0));
    return d.build();
}

std::string layersOf(Running const& r) {
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    return inspector->getEngineInformation(LayerInformationFormat::kONELINE);
}

TEST(DebugTensors, areShownWhereTheyAreMarkedAndWanted) {
    Running r(*engineOf({"convolved", "sum"}));
    Listener listener;
    EXPECT_TRUE(r.engine->isDebugTensor("sum"));
    EXPECT_FALSE(r.engine->isDebugTensor("y"));
    EXPECT_TRUE(r.context->setDebugListener(&listener));
    EXPECT_EQ(r.context->getDebugListener(), &listener);
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_TRUE(listener.seen.empty());

    EXPECT_TRUE(r.context->setTensorDebugState("sum", true));
    EXPECT_TRUE(r.context->getDebugState("sum"));
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_EQ(listener.seen, (std::map<std::string, std::vector<float>>{{"sum", kSum}}));

    EXPECT_TRUE(r.context->setAllTensorsDebugState(true));
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_EQ(listener.seen.at("convolved"), kConvolved);
    listener.seen.clear();
    EXPECT_TRUE(r.context->setAllTensorsDebugState(false));
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_TRUE(listener.seen.empty());
}

TEST(DebugTensors, thatWereNotMarkedAreFusedAndRefused) {
    Running r(*engineOf({}));
    EXPECT_EQ(layersOf(r).find("sum"), std::string::npos) << layersOf(r);
    EXPECT_NE(layersOf(Running(*engineOf({"sum"}))).find("sum"), std::string::npos);
    EXPECT_FALSE(r.context->setTensorDebugState("sum", true));
    EXPECT_EQ(r.messages.lastError(), "setTensorDebugState: the engine has no debug tensor sum; there are: none; mark "
                                      "it with INetworkDefinition::markDebug before the engine is built");
    EXPECT_FALSE(r.context->setUnfusedTensorsDebugState(true));
    EXPECT_EQ(r.messages.lastError(), "setUnfusedTensorsDebugState: the network was built without "
                                      "INetworkDefinition::markUnfusedTensorsAsDebugTensors");
}

TEST(DebugTensors, areAlsoThoseThatFusionLeavesOver) {
    Running r(*engineOf({"sum"}, true));
    Listener listener;
    EXPECT_TRUE(r.context->setDebugListener(&listener));
    EXPECT_TRUE(r.context->setUnfusedTensorsDebugState(true));
    EXPECT_TRUE(r.context->getUnfusedTensorsDebugState());
    EXPECT_EQ(r.run(kX, 8), kY);
    EXPECT_EQ(listener.seen, (std::map<std::string, std::vector<float>>{{"y", kY}}));

    Running fused(*engineOf({}, true)); // a reformatted tensor is shown once
    Listener other;
    EXPECT_TRUE(fused.context->setDebugListener(&other));
    EXPECT_TRUE(fused.context->setUnfusedTensorsDebugState(true));
    EXPECT_EQ(fused.run(kX, 8), kY);
    EXPECT_EQ(other.seen, (std::map<std::string, std::vector<float>>{{"y", kY}}));
}

/// The next run computes y from x and shows the sum.
void showSum(Running& r, IDebugListener& listener, std::vector<float>& x, std::vector<float>& y) {
    EXPECT_TRUE(r.context->setDebugListener(&listener));
    EXPECT_TRUE(r.context->setTensorDebugState("sum", true));
    EXPECT_TRUE(r.context->setTensorAddress("x", x.data()));
    EXPECT_TRUE(r.context->setTensorAddress("y", y.data()));
}

TEST(DebugTensors, aListenerMayStopTheRun) {
    Running r(*engineOf({"sum"}));
    Listener listener;
    listener.goesOn = false;
    std::vector<float> x = kX, y(8);
    showSum(r, listener, x, y);
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: the debug listener stopped the run at tensor sum");
    listener.goesOn = true;
    EXPECT_TRUE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(y, kY);
}

TEST(DebugTensors, saysWhatTheListenerThrew) {
    struct Thrower final : IDebugListener {
        bool processDebugTensor(void const*, TensorLocation, DataType, Dims64 const&, char const*,
                                cudaStream_t) override {
            throw std::runtime_error("no room");
        }
    };
    Running r(*engineOf({"sum"}));
    Thrower listener;
    std::vector<float> x = kX, y(8);
    showSum(r, listener, x, y);
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: IDebugListener::processDebugTensor threw \"no room\"");
}

/// Stores all shown tensors, as numbers, in order.
struct Recorder final : IDebugListener {
    bool processDebugTensor(void const* addr, TensorLocation location, DataType type, Dims64 const& shape,
                            char const* name, cudaStream_t) override {
        size_t count = 1;
        for (int32_t i = 0; i < shape.nbDims; ++i) count *= static_cast<size_t>(shape.d[i]);
        std::vector<double> values;
        for (size_t i = 0; i < count; ++i) {
            if (type == DataType::kFLOAT) values.push_back(static_cast<double>(static_cast<float const*>(addr)[i]));
            if (type == DataType::kINT64) values.push_back(static_cast<double>(static_cast<int64_t const*>(addr)[i]));
        }
        if (location == TensorLocation::kHOST) onHost.insert(name);
        seen[name].push_back(values);
        return true;
    }
    std::map<std::string, std::vector<std::vector<double>>> seen;
    std::set<std::string> onHost;
};
using Shown = std::map<std::string, std::vector<std::vector<double>>>;

/// The tensors shown in a run with all debug tensors enabled; the network's input and output are "x" and "y".
Shown shownIn(Running& r, std::vector<float> const& x, std::vector<float> const& y) {
    Recorder recorder;
    EXPECT_TRUE(r.context->setDebugListener(&recorder));
    EXPECT_TRUE(r.context->setAllTensorsDebugState(true));
    EXPECT_EQ(r.run(x, y.size()), y);
    EXPECT_TRUE(r.context->setDebugListener(nullptr));
    return recorder.seen;
}

/// Three iterations of value += step, where step is the iteration's element of [1,2,3]; y is the last value.
struct LoopToDebug {
    LoopToDebug() {
        ITensor& x = d.input("x", {2});
        loop = d.network->addLoop();
        loop->addTripLimit(d.integers({}, {3}), TripLimit::kCOUNT);
        element = loop->addIterator(d.floats({3, 1}, {1, 2, 3}))->getOutput(0);
        IRecurrenceLayer* recurrence = loop->addRecurrence(x);
        value = recurrence->getOutput(0);
        sum = d.network->addElementWise(*value, *element, ElementWiseOperation::kSUM)->getOutput(0);
        recurrence->setInput(1, *sum);
        last = loop->addLoopOutput(*value, LoopOutput::kLAST_VALUE)->getOutput(0);
        element->setName("element");
        value->setName("value");
        sum->setName("sum");
        last->setName("last");
    }

    Defining d;
    ILoop* loop;
    ITensor* element;
    ITensor* value;
    ITensor* sum;
    ITensor* last;
};

TEST(DebugTensors, ofALoopAreShownInEachTrip) {
    LoopToDebug n;
    for (ITensor* tensor : {n.element, n.value, n.sum, n.last}) EXPECT_TRUE(n.d.network->markDebug(*tensor));
    n.d.output(n.d.network->addUnary(*n.last, UnaryOperation::kNEG)->getOutput(0));
    Running r(*n.d.build());
    EXPECT_TRUE(n.d.messages.warnings.empty());
    for (char const* name : {"element", "value", "sum", "last"}) EXPECT_TRUE(r.engine->isDebugTensor(name)) << name;
    Shown const expected{{"element", {{1}, {2}, {3}}},
                         {"value", {{10, 20}, {11, 21}, {13, 23}}},
                         {"sum", {{11, 21}, {13, 23}, {16, 26}}},
                         {"last", {{16, 26}}}};
    EXPECT_EQ(shownIn(r, {10, 20}, {-16, -26}), expected);
    EXPECT_EQ(r.run({1, 2}, 2), (std::vector<float>{-7, -8})); // there is no listener
    Recorder recorder;
    EXPECT_TRUE(r.context->setDebugListener(&recorder));
    EXPECT_TRUE(r.context->setAllTensorsDebugState(false));
    EXPECT_TRUE(r.context->setTensorDebugState("sum", true));
    EXPECT_TRUE(r.context->getDebugState("sum"));
    EXPECT_FALSE(r.context->getDebugState("value"));
    EXPECT_EQ(r.run({10, 20}, 2), (std::vector<float>{-16, -26}));
    EXPECT_EQ(recorder.seen, (Shown{{"sum", expected.at("sum")}}));
}

TEST(DebugTensors, thatFusionLeavesOverInALoopAreNotShown) {
    LoopToDebug n;
    n.d.network->markUnfusedTensorsAsDebugTensors();
    n.d.output(n.last);
    Running r(*n.d.build());
    Recorder recorder;
    EXPECT_TRUE(r.context->setDebugListener(&recorder));
    EXPECT_TRUE(r.context->setUnfusedTensorsDebugState(true));
    EXPECT_EQ(r.run({10, 20}, 2), (std::vector<float>{16, 26}));
    EXPECT_EQ(recorder.seen, (Shown{{"y", {{16, 26}}}}));
}

TEST(DebugTensors, thatNothingOfALoopIsMadeOfAreNotShown) {
    LoopToDebug n;
    EXPECT_TRUE(n.d.network->markDebug(*n.sum));
    ITensor* unread = n.d.network->addUnary(*n.value, UnaryOperation::kNEG)->getOutput(0);
    ITensor* unreadToo = n.d.network->addUnary(*unread, UnaryOperation::kABS)->getOutput(0);
    unreadToo->setName("unread");
    EXPECT_TRUE(n.d.network->markDebug(*unreadToo));
    n.d.output(n.last);
    Running r(*n.d.build());
    ASSERT_EQ(n.d.messages.warnings.size(), 1U);
    EXPECT_EQ(n.d.messages.warnings[0],
              "unread is marked with markDebug, but no run computes it: it is in a branch that is never taken, in a "
              "loop that only computes shapes, or in a loop or branch whose outputs do not depend on it");
    EXPECT_FALSE(r.engine->isDebugTensor("unread"));
    EXPECT_FALSE(r.context->setTensorDebugState("unread", true));
    EXPECT_EQ(r.messages.lastError(), "setTensorDebugState: the engine has no debug tensor unread; there are: sum; "
                                      "mark it with INetworkDefinition::markDebug before the engine is built");
    EXPECT_EQ(shownIn(r, {10, 20}, {16, 26}), (Shown{{"sum", {{11, 21}, {13, 23}, {16, 26}}}}));
}

TEST(DebugTensors, ofAConditionalAreThoseOfTheBranchTaken) {
    Defining d;
    ITensor& x = d.input("x", {2});
    ITensor& condition = d.input("condition", {}, DataType::kBOOL);
    IIfConditional* conditional = d.network->addIfConditional();
    conditional->setCondition(condition);
    ITensor* given = conditional->addInput(x)->getOutput(0);
    ITensor* negated = d.network->addUnary(*given, UnaryOperation::kNEG)->getOutput(0);
    ITensor* kept = d.network->addUnary(*given, UnaryOperation::kABS)->getOutput(0);
    ITensor* chosen = conditional->addOutput(*negated, *kept)->getOutput(0);
    given->setName("given");
    negated->setName("negated");
    kept->setName("kept");
    chosen->setName("chosen");
    for (ITensor* tensor : {given, negated, kept, chosen}) EXPECT_TRUE(d.network->markDebug(*tensor));
    d.output(d.network->addUnary(*chosen, UnaryOperation::kNEG)->getOutput(0));
    Running r(*d.build());
    bool isTrue = true;
    EXPECT_TRUE(r.context->setTensorAddress("condition", &isTrue));
    EXPECT_EQ(shownIn(r, {1, -2}, {1, -2}),
              (Shown{{"given", {{1, -2}}}, {"negated", {{-1, 2}}}, {"chosen", {{-1, 2}}}}));
    isTrue = false;
    EXPECT_EQ(shownIn(r, {1, -2}, {-1, -2}), (Shown{{"given", {{1, -2}}}, {"kept", {{1, 2}}}, {"chosen", {{1, 2}}}}));
}

TEST(DebugTensors, areInputsConstantsAndShapeTensorsToo) {
    Defining d;
    ITensor& x = d.input("x", {-1, 2});
    d.range("x", {0, 2}, {2, 2}, {4, 2});
    ITensor& constant = d.floats({1, 2}, {3, 4});
    ITensor* folded = d.network->addUnary(constant, UnaryOperation::kNEG)->getOutput(0);
    ITensor* shape = d.network->addShape(x)->getOutput(0);
    IShuffleLayer* shuffle =
        d.network->addShuffle(*d.network->addElementWise(x, *folded, ElementWiseOperation::kSUM)->getOutput(0));
    ITensor* twice = d.network->addElementWise(*shape, *shape, ElementWiseOperation::kMAX)->getOutput(0);
    shuffle->setInput(1, *twice);
    d.output(shuffle->getOutput(0));
    constant.setName("constant");
    folded->setName("folded");
    twice->setName("twice");
    for (ITensor* tensor : {&x, &constant, folded, twice}) EXPECT_TRUE(d.network->markDebug(*tensor));
    Running r(*d.build());
    EXPECT_TRUE(d.messages.warnings.empty());
    Recorder recorder;
    EXPECT_TRUE(r.context->setDebugListener(&recorder));
    for (char const* name : {"x", "constant", "folded", "twice"})
        EXPECT_TRUE(r.context->setTensorDebugState(name, true)) << name;
    ASSERT_TRUE(r.context->setInputShape("x", Dims2{2, 2}));
    EXPECT_EQ(r.run({1, 2, 5, 6}, 4), (std::vector<float>{-2, -2, 2, 2}));
    EXPECT_EQ(recorder.seen,
              (Shown{{"x", {{1, 2, 5, 6}}}, {"constant", {{3, 4}}}, {"folded", {{-3, -4}}}, {"twice", {{2, 2}}}}));
    EXPECT_EQ(recorder.onHost, (std::set<std::string>{"twice"}));
    recorder.seen.clear();
    ASSERT_TRUE(r.context->setInputShape("x", Dims2{0, 2}));
    EXPECT_EQ(r.run({}, 0), (std::vector<float>{}));
    EXPECT_EQ(recorder.seen.at("x"), (std::vector<std::vector<double>>{{}}));
    EXPECT_EQ(recorder.seen.at("twice"), (std::vector<std::vector<double>>{{0, 2}}));
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that an application captures in a CUDA graph, with data-dependent sizes or loops. Skipped without a GPU.

#include "on_gpu.h"
#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::CapturedRun;
using test::Defining;
using test::OnGpu;
using test::Running;

using Floats = std::vector<float>;
using Integers = std::vector<int32_t>;

struct CapturedEngine : test::GpuTest {
    /// Refers to the value.
    template <class T> ITensor& constant(T const& value) {
        constexpr DataType kType = std::is_same_v<T, float> ? DataType::kFLOAT : DataType::kINT32;
        return *d.network->addConstant(Dims{0, {}}, Weights{kType, &value, 1})->getOutput(0);
    }
    ITensor& sum(ITensor& a, ITensor& b) {
        return *d.network->addElementWise(a, b, ElementWiseOperation::kSUM)->getOutput(0);
    }

    Defining d;
    CapturedRun captured;
};

TEST_F(CapturedEngine, findsNonZeroElements) {
    d.output(d.network->addNonZero(d.input("x", {6}), DataType::kINT32)->getOutput(0));
    Running r(*d.build());
    OnGpu<float> x({0, 1, 0, 0, 0, 1});
    OnGpu<int32_t> y(Integers(6, -1));
    r.context->setTensorAddress("x", x.memory.data());
    r.context->setTensorAddress("y", y.memory.data());
    ASSERT_TRUE(r.context->enqueueV3(y.stream.get())) << r.messages.lastError();
    ASSERT_TRUE(captured.capture(*r.context, y.stream)) << r.messages.lastError();
    for (int replay = 0; replay < 3; ++replay) {
        x.set({5, 0, 7, 0, 0, 9});
        y.set(Integers(6, -1));
        captured.replay(y.stream);
        EXPECT_EQ(y.fetch(), (Integers{0, 2, 5, -1, -1, -1}));
        x.set({0, 0, 0, 1, 0, 0});
        y.set(Integers(6, -1));
        captured.replay(y.stream);
        EXPECT_EQ(y.fetch(), (Integers{3, -1, -1, -1, -1, -1}));
    }
}

// 5,000 boxes in 80 classes: each second box overlaps the one before it, of the same class, with a lower score.
TEST_F(CapturedEngine, suppressesBoxesOfEachClass) {
    constexpr int64_t kBoxes = 5000;
    constexpr int64_t kClasses = 80;
    int32_t const most = 5000;
    float const overlap = 0.5F;
    float const least = 0.01F;
    INMSLayer* const nms =
        d.network->addNMS(d.input("boxes", {1, kBoxes, 4}), d.input("scores", {1, kBoxes, kClasses}), constant(most));
    nms->setInput(3, constant(overlap));
    nms->setInput(4, constant(least));
    d.output(nms->getOutput(0), "chosen");
    d.output(nms->getOutput(1), "count");

    Floats boxes;
    Floats scores(kBoxes * kClasses, 0);
    Integers expected;
    auto const classOf = [](int64_t box) { return box / 2 % kClasses; };
    for (int64_t box = 0; box < kBoxes; ++box) {
        auto const left = static_cast<float>(box / 2);
        boxes.insert(boxes.end(), {left, 0, left + 1, 1});
        scores[static_cast<size_t>(box * kClasses + classOf(box))] = 1 - static_cast<float>(box) / (2 * kBoxes);
    }
    for (int64_t c = 0; c < kClasses; ++c) {
        for (int64_t box = 0; box < kBoxes; box += 2)
            if (classOf(box) == c)
                expected.insert(expected.end(), {0, static_cast<int32_t>(c), static_cast<int32_t>(box)});
    }

    Running r(*d.build());
    OnGpu<float> where(boxes);
    OnGpu<float> nothing(Floats(scores.size(), 0));
    OnGpu<int32_t> chosen(Integers(3 * kBoxes * kClasses, -1));
    OnGpu<int32_t> count(Integers(1, -1));
    r.context->setTensorAddress("boxes", where.memory.data());
    r.context->setTensorAddress("scores", nothing.memory.data());
    r.context->setTensorAddress("chosen", chosen.memory.data());
    r.context->setTensorAddress("count", count.memory.data());
    ASSERT_GE(chosen.memory.size(), static_cast<size_t>(r.context->getMaxOutputSize("chosen")));
    ASSERT_TRUE(r.context->enqueueV3(chosen.stream.get())) << r.messages.lastError();
    ASSERT_TRUE(captured.capture(*r.context, chosen.stream)) << r.messages.lastError();
    nothing.set(scores);
    captured.replay(chosen.stream);
    EXPECT_EQ(count.fetch(), Integers{kBoxes / 2});
    Integers const rows = chosen.fetch();
    EXPECT_EQ(Integers(rows.begin(), rows.begin() + static_cast<int64_t>(expected.size())), expected);
}

// Seven trips: x, x + x, … is 128 x.
TEST_F(CapturedEngine, goesRoundALoop) {
    int32_t const seven = 7;
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(constant(seven), TripLimit::kCOUNT);
    IRecurrenceLayer* const value = loop->addRecurrence(d.input("x", {3}));
    value->setInput(1, sum(*value->getOutput(0), *value->getOutput(0)));
    d.output(loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    Running r(*d.build());
    OnGpu<float> x({0, 0, 0});
    OnGpu<float> y({0, 0, 0});
    r.context->setTensorAddress("x", x.memory.data());
    r.context->setTensorAddress("y", y.memory.data());
    ASSERT_TRUE(r.context->enqueueV3(y.stream.get())) << r.messages.lastError();
    ASSERT_TRUE(captured.capture(*r.context, y.stream)) << r.messages.lastError();
    x.set({1, -2, 0.5F});
    captured.replay(y.stream);
    EXPECT_EQ(y.fetch(), (Floats{128, -256, 64}));
}

/// A run that must wait for device results is refused, and the context works afterwards without a capture.
void expectRefused(Running& r, CapturedRun& captured, std::string const& beginning) {
    OnGpu<float> x({0, 1, 0, 0, 0, 1});
    OnGpu<float> y(Floats(6, 0));
    r.context->setTensorAddress("x", x.memory.data());
    r.context->setTensorAddress("y", y.memory.data());
    ASSERT_TRUE(r.context->enqueueV3(y.stream.get())) << r.messages.lastError();
    EXPECT_FALSE(captured.capture(*r.context, y.stream));
    EXPECT_EQ(r.messages.lastError().substr(0, beginning.size()), beginning);
    EXPECT_TRUE(r.context->enqueueV3(y.stream.get())) << r.messages.lastError();
    EXPECT_EQ(y.stream.wait(), nullptr);
}

TEST_F(CapturedEngine, ofStepsBehindASizeIsRefused) {
    INonZeroLayer* const found = d.network->addNonZero(d.input("x", {6}), DataType::kINT32);
    found->setName("found");
    ICastLayer* const cast = d.network->addCast(*found->getOutput(0), DataType::kFLOAT);
    d.output(d.network->addUnary(*cast->getOutput(0), UnaryOperation::kNEG)->getOutput(0));
    Running r(*d.build());
    expectRefused(r, captured,
                  "enqueueV3: found (NonZero): the shapes of later steps depend on its results, and a run must wait "
                  "for them; a stream that is being recorded (a CUDA graph) cannot wait: record an engine that ends "
                  "here, or run without recording");
}

TEST_F(CapturedEngine, ofALoopThatEndsByAConditionIsRefused) {
    float const hundred = 100;
    ITensor& x = d.input("x", {6});
    ILoop* const loop = d.network->addLoop();
    IRecurrenceLayer* const value = loop->addRecurrence(x);
    value->setInput(1, sum(*value->getOutput(0), sum(*value->getOutput(0), x)));
    constexpr uint32_t kFirstAxis = 1;
    ITensor& most = *d.network->addReduce(*value->getOutput(0), ReduceOperation::kMAX, kFirstAxis, false)->getOutput(0);
    ITensor& goesOn = *d.network->addElementWise(most, constant(hundred), ElementWiseOperation::kLESS)->getOutput(0);
    loop->addTripLimit(goesOn, TripLimit::kWHILE);
    loop->setName("until");
    d.output(loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    Running r(*d.build());
    expectRefused(r, captured, "enqueueV3: until (Loop): ");
    EXPECT_NE(r.messages.lastError().find("cannot be captured"), std::string::npos) << r.messages.lastError();
}

} // namespace
} // namespace tenon

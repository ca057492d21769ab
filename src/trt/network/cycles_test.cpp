// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Networks in which a layer needs its own result. A build names the layers of the cycle.

#include "base/text.h"
#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;

/// A network of scalars that is defined step by step.
struct Scalars : Defining {
    ITensor& x = input("x", {});
    float const one = 1;
    int32_t const three = 3;

    ITensor& named(ILayer* layer, char const* name) {
        layer->setName(name);
        return *layer->getOutput(0);
    }
    ITensor& tanh(ITensor& of, char const* name) {
        return named(network->addActivation(of, ActivationType::kTANH), name);
    }
    ITensor& sum(ITensor& a, ITensor& b, char const* name) {
        return named(network->addElementWise(a, b, ElementWiseOperation::kSUM), name);
    }
    ITensor& less(ITensor& a, ITensor& b, char const* name) {
        return named(network->addElementWise(a, b, ElementWiseOperation::kLESS), name);
    }
    ITensor& number() { return named(network->addConstant(Dims{0, {}}, {DataType::kINT32, &three, 1}), "three"); }
    ITensor& truth() {
        return less(x, *network->addConstant(Dims{0, {}}, {DataType::kFLOAT, &one, 1})->getOutput(0), "truth");
    }

    /// The error of the build.
    std::string errorOf(ITensor& result) {
        output(&result);
        EXPECT_EQ(builder->buildSerializedNetwork(*network, *config), nullptr);
        return messages.lastError();
    }
};

/// "if" whose branches are tanh(x) and x; its condition is not set.
struct Choice {
    IIfConditional* conditional;
    IIfConditionalInputLayer* in;
    IIfConditionalOutputLayer* out;

    Choice(Scalars& d, ITensor& value, std::string const& name) : conditional(d.network->addIfConditional()) {
        conditional->setName(name.c_str());
        in = conditional->addInput(value);
        in->setName((name + " in").c_str());
        ITensor& then = d.tanh(*in->getOutput(0), (name + " tanh").c_str());
        out = conditional->addOutput(then, value);
        out->setName((name + " out").c_str());
    }
    ITensor& result() const { return *out->getOutput(0); }
    void setCondition(ITensor& condition, std::string const& name) const {
        conditional->setCondition(condition)->setName(name.c_str());
    }
};

/// "loop" that adds 1 to a value in each iteration; it has no limit yet.
struct Count {
    ILoop* loop;
    IRecurrenceLayer* value;
    ILoopOutputLayer* last;

    Count(Scalars& d, ITensor& first, std::string const& name) : loop(d.network->addLoop()) {
        loop->setName(name.c_str());
        value = loop->addRecurrence(first);
        value->setName((name + " value").c_str());
        ITensor& one = *d.network->addConstant(Dims{0, {}}, {DataType::kFLOAT, &d.one, 1})->getOutput(0);
        value->setInput(1, d.sum(*value->getOutput(0), one, (name + " sum").c_str()));
        last = loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE);
        last->setName((name + " last").c_str());
    }
    ITensor& result() const { return *last->getOutput(0); }
    void limit(ITensor& by, TripLimit kind, char const* name = "limit") const {
        loop->addTripLimit(by, kind)->setName(name);
    }
};

constexpr char const* kPlain = "buildSerializedNetwork: the graph has a cycle through: ";
constexpr char const* kStart = "buildSerializedNetwork: the network has a cycle through: ";

TEST(Cycles, ofPlainLayersAreNamed) {
    Scalars d;
    auto* const first = d.network->addActivation(d.x, ActivationType::kTANH);
    first->setName("first");
    ITensor& second = d.tanh(*first->getOutput(0), "second");
    ITensor& after = d.tanh(second, "after");
    first->setInput(0, second);
    EXPECT_EQ(d.errorOf(after), text(kPlain, "first, second"));
}

TEST(Cycles, ofALayerThatReadsItselfAreNamed) {
    Scalars d;
    auto* const layer = d.network->addActivation(d.x, ActivationType::kTANH);
    layer->setName("alone");
    layer->setInput(0, *layer->getOutput(0));
    EXPECT_EQ(d.errorOf(*layer->getOutput(0)), text(kPlain, "alone"));
}

TEST(Cycles, fromAConditionalToItsConditionAreNamed) {
    Scalars d;
    Choice const choice(d, d.x, "choice");
    choice.setCondition(d.less(choice.result(), d.x, "less"), "condition");
    EXPECT_EQ(d.errorOf(choice.result()), text(kStart, "choice out, less, condition, choice"));
}

TEST(Cycles, fromAConditionalToWhatItsBranchesReadAreNamed) {
    Scalars d;
    Choice const choice(d, d.x, "choice");
    choice.setCondition(d.truth(), "condition");
    choice.in->setInput(0, d.tanh(choice.result(), "after"));
    EXPECT_EQ(d.errorOf(choice.result()), text(kPlain, "choice in, choice tanh, choice out, after"));
}

TEST(Cycles, throughTwoConditionalsAreNamed) {
    Scalars d;
    Choice const first(d, d.x, "first");
    Choice const second(d, first.result(), "second");
    second.setCondition(d.truth(), "second condition");
    first.setCondition(d.less(second.result(), d.x, "less"), "first condition");
    std::string const error = d.errorOf(first.result());
    EXPECT_TRUE(error.starts_with(kStart)) << error;
    for (char const* name : {"first out", "second", "second out", "less", "first condition"})
        EXPECT_NE(error.find(name), std::string::npos) << name << ": " << error;
}

TEST(Cycles, fromALoopToItsTripCountAreNamed) {
    Scalars d;
    Count const count(d, d.x, "loop");
    ITensor& trips = d.named(d.network->addCast(count.result(), DataType::kINT32), "trips");
    count.limit(trips, TripLimit::kCOUNT);
    EXPECT_EQ(d.errorOf(count.result()), text(kStart, "loop last, trips, limit, loop"));
}

TEST(Cycles, fromALoopToItsConditionAreNamed) {
    Scalars d;
    Count const count(d, d.x, "loop");
    count.limit(d.less(count.result(), d.x, "less"), TripLimit::kWHILE);
    EXPECT_EQ(d.errorOf(count.result()), text(kStart, "loop last, less, limit, loop"));
}

TEST(Cycles, fromALoopToTheFirstValueOfARecurrenceAreNamed) {
    Scalars d;
    Count const count(d, d.x, "loop");
    count.limit(d.number(), TripLimit::kCOUNT);
    count.value->setInput(0, d.tanh(count.result(), "after"));
    EXPECT_EQ(d.errorOf(count.result()), text(kPlain, "loop value, loop last, after"));
}

TEST(Cycles, fromALoopIntoItsBodyAreNamed) {
    Scalars d;
    Count const count(d, d.x, "loop");
    count.limit(d.number(), TripLimit::kCOUNT);
    count.value->setInput(1, d.sum(*count.value->getOutput(0), d.tanh(count.result(), "after"), "next"));
    std::string const error = d.errorOf(count.result());
    EXPECT_TRUE(error.starts_with(kStart)) << error;
    for (char const* name : {"loop last", "after", "next", ", loop"})
        EXPECT_NE(error.find(name), std::string::npos) << name << ": " << error;
}

TEST(Cycles, fromALoopToWhatItIteratesOverAreNamed) {
    Scalars d;
    Count const count(d, d.x, "loop");
    count.limit(d.number(), TripLimit::kCOUNT);
    ILoopOutputLayer* const all = count.loop->addLoopOutput(*count.value->getOutput(0), LoopOutput::kCONCATENATE);
    all->setName("all");
    all->setInput(1, d.number());
    IIteratorLayer* const each = count.loop->addIterator(*all->getOutput(0));
    each->setName("each");
    count.value->setInput(1, d.sum(*count.value->getOutput(0), *each->getOutput(0), "next"));
    std::string const error = d.errorOf(count.result());
    EXPECT_TRUE(error.starts_with(kStart)) << error;
    for (char const* name : {"all", "each", ", loop"})
        EXPECT_NE(error.find(name), std::string::npos) << name << ": " << error;
}

/// In the iterations of another loop.
TEST(Cycles, insideOfALoopAreNamed) {
    Scalars d;
    Count const outer(d, d.x, "outer");
    outer.limit(d.number(), TripLimit::kCOUNT);
    Count const inner(d, *outer.value->getOutput(0), "inner");
    inner.limit(d.less(inner.result(), d.x, "less"), TripLimit::kWHILE, "inner limit");
    outer.value->setInput(1, inner.result());
    EXPECT_EQ(d.errorOf(outer.result()), text(kStart, "inner last, less, inner limit, inner"));
}

TEST(Cycles, areNotWhatNestedLoopsAndChainsOfConditionalsHave) {
    Scalars d;
    Count const outer(d, d.x, "outer");
    outer.limit(d.number(), TripLimit::kCOUNT);
    Count const inner(d, *outer.value->getOutput(0), "inner");
    inner.limit(d.number(), TripLimit::kCOUNT, "inner limit");
    outer.value->setInput(1, inner.result());
    Choice const choice(d, outer.result(), "choice");
    choice.setCondition(d.less(outer.result(), d.x, "less"), "condition");
    d.output(&choice.result());
    auto const plan = d.build();
    ASSERT_NE(plan, nullptr) << d.messages.lastError();
    EXPECT_EQ(test::Running(*plan).run({2}, 1), std::vector<float>{2 + 9});
}

/// An application that queries a shape in between gets an error, and no endless recursion.
TEST(Cycles, endQuestionsAboutShapes) {
    Scalars d;
    auto* const first = d.network->addActivation(d.x, ActivationType::kTANH);
    first->setName("first");
    ITensor& second = d.tanh(*first->getOutput(0), "second");
    first->setInput(0, second);
    EXPECT_EQ(second.getDimensions().nbDims, -1);
    EXPECT_NE(d.messages.lastError().find("the graph has a cycle through: first, second"), std::string::npos)
        << d.messages.lastError();
}

} // namespace
} // namespace tenon

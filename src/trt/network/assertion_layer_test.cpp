// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;

/// Whether the first extent of x is `rows`.
ITensor& condition(Defining& d, ITensor& x, int64_t const& rows) {
    ITensor* extents = d.network->addShape(x)->getOutput(0);
    ITensor* first = d.network->addSlice(*extents, dims({0}), dims({1}), dims({1}))->getOutput(0);
    ITensor* wanted = d.network->addConstant(dims({1}), {DataType::kINT64, &rows, 1})->getOutput(0);
    return *d.network->addElementWise(*first, *wanted, ElementWiseOperation::kEQUAL)->getOutput(0);
}

TEST(AssertionLayer, letsABuildPassOrStopsIt) {
    for (int64_t const rows : {2, 3}) {
        Defining d;
        ITensor& x = d.input("x", {2, 2});
        IAssertionLayer* layer = d.network->addAssertion(condition(d, x, rows), "?");
        ASSERT_NE(layer, nullptr) << d.messages.lastError();
        EXPECT_EQ(layer->getType(), LayerType::kASSERTION);
        EXPECT_EQ(layer->getNbInputs(), 1);
        EXPECT_EQ(layer->getNbOutputs(), 0);
        EXPECT_STREQ(layer->getMessage(), "?");
        layer->setMessage("x has two rows");
        EXPECT_STREQ(layer->getMessage(), "x has two rows");
        layer->setName("check");
        d.output(d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0));
        if (rows == 2) {
            EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4}, 4), (std::vector<float>{-1, -2, -3, -4}));
        } else {
            std::unique_ptr<IHostMemory> const plan(d.builder->buildSerializedNetwork(*d.network, *d.config));
            EXPECT_EQ(plan, nullptr);
            EXPECT_NE(d.messages.lastError().find("check (Assertion): does not hold: x has two rows"),
                      std::string::npos)
                << d.messages.lastError();
        }
    }
}

TEST(AssertionLayer, needsAMessage) {
    Defining d;
    ITensor& x = d.input("x", {2});
    int64_t const rows = 2;
    EXPECT_EQ(d.network->addAssertion(condition(d, x, rows), nullptr), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addAssertion: message is null");
}

} // namespace
} // namespace tenon

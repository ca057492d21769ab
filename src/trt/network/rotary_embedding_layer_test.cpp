// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// IRotaryEmbeddingLayer. Expected values are worked out by hand: the angles are quarters of a turn.

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;

Floats compute(Defining& d, IRotaryEmbeddingLayer& layer, Floats const& x) {
    d.output(layer.getOutput(0));
    return Running(*d.build()).run(x, x.size());
}

TEST(RotaryEmbeddingLayer, readsATableByPositions) { // [1,1,2,2], a quarter of a turn at position 1
    Defining d;
    IRotaryEmbeddingLayer* layer = d.network->addRotaryEmbedding(d.input("x", {1, 1, 2, 2}), d.floats({2, 1}, {1, 0}),
                                                                 d.floats({2, 1}, {0, 1}), false, 0);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kROTARY_EMBEDDING);
    layer->setInput(3, d.integers({1, 2}, {0, 1}));
    EXPECT_EQ(layer->getNbInputs(), 4);
    EXPECT_EQ(compute(d, *layer, {1, 2, 3, 4}), (Floats{1, 2, -4, 3}));
}

TEST(RotaryEmbeddingLayer, readsCosinesOfEachToken) { // [1,1,1,5], two of the five elements
    Defining d;
    IRotaryEmbeddingLayer* layer = d.network->addRotaryEmbedding(
        d.input("x", {1, 1, 1, 5}), d.floats({1, 1, 2}, {0, -1}), d.floats({1, 1, 2}, {1, 0}), false, 2);
    EXPECT_FALSE(layer->getInterleaved());
    EXPECT_EQ(layer->getRotaryEmbeddingDim(), 2);
    layer->setInterleaved(true);
    EXPECT_TRUE(layer->getInterleaved());
    EXPECT_TRUE(layer->setRotaryEmbeddingDim(4));
    EXPECT_EQ(layer->getRotaryEmbeddingDim(), 4);
    EXPECT_EQ(compute(d, *layer, {1, 2, 3, 4, 5}), (Floats{-2, 1, -3, -4, 5}));
}

TEST(RotaryEmbeddingLayer, refusesAnOddNumberOfElements) {
    Defining d;
    ITensor& table = d.floats({1, 1, 2}, {0, 0});
    ITensor& x = d.input("x", {1, 1, 1, 5});
    EXPECT_EQ(d.network->addRotaryEmbedding(x, table, table, false, -2), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addRotaryEmbedding: rotates -2 elements; expected an even number, or 0 for all");
    IRotaryEmbeddingLayer* layer = d.network->addRotaryEmbedding(x, table, table, false, 4);
    layer->setName("rope");
    EXPECT_FALSE(layer->setRotaryEmbeddingDim(3));
    EXPECT_EQ(d.messages.lastError(),
              "setRotaryEmbeddingDim: rope (RotaryEmbedding): rotates 3 elements; expected an even "
              "number, or 0 for all");
}

} // namespace
} // namespace tenon

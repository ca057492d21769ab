// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// IRotaryEmbeddingLayer. Expected values are worked out by hand: the angles are quarters of a turn.

#include "support/api.h"

#include <deque>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;
using test::weights;

using Floats = std::vector<float>;

/// Weights are not copied, so the values are kept until the program ends.
ITensor& constant(Defining& d, std::vector<int64_t> const& shape, Floats const& values) {
    static std::deque<Floats> kept;
    kept.push_back(values);
    return *d.network->addConstant(dims(shape), weights(kept.back()))->getOutput(0);
}

ITensor& positions(Defining& d, std::vector<int64_t> const& shape, std::vector<int32_t> const& values) {
    static std::deque<std::vector<int32_t>> kept;
    kept.push_back(values);
    Weights const w{DataType::kINT32, kept.back().data(), static_cast<int64_t>(values.size())};
    return *d.network->addConstant(dims(shape), w)->getOutput(0);
}

Floats compute(Defining& d, IRotaryEmbeddingLayer& layer, Floats const& x) {
    d.output(layer.getOutput(0));
    return Running(*d.build()).run(x, x.size());
}

TEST(RotaryEmbeddingLayer, readsATableByPositions) { // [1,1,2,2], a quarter of a turn at position 1
    Defining d;
    IRotaryEmbeddingLayer* layer = d.network->addRotaryEmbedding(
        d.input("x", {1, 1, 2, 2}), constant(d, {2, 1}, {1, 0}), constant(d, {2, 1}, {0, 1}), false, 0);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kROTARY_EMBEDDING);
    layer->setInput(3, positions(d, {1, 2}, {0, 1}));
    EXPECT_EQ(layer->getNbInputs(), 4);
    EXPECT_EQ(compute(d, *layer, {1, 2, 3, 4}), (Floats{1, 2, -4, 3}));
}

TEST(RotaryEmbeddingLayer, readsCosinesOfEachToken) { // [1,1,1,5], two of the five elements
    Defining d;
    IRotaryEmbeddingLayer* layer = d.network->addRotaryEmbedding(
        d.input("x", {1, 1, 1, 5}), constant(d, {1, 1, 2}, {0, -1}), constant(d, {1, 1, 2}, {1, 0}), false, 2);
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
    ITensor& table = constant(d, {1, 1, 2}, {0, 0});
    ITensor& x = d.input("x", {1, 1, 1, 5});
    EXPECT_EQ(d.network->addRotaryEmbedding(x, table, table, false, -2), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addRotaryEmbedding: turns -2 elements; expected an even number, or 0 for all");
    IRotaryEmbeddingLayer* layer = d.network->addRotaryEmbedding(x, table, table, false, 4);
    layer->setName("rope");
    EXPECT_FALSE(layer->setRotaryEmbeddingDim(3));
    EXPECT_EQ(d.messages.lastError(),
              "setRotaryEmbeddingDim: rope (RotaryEmbedding): turns 3 elements; expected an even "
              "number, or 0 for all");
}

} // namespace
} // namespace tenon

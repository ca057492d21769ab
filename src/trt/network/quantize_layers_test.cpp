// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// IQuantizeLayer, IDequantizeLayer, IDynamicQuantizeLayer. Expected values: round(x / scale) * scale, by hand.

#include "support/api.h"

#include <cmath>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

Floats compute(Defining& d, ILayer& layer, Floats const& x) {
    d.output(layer.getOutput(0));
    return Running(*d.build()).run(x, x.size());
}

TEST(QuantizeLayer, roundsToIntegersOf8Bits) {
    Defining d;
    ITensor& scale = d.floats({}, {0.5F});
    IQuantizeLayer* q = d.network->addQuantize(d.input("x", {4}), scale, DataType::kINT8);
    EXPECT_EQ(q->getType(), LayerType::kQUANTIZE);
    EXPECT_EQ(q->getAxis(), -1);
    EXPECT_EQ(q->getToType(), DataType::kINT8);
    EXPECT_EQ(q->getOutput(0)->getType(), DataType::kINT8);
    IDequantizeLayer* dq = d.network->addDequantize(*q->getOutput(0), scale, DataType::kFLOAT);
    EXPECT_EQ(dq->getType(), LayerType::kDEQUANTIZE);
    EXPECT_EQ(dq->getToType(), DataType::kFLOAT);
    EXPECT_EQ(compute(d, *dq, {0.3F, 0.25F, -100, 0.75F}), (Floats{0.5F, 0, -64, 1}));
}

/// Parsers pass it so.
TEST(QuantizeLayer, takesAZeroPointOfFloats) {
    Defining d;
    ITensor& scale = d.floats({}, {0.5F});
    ITensor& zero = d.floats({}, {0});
    IQuantizeLayer* q = d.network->addQuantize(d.input("x", {4}), scale, DataType::kINT8);
    q->setInput(2, zero);
    IDequantizeLayer* dq = d.network->addDequantize(*q->getOutput(0), scale, DataType::kFLOAT);
    dq->setInput(2, zero);
    EXPECT_EQ(compute(d, *dq, {0.3F, 0.25F, -100, 0.75F}), (Floats{0.5F, 0, -64, 1}));
}

TEST(QuantizeLayer, refusesAZeroPointOfFloatsThatIsNotZero) {
    Defining d;
    IQuantizeLayer* q = d.network->addQuantize(d.input("x", {4}), d.floats({}, {0.5F}), DataType::kINT8);
    q->setName("q");
    q->setInput(2, d.floats({}, {1}));
    d.output(q->getOutput(0));
    EXPECT_EQ(d.network->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_NE(d.messages.lastError().find("input 2, the zero point, is float32; expected int8 as the output"),
              std::string::npos)
        << d.messages.lastError();
}

TEST(QuantizeLayer, hasScalesForEachChannelOfAnAxisThatIsSetLater) {
    Defining d;
    ITensor& scale = d.floats({2}, {1, 2});
    IQuantizeLayer* q = d.network->addQuantize(d.input("x", {2, 3}), scale, DataType::kINT8);
    q->setAxis(0);
    EXPECT_EQ(q->getAxis(), 0);
    IDequantizeLayer* dq = d.network->addDequantize(*q->getOutput(0), scale, DataType::kFLOAT);
    dq->setAxis(0);
    EXPECT_EQ(dq->getAxis(), 0);
    EXPECT_EQ(compute(d, *dq, {1.4F, 2, 3, 1.4F, 2, 3.1F}), (Floats{1, 2, 3, 2, 2, 4}));
}

TEST(QuantizeLayer, roundsToTypesOf8And4BitsInBlocks) {
    for (DataType const type : {DataType::kFP8, DataType::kINT4, DataType::kFP4}) {
        Defining d;
        ITensor& scale = d.floats({1, 2}, {1, 2});
        IQuantizeLayer* q = d.network->addQuantize(d.input("x", {1, 4}), scale, DataType::kINT8);
        q->setToType(type);
        EXPECT_TRUE(q->setBlockShape(dims({1, 2})));
        EXPECT_EQ(extents(q->getBlockShape()), (Extents{1, 2}));
        EXPECT_EQ(q->getOutput(0)->getType(), type);
        IDequantizeLayer* dq = d.network->addDequantize(*q->getOutput(0), scale, DataType::kFLOAT);
        EXPECT_EQ(dq->getBlockShape().nbDims, -1);
        EXPECT_EQ(compute(d, *dq, {1.1F, -2, 6, 1e6F}), type == DataType::kFP8    ? (Floats{1.125F, -2, 6, 896})
                                                        : type == DataType::kINT4 ? (Floats{1, -2, 6, 14})
                                                                                  : (Floats{1, -2, 6, 12}));
    }
}

TEST(QuantizeLayer, saysWhatDoesNotFit) {
    Defining d;
    IQuantizeLayer* q = d.network->addQuantize(d.input("x", {1, 4}), d.floats({}, {1}), DataType::kINT8);
    EXPECT_FALSE(q->setBlockShape(dims({2})));
    EXPECT_EQ(d.messages.lastError(),
              "setBlockShape: Quantize_1 (Quantize): a block [2] of 1 dimensions; expected 2, as "
              "the input has");
}

TEST(QuantizeLayer, saysWhereScalesDoNotFit) {
    Defining d;
    ITensor& x = d.input("x", {2, 3});
    ITensor& two = d.floats({2}, {1, 2});
    EXPECT_EQ(d.network->addQuantize(x, d.floats({4}, {1, 2, 3, 4}), DataType::kINT8), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addQuantize: there are 4 scales for an input [2,3]; expected 1, or the extent of one of its axes");
    IQuantizeLayer* q = d.network->addQuantize(x, two, DataType::kINT8);
    q->setName("q");
    q->setAxis(1);
    EXPECT_EQ(d.messages.lastError(), "setAxis: q (Quantize): input 1 has 2 elements for axis 1 of input 0 [2,3]; "
                                      "expected 3, or 1");
    q->setAxis(5);
    EXPECT_TRUE(d.messages.lastError().starts_with("setAxis: q (Quantize): ")) << d.messages.lastError();
    size_t const errors = d.messages.errors.size();
    q->setAxis(0);
    EXPECT_NE(d.network->addDequantize(*q->getOutput(0), two, DataType::kFLOAT), nullptr); // whose axis is set later
    EXPECT_EQ(d.messages.errors.size(), errors);
}

TEST(QuantizeLayer, refusesScalesThatAreNotFinite) {
    std::pair<float, char const*> const cases[]{
        {NAN, "q (Quantize): input 1, the scale, is nan at element 2; expected finite numbers"},
        {-INFINITY, "q (Quantize): input 1, the scale, is -inf at element 2; expected finite numbers"}};
    for (auto const& [value, text] : cases) {
        Defining d;
        ITensor& scale = d.floats({3}, {1, -2, value});
        IQuantizeLayer* q = d.network->addQuantize(d.input("x", {2, 3}), scale, DataType::kINT8);
        q->setName("q");
        d.output(q->getOutput(0));
        std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
        EXPECT_EQ(file, nullptr);
        EXPECT_NE(d.messages.lastError().find(text), std::string::npos) << d.messages.lastError();
    }
}

TEST(DequantizeLayer, refusesRealNumbers) {
    Defining d;
    ITensor& one = d.floats({}, {1});
    EXPECT_EQ(d.network->addDequantize(d.input("x", {4}), one, DataType::kFLOAT), nullptr);
    std::string const what =
        "; expected integers of 8, 4 or 32 bits, float8 or float4; addQuantize converts floating point to these";
    EXPECT_EQ(d.messages.lastError(), "addDequantize: input 0, x, is float32" + what);
    IDequantizeLayer* layer = d.network->addDequantize(d.input("q", {4}, DataType::kINT8), one, DataType::kFLOAT);
    layer->setName("layer");
    layer->setInput(0, d.input("h", {4}, DataType::kHALF));
    EXPECT_EQ(d.messages.lastError(), "ILayer::setInput: layer (Dequantize): input 0, h, is float16" + what);
    EXPECT_EQ(layer->getInput(0)->getType(), DataType::kINT8);
}

TEST(DynamicQuantizeLayer, findsItsScales) {
    Defining d;
    IDynamicQuantizeLayer* layer =
        d.network->addDynamicQuantize(d.input("x", {2, 4}), 1, 2, DataType::kFP4, DataType::kFP8);
    EXPECT_EQ(layer->getType(), LayerType::kDYNAMIC_QUANTIZE);
    EXPECT_EQ(layer->getAxis(), 1);
    EXPECT_EQ(layer->getBlockSize(), 2);
    EXPECT_EQ(layer->getToType(), DataType::kFP4);
    EXPECT_EQ(layer->getScaleType(), DataType::kFP8);
    EXPECT_EQ(layer->getNbOutputs(), 2);
    EXPECT_EQ(extents(layer->getOutput(1)->getDimensions()), (Extents{2, 2}));
    ITensor& one = d.floats({}, {1});
    ITensor& scales = *d.network->addDequantize(*layer->getOutput(1), one, DataType::kFLOAT)->getOutput(0);
    IDequantizeLayer* dq = d.network->addDequantize(*layer->getOutput(0), scales, DataType::kFLOAT);
    EXPECT_EQ(compute(d, *dq, {6, 2.9F, 12, 4, 0, 0, -24, 4}), (Floats{6, 3, 12, 4, 0, 0, -24, 4}));
}

TEST(DynamicQuantizeLayer, takesBlocksOfAnyShape) {
    Defining d;
    IDynamicQuantizeLayer* layer =
        d.network->addDynamicQuantizeV2(d.input("x", {2, 2}), dims({2, 2}), DataType::kFP8, DataType::kE8M0);
    EXPECT_EQ(extents(layer->getBlockShape()), (Extents{2, 2}));
    EXPECT_EQ(layer->getOutput(1)->getType(), DataType::kE8M0);
    IDequantizeLayer* dq = d.network->addDequantize(*layer->getOutput(0), *layer->getOutput(1), DataType::kFLOAT);
    EXPECT_EQ(compute(d, *dq, {896, 2, -3, 0.5F}), (Floats{896, 2, -3, 0.5F}));
    layer->setBlockShape(dims({1, 2}));
    layer->setToType(DataType::kFP4);
    layer->setScaleType(DataType::kFLOAT);
    layer->setAxis(0);
    layer->setBlockSize(8);
    EXPECT_EQ(extents(layer->getOutput(1)->getDimensions()), (Extents{2, 1}));
}

} // namespace
} // namespace tenon

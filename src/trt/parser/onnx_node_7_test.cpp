// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// tenon/onnx_node.h in a program of level 7.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "tenon/onnx_node.h"
#include "trt/edge/older_program.inc"

namespace {

constexpr uint32_t kExplicitBatch = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);

TEST(AddOnnxNodeAtLevel7, addsAnOperatorToANetworkWithExplicitBatch) {
    Errors errors;
    Owned<IBuilder> const builder(createInferBuilder(errors));
    Owned<INetworkDefinition> const network(builder->createNetworkV2(kExplicitBatch));
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims4{1, 8, 2, 2});
    auto const y = tenon::addOnnxNode(*network, "DepthToSpace", {x}, tenon::OnnxAttributes().integer("blocksize", 2));
    ASSERT_EQ(y.size(), 1U);
    EXPECT_EQ(listOf(y[0]->getDimensions()), (std::vector<int64_t>{1, 2, 4, 4}));
    EXPECT_EQ(network->getLayer(network->getNbLayers() - 1)->getOutput(0), y[0]);
}

TEST(AddOnnxNodeAtLevel7, refusesANetworkWithImplicitBatch) {
    Errors errors;
    Owned<IBuilder> const builder(createInferBuilder(errors));
    Owned<INetworkDefinition> const network(builder->createNetworkV2(0));
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims3{8, 2, 2});
    try {
        tenon::addOnnxNode(*network, tenon::OnnxOperator("Relu").named("r"), {x});
        FAIL() << "expected an exception";
    } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "r (Relu): the network has an implicit batch; ONNX operators require all axes; "
                                   "create the network with kEXPLICIT_BATCH");
    }
    EXPECT_EQ(network->getNbLayers(), 0);
    EXPECT_EQ(errors.last, "");
}

} // namespace

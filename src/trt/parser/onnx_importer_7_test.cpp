// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// tenon/onnx.h in a program of level 7.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "tenon/onnx.h"

#include "NvOnnxParser.h"
#include "trt/edge/older_program.inc"

namespace {

using Outputs = std::vector<ITensor*>;

// y = x + delta, of opset 2 of com.example
char const* const kModel = R"(
ir_version: 8
graph {
  name: "g"
  node { input: "x" input: "delta" output: "y" op_type: "Plus" domain: "com.example" name: "plus" }
  initializer { dims: 1 dims: 2 data_type: 1 float_data: 10 float_data: 20 name: "delta" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
opset_import { version: 13 }
opset_import { domain: "com.example" version: 2 }
)";

Outputs addPlus(tenon::OnnxModelNode const& node, INetworkDefinition& network) {
    tenon::OnnxTensor const delta = node.constant(1);
    ITensor* const constant = network.addConstant(delta.dims(), delta.weights())->getOutput(0);
    return {network.addElementWise(node.input(0), *constant, ElementWiseOperation::kSUM)->getOutput(0)};
}

class OnnxImporterAtLevel7 : public OlderProgram {
protected:
    bool parse(uint32_t flags) {
        network.reset(builder->createNetworkV2(flags));
        parser.reset(nvonnxparser::createParser(*network, errors));
        return parser->parse(kModel, std::char_traits<char>::length(kModel));
    }

    static constexpr uint32_t kExplicitBatch = 1U
                                               << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
    Owned<nvonnxparser::IParser> parser;
};

TEST_F(OnnxImporterAtLevel7, addsTheLayersOfANode) {
    tenon::OnnxImporter const mine("Plus", "com.example", {1, 3}, addPlus);
    ASSERT_TRUE(parse(kExplicitBatch)) << errors.last;
    ASSERT_TRUE(finishAll({network->getOutput(0)}, 1)) << errors.last;
    EXPECT_EQ(runAll(1, {{1, 2}}), (std::vector<Values>{{11, 22}}));
}

TEST_F(OnnxImporterAtLevel7, refusesANetworkWithImplicitBatch) {
    tenon::OnnxImporter const mine("Plus", "com.example", {1, 3}, addPlus);
    EXPECT_FALSE(parse(0));
    ASSERT_EQ(parser->getNbErrors(), 1);
    EXPECT_STREQ(parser->getError(0)->desc(),
                 "plus (Plus, domain com.example, opset 2, node 0): the network has an implicit batch; importers "
                 "(trt_test) require all axes; create the network with kEXPLICIT_BATCH");
}

} // namespace

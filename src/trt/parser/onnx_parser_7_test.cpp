// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What only parsers of level 7 have.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "NvOnnxConfig.h"
#include "NvOnnxParser.h"
#include "NvOnnxParserRuntime.h"
#include <bit>

#include "trt/edge/older_program.inc"

/// As onnxifi.h has it: NvOnnxParser.h only declares it.
class onnxTensorDescriptorV1 {
public:
    int32_t tag;
    char const* name;
    uint64_t dataType;
    uint64_t memoryType;
    uint32_t dimensions;
    uint64_t const* shape;
    uint64_t buffer;
};

namespace {

/// As in samples of that time, which derive from the class: their overrides have no noexcept.
class OwnConfig final : public nvonnxparser::IOnnxConfig {
public:
    void setModelDtype(DataType const type) override { type_ = type; }
    DataType getModelDtype() const override { return type_; }
    char const* getModelFileName() const override { return "own.onnx"; }
    void setModelFileName(char const*) override {}
    Verbosity getVerbosityLevel() const override { return verbosity_; }
    void addVerbosity() override { ++verbosity_; }
    void reduceVerbosity() override { --verbosity_; }
    void setVerbosityLevel(Verbosity verbosity) override { verbosity_ = verbosity; }
    char const* getTextFileName() const override { return nullptr; }
    void setTextFileName(char const*) override {}
    char const* getFullTextFileName() const override { return nullptr; }
    void setFullTextFileName(char const*) override {}
    bool getPrintLayerInfo() const override { return false; }
    void setPrintLayerInfo(bool) override {}
    void destroy() override { delete this; }

private:
    DataType type_ = DataType::kFLOAT;
    Verbosity verbosity_ = 0;
};

TEST(OnnxParserOfLevel7, hasSettingsThatProgramsDeriveFrom) {
    nvonnxparser::IOnnxConfig* const config = new OwnConfig;
    config->addVerbosity();
    EXPECT_EQ(config->getVerbosityLevel(), 1);
    EXPECT_STREQ(config->getModelFileName(), "own.onnx");
    config->destroy();
}

TEST(OnnxParserOfLevel7, refusesWhatIsNoModel) {
    Errors errors;
    Owned<IBuilder> const builder(createInferBuilder(errors));
    uint32_t const explicitBatch = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
    Owned<INetworkDefinition> const network(builder->createNetworkV2(explicitBatch));
    Owned<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, errors));
    EXPECT_FALSE(parser->parseWithWeightDescriptors("model", 5, 0, nullptr)); // which is not a model
    EXPECT_EQ(parser->getNbErrors(), 1);
    EXPECT_EQ(parser->getRefitMap(nullptr, nullptr, nullptr), 0); // nothing was read
}

TEST(OnnxParserOfLevel7, hasAFactoryThatKnowsNoPlugin) {
    Errors errors;
    nvonnxparser::IPluginFactory* const factory = nvonnxparser::createPluginFactory(errors);
    ASSERT_NE(factory, nullptr);
    EXPECT_EQ(factory->createPlugin("relu", nullptr, 0), nullptr);
    EXPECT_EQ(errors.last, "nvonnxparser::IPluginFactory::createPlugin: layer relu: the parser adds no plugins of its "
                           "own; use the factory that knows this one");
    factory->destroy();
}

// y = ids + 40000 · 100000, a sum that exceeds 32 bits, / 100000
char const* const kInt64 = R"(
ir_version: 7
graph {
  name: "g"
  node { input: "ids" input: "many" output: "sum" op_type: "Add" }
  node { input: "sum" input: "some" output: "y" op_type: "Div" }
  initializer { name: "many" data_type: 7 int64_data: 4000000000 }
  initializer { name: "some" data_type: 7 int64_data: 100000 }
  input { name: "ids" type { tensor_type { elem_type: 7 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 7 } } }
}
opset_import { version: 14 }
)";

class WithInt64 : public OlderProgram {};

/// These applications have no 64-bit DataType. Internally, the model computes in its types.
TEST_F(WithInt64, hasInputsAndOutputsOf32Bits) {
    network.reset(
        builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH)));
    Owned<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, errors));
    ASSERT_TRUE(parser->parse(kInt64, std::char_traits<char>::length(kInt64))) << errors.last;
    EXPECT_STREQ(network->getInput(0)->getName(), "ids");
    EXPECT_EQ(network->getInput(0)->getType(), DataType::kINT32);
    ITensor* const y = network->getOutput(0);
    EXPECT_STREQ(y->getName(), "y");
    EXPECT_EQ(y->getType(), DataType::kINT32);
    network->unmarkOutput(*y);
    ASSERT_TRUE(finishAll({y}, 1)) << errors.last;
    auto const bits = [](int32_t number) { return std::bit_cast<float>(number); };
    auto const results = runAll(1, {{bits(700000), bits(-1000000)}});
    EXPECT_EQ(std::bit_cast<int32_t>(results[0][0]), 40007);
    EXPECT_EQ(std::bit_cast<int32_t>(results[0][1]), 39990);
}

// y = x + w; w is an input that descriptors turn into weights
char const* const kSum = R"(
ir_version: 3
graph {
  name: "g"
  node { input: "x" input: "w" output: "y" op_type: "Add" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  input { name: "w" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
opset_import { version: 7 }
)";

class WithWeights : public OlderProgram {
protected:
    WithWeights() {
        network.reset(
            builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH)));
        parser.reset(nvonnxparser::createParser(*network, errors));
    }
    bool parse(onnxTensorDescriptorV1 const* weights, uint32_t count = 1) {
        return parser->parseWithWeightDescriptors(kSum, std::char_traits<char>::length(kSum), count, weights);
    }
    /// The parser's error for weights, without "IParser::parseWithWeightDescriptors: ".
    std::string errorOf(onnxTensorDescriptorV1 const& weights) {
        EXPECT_FALSE(parse(&weights));
        return parser->getNbErrors() > 0 ? parser->getError(0)->desc() : errors.last;
    }

    Owned<nvonnxparser::IParser> parser;
    float values[2] = {10, 20};
    uint64_t shape[1] = {2};
    onnxTensorDescriptorV1 weights{0x43DFBF69, "w", 1, 0, 1, shape, reinterpret_cast<uint64_t>(values)};
};

TEST_F(WithWeights, readsAModelWithThem) {
    ASSERT_TRUE(parse(&weights)) << errors.last;
    ASSERT_EQ(network->getNbInputs(), 1);
    values[0] = 0; // it has a copy
    ASSERT_TRUE(finishAll({network->getOutput(0)}, 1)) << errors.last;
    EXPECT_EQ(runAll(1, {{1, 2}}), (std::vector<Values>{{11, 22}}));
}

TEST_F(WithWeights, readsAModelWithoutAnyAsItIs) {
    ASSERT_TRUE(parse(nullptr, 0)) << errors.last;
    EXPECT_EQ(network->getNbInputs(), 2);
}

TEST_F(WithWeights, saysWhatIsWrongWithThem) {
    EXPECT_FALSE(parse(nullptr));
    EXPECT_EQ(errors.last, "IParser::parseWithWeightDescriptors: 1 weights at address null");
    auto const with = [&](auto member, auto value) {
        onnxTensorDescriptorV1 changed = weights;
        changed.*member = value;
        return errorOf(changed);
    };
    EXPECT_EQ(with(&onnxTensorDescriptorV1::tag, 7),
              "weights 0 have the tag 7; expected 1138737001, of onnxTensorDescriptorV1");
    EXPECT_EQ(with(&onnxTensorDescriptorV1::name, nullptr), "the name of weights is null");
    EXPECT_EQ(with(&onnxTensorDescriptorV1::name, "v"), "weights 'v': are not an input or initializer of the model");
    EXPECT_EQ(with(&onnxTensorDescriptorV1::memoryType, 1U),
              "weights 'w': are in memory of type 1; expected 0, the CPU's");
    EXPECT_EQ(with(&onnxTensorDescriptorV1::dataType, 99U), "weights 'w': are of element type 99, which is not known");
    EXPECT_EQ(with(&onnxTensorDescriptorV1::shape, nullptr), "weights 'w': have a shape at address null");
    EXPECT_EQ(with(&onnxTensorDescriptorV1::buffer, 0U), "weights 'w': have their values at address null");
}

} // namespace

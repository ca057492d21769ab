// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What only parsers of level 7 have.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "NvOnnxParser.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace nvinfer1;

class Errors final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text;
    }
    std::string last;
};

struct Destroy {
    template <class T> void operator()(T* object) const { object->destroy(); }
};
template <class T> using Owned = std::unique_ptr<T, Destroy>;

TEST(OnnxParserOfLevel7, saysWhatItDoesNotTake) {
    Errors errors;
    Owned<IBuilder> const builder(createInferBuilder(errors));
    uint32_t const explicitBatch = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
    Owned<INetworkDefinition> const network(builder->createNetworkV2(explicitBatch));
    Owned<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, errors));
    EXPECT_FALSE(parser->parseWithWeightDescriptors("model", 5, 1, nullptr));
    EXPECT_EQ(errors.last, "IParser::parseWithWeightDescriptors: not supported: weights in place of the model's; write "
                           "them into the model");
    EXPECT_FALSE(parser->parseWithWeightDescriptors("model", 5, 0, nullptr)); // which is no model
    EXPECT_EQ(parser->getNbErrors(), 1);
    EXPECT_EQ(parser->getRefitMap(nullptr, nullptr, nullptr), 0);
    EXPECT_EQ(errors.last, "IParser::getRefitMap: not supported: refitting engines; build anew with the other weights");
}

} // namespace

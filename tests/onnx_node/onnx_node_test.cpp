// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ONNX's own tests of its operators and of small models: tools/make_onnx_cases.py wrote them to data/.

#include "onnx/parse.h"
#include "onnx/tensor_reader.h"
#include "support/layer_case.h"
#include "support/onnx_cases.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"
#include "support/run_graph.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tenon {
namespace {

using Case = test::OnnxCase;
using test::readOnnxCases;

std::vector<Literal> literals(proto::GraphProto const& tensors) {
    onnx::TensorReader const reader("", {});
    std::vector<Literal> all;
    for (auto const& written : tensors.initializer()) {
        auto const tensor = test::asRead<onnx::pb::TensorProto>(written);
        all.push_back(reader.literal(*tensor, tensor));
    }
    return all;
}

TEST(OnnxNodeCases, areThere) { EXPECT_GT(readOnnxCases().size(), 400U); }

/// With one wrong bit a model is another model, or invalid: no crash, and every error is a named one.
TEST(OnnxNodeCases, areReadOrRefusedWhenDamaged) {
    uint32_t random = 1;
    for (Case const& one : readOnnxCases()) {
        std::string const whole = one.model->SerializeAsString();
        for (int flip = 0; flip < 50; ++flip) {
            random = random * 1664525U + 1013904223U;
            size_t const bit = random % (whole.size() * 8);
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            Graph graph;
            for (auto const& error : onnx::parse(test::asBytes(damaged), graph).errors) EXPECT_NE(error.text, "");
        }
    }
}

/// Some of ONNX's expected values are rounded to four digits; those of 16 bits depend on the order of sums, by up to
/// one unit in the last place.
double toleranceOf(DataType type) {
    if (type == DataType::BFloat16) return 8e-3;
    return bitsOf(type) == 16 ? 2e-3 : 1e-4;
}

/// Implementations draw different random numbers; ONNX's own tests compare types and shapes.
bool isRandom(proto::ModelProto const& model) {
    return std::ranges::any_of(model.graph().node(), [](auto const& node) {
        return node.op_type().starts_with("Random") || node.op_type() == "Bernoulli";
    });
}

void expectSameKind(Literal const& found, Literal const& expected) {
    EXPECT_EQ(nameOf(found.type()), nameOf(expected.type()));
    EXPECT_EQ(text(found.dims()), text(expected.dims()));
}

/// Makes fed integers of rank 0 and 1 constants, except the first input. Returns whether there are any.
bool moveListsToInitializers(proto::ModelProto& model) {
    auto& inputs = *model.mutable_graph()->mutable_input();
    auto& fed = *model.mutable_training_info(0)->mutable_initialization()->mutable_initializer();
    bool any = false;
    for (int i = fed.size() - 1; i > 0; --i) {
        auto const type = fed[i].data_type();
        bool const isInteger = type == proto::TensorProto::INT64 || type == proto::TensorProto::INT32;
        if (!isInteger || fed[i].dims_size() > 1) continue;
        *model.mutable_graph()->add_initializer() = fed[i];
        inputs.erase(std::ranges::find(inputs, fed[i].name(), &proto::ValueInfoProto::name));
        fed.erase(fed.begin() + i);
        any = true;
    }
    return any;
}

class OnnxNode : public testing::TestWithParam<Case> {
protected:
    using Run = std::function<std::vector<Literal>(Graph const& graph, std::vector<Literal> const& inputs)>;

    static void expect(Run const& run) { expect(*GetParam().model, run); }

    static void expect(proto::ModelProto const& model, Run const& run) {
        auto const& data = model.training_info(0);
        Graph graph;
        auto const parsed = onnx::parse(test::asBytes(model.SerializeAsString()), graph);
        for (auto const& error : parsed.errors) ADD_FAILURE() << error.text;
        if (!parsed) return;
        auto const found = run(graph, literals(data.initialization()));
        auto const expected = literals(data.algorithm());
        ASSERT_EQ(found.size(), expected.size());
        if (isRandom(model)) return expectSameKind(found.at(0), expected.at(0));
        for (size_t i = 0; i < expected.size(); ++i)
            test::expectClose(found[i], expected[i], toleranceOf(expected[i].type()), text("output ", i));
    }
};

TEST_P(OnnxNode, isComputedByTheReference) { expect(test::runGraph); }

TEST_P(OnnxNode, isComputedByTheEngine) {
    expect([](Graph const& graph, auto const& inputs) { return test::runEngine(graph, inputs); });
}

/// As in most models: axes, lengths and the like are constants.
TEST_P(OnnxNode, isComputedWithConstantLists) {
    proto::ModelProto model = *GetParam().model;
    if (!moveListsToInitializers(model)) return; // it has none
    expect(model, [](Graph const& graph, auto const& inputs) { return test::runEngine(graph, inputs); });
}

INSTANTIATE_TEST_SUITE_P(Cases, OnnxNode, testing::ValuesIn(readOnnxCases()),
                         [](auto const& info) { return info.param.name(); });

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvOnnxParser.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "support/onnx_model.h"
#include "tenon/onnx.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using nvonnxparser::IParserRefitter;
using test::Defining;
using test::OnnxModel;
using test::Running;

using Floats = std::vector<float>;

/// x [1,2] → Gemm → BatchNormalization (mean 0, variance 1 - epsilon): (x · w + b) · scale + 1
OnnxModel model(Floats const& w, Floats const& b, Floats const& scale) {
    OnnxModel model;
    model.input("x", {1, 2});
    model.floats("w", {2, 2}, w);
    model.floats("b", {2}, b);
    model.floats("scale", {2}, scale);
    model.floats("one", {2}, {1, 1});
    model.floats("zero", {2}, {0, 0});
    model.node("Gemm", {"x", "w", "b"}, {"h"}, "gemm");
    auto& norm = model.node("BatchNormalization", {"h", "scale", "one", "zero", "one"}, {"y"}, "norm");
    test::attribute(norm, "epsilon", proto::AttributeProto::FLOAT).set_f(0);
    model.output("y");
    return model;
}

struct Refitting {
    explicit Refitting(OnnxModel const& first, BuilderFlag flag = BuilderFlag::kREFIT) {
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
        std::string const bytes = first.bytes();
        EXPECT_TRUE(parser->parse(bytes.data(), bytes.size()));
        d.config->setFlag(flag);
        auto const file = d.build();
        runtime.reset(createInferRuntime(messages));
        engine.reset(runtime->deserializeCudaEngine(file->data(), file->size()));
        refitter.reset(createInferRefitter(*engine, messages));
        models.reset(nvonnxparser::createParserRefitter(*refitter, messages));
    }
    bool take(OnnxModel const& next) const {
        std::string const bytes = next.bytes();
        return models->refitFromBytes(bytes.data(), bytes.size());
    }
    Floats run(Floats x) const {
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        Floats y(2);
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
        EXPECT_TRUE(context->enqueueV3(nullptr));
        return y;
    }
    Defining d;
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime;
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IRefitter> refitter;
    std::unique_ptr<IParserRefitter> models;
};

TEST(OnnxRefitter, takesTheWeightsOfAnotherVersionOfTheModel) {
    Refitting r(model({1, 0, 0, 1}, {0, 0}, {1, 1}));
    EXPECT_EQ(r.run({1, 2}), (Floats{2, 3}));
    ASSERT_TRUE(r.take(model({2, 1, 0, 3}, {1, -1}, {10, 100}))) << r.messages.lastError();
    EXPECT_EQ(r.run({1, 2}), (Floats{2, 3}));
    ASSERT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(r.run({1, 2}), (Floats{31, 601})); // (1·2 + 2·0 + 1) · 10 + 1, (1·1 + 2·3 - 1) · 100 + 1
}

TEST(OnnxRefitter, givesStrippedPlansTheirWeights) {
    OnnxModel const whole = model({1, 2, 3, 4}, {5, 6}, {7, 8});
    Refitting r(whole, BuilderFlag::kSTRIP_PLAN);
    EXPECT_GT(r.refitter->getMissingWeights(0, nullptr), 0);
    ASSERT_TRUE(r.take(whole)) << r.messages.lastError();
    EXPECT_EQ(r.refitter->getMissingWeights(0, nullptr), 0);
    ASSERT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(r.run({1, 2}), (Floats{85, 129})); // (7 + 5) · 7 + 1, (10 + 6) · 8 + 1
}

// (x + b) · s, where the importer reads b as a tensor and s as weights
TEST(OnnxRefitter, takesWeightsOfNodesThatUsersImport) {
    OnnxImporter const mine(
        "Shifted", "com.example", {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
            OnnxTensor const scale = node.constant(2);
            ITensor* const scales = network.addConstant(scale.dims(), scale.weights())->getOutput(0);
            ITensor* const sum =
                network.addElementWise(node.input(0), node.input(1), ElementWiseOperation::kSUM)->getOutput(0);
            return std::vector<ITensor*>{
                network.addElementWise(*sum, *scales, ElementWiseOperation::kPROD)->getOutput(0)};
        });
    auto const shifted = [](Floats const& b, Floats const& s) {
        OnnxModel model;
        model.import("com.example", 1);
        model.input("x", {1, 2});
        model.floats("b", {1, 2}, b);
        model.floats("s", {1, 2}, s);
        model.node("Shifted", {"x", "b", "s"}, {"y"}, "mine").set_domain("com.example");
        model.output("y");
        return model;
    };
    Refitting r(shifted({1, 2}, {10, 100}));
    EXPECT_EQ(r.run({1, 2}), (Floats{20, 400}));
    ASSERT_TRUE(r.take(shifted({3, 4}, {1, 2}))) << r.messages.lastError();
    ASSERT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(r.run({1, 2}), (Floats{4, 12}));
}

// ---- weights that importers derive

/// x [1,2] → Gemm with beta 2 → Clip from `low` to 100 → + low, or + `shift`
OnnxModel clipping(Floats const& c, float low, char const* plus = "shift") {
    OnnxModel model;
    model.input("x", {1, 2});
    model.floats("w", {2, 2}, {1, 0, 0, 1});
    model.floats("c", {2}, c);
    model.floats("low", {}, {low});
    model.floats("high", {}, {100});
    model.floats("shift", {1}, {1});
    auto& gemm = model.node("Gemm", {"x", "w", "c"}, {"h"}, "gemm");
    test::attribute(gemm, "beta", proto::AttributeProto::FLOAT).set_f(2);
    model.node("Clip", {"h", "low", "high"}, {"k"}, "clip");
    model.node("Add", {"k", plus}, {"y"}, "add");
    model.output("y");
    return model;
}

std::vector<std::string> namesOf(IRefitter& refitter) {
    std::vector<char const*> names(static_cast<size_t>(refitter.getAllWeights(0, nullptr)));
    refitter.getAllWeights(static_cast<int32_t>(names.size()), names.data());
    return {names.begin(), names.end()};
}

TEST(OnnxRefitter, takesWeightsThatAnImporterScales) {
    Refitting r(clipping({1, 2}, -100));
    EXPECT_EQ(namesOf(*r.refitter), (std::vector<std::string>{"w", "c", "shift"}));
    EXPECT_EQ(r.run({1, 2}), (Floats{4, 7})); // x + 2 c + 1
    Floats const other{10, -20};
    ASSERT_TRUE(r.refitter->setNamedWeights("c", test::weights(other))) << r.messages.lastError();
    ASSERT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(r.run({1, 2}), (Floats{22, -37}));
}

TEST(OnnxRefitter, refusesWeightsThatDecidedWhichLayersThereAre) {
    Refitting r(clipping({0, 0}, -100));
    EXPECT_FALSE(r.take(clipping({0, 0}, 1.5F)));
    EXPECT_STREQ(r.models->getError(0)->desc(),
                 "weights low of the model differ from those of the build, and they determine how the engine computes; "
                 "build the engine again from this model");
    EXPECT_TRUE(r.take(clipping({1, 1}, -100))) << r.messages.lastError();
    Floats const other{1.5F};
    EXPECT_FALSE(r.refitter->setNamedWeights("low", test::weights(other)));
    EXPECT_EQ(r.messages.lastError(), "IRefitter::setNamedWeights: weights low determine how the engine computes and "
                                      "cannot be exchanged; build the engine again with other weights");
}

TEST(OnnxRefitter, keepsWeightsOfWhichOnlyOneUseCouldBeExchanged) {
    Refitting r(clipping({0, 0}, 1.5F, "low")); // a bound and a summand
    EXPECT_EQ(r.run({1, 2}), (Floats{3, 3.5F}));
    EXPECT_EQ(namesOf(*r.refitter), (std::vector<std::string>{"w", "c"}));
    EXPECT_FALSE(r.take(clipping({0, 0}, 1, "low")));
}

TEST(OnnxRefitter, doesNotListWeightsOfWhichAnImporterMadeOthers) {
    Refitting r(model({1, 0, 0, 1}, {0, 0}, {1, 1})); // a scale and a shift of the four of a normalization
    Floats const other{2, 2};
    EXPECT_FALSE(r.refitter->setNamedWeights("scale", test::weights(other)));
    EXPECT_EQ(r.messages.lastError(), "IRefitter::setNamedWeights: the engine has no refittable weights called scale; "
                                      "getAllWeights lists the 4 that it has");
}

TEST(OnnxRefitter, marksNoWeightsThatDecide) {
    Defining d;
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    std::string const bytes = clipping({0, 0}, 1).bytes();
    ASSERT_TRUE(parser->parse(bytes.data(), bytes.size()));
    EXPECT_TRUE(d.network->markWeightsRefittable("c"));
    EXPECT_FALSE(d.network->markWeightsRefittable("low"));
    EXPECT_EQ(d.messages.lastError(), "markWeightsRefittable: weights low determined which layers the parser added and "
                                      "cannot be exchanged; parse a model with other weights");
}

// Until opset 6 a second operand was aligned to an axis of the first one.
TEST(OnnxRefitter, takesOperandsThatStandAtAnAxis) {
    OnnxModel old(6);
    old.input("x", {1, 2, 1});
    old.floats("b", {2}, {1, 2});
    old.floats("slope", {2}, {10, 100});
    auto& add = old.node("Add", {"x", "b"}, {"h"}, "add");
    test::attribute(add, "axis", proto::AttributeProto::INT).set_i(1);
    test::attribute(add, "broadcast", proto::AttributeProto::INT).set_i(1);
    old.node("PRelu", {"h", "slope"}, {"y"}, "prelu");
    old.output("y");
    Refitting r(old);
    EXPECT_EQ(r.run({-2, -3}), (Floats{-10, -100})); // (x + b) slope
    Floats const b{-1, 0};
    Floats const slope{2, 3};
    ASSERT_TRUE(r.refitter->setNamedWeights("b", test::weights(b))) << r.messages.lastError();
    ASSERT_TRUE(r.refitter->setNamedWeights("slope", test::weights(slope))) << r.messages.lastError();
    ASSERT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(r.run({-2, -3}), (Floats{-6, -9}));
}

TEST(OnnxRefitter, takesAModelInParts) {
    Refitting r(model({1, 0, 0, 1}, {0, 0}, {1, 1}));
    EXPECT_FALSE(r.models->refitModelProto());
    EXPECT_EQ(r.messages.lastError(),
              "IParserRefitter::refitModelProto: no model was loaded; call loadModelProto first");
    std::string const bytes = model({1, 0, 0, 1}, {0, 0}, {1, 1}).bytes();
    ASSERT_TRUE(r.models->loadModelProto(bytes.data(), bytes.size()));
    Floats const bias{10, 20};
    ASSERT_TRUE(r.models->loadInitializer("b", bias.data(), sizeof(float) * 2));
    ASSERT_TRUE(r.models->refitModelProto()) << r.messages.lastError();
    ASSERT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.run({1, 2}), (Floats{12, 23}));
}

/// x · 3 + b, where a plugin multiplies
OnnxModel timesModel(Floats const& b) {
    OnnxModel model;
    model.input("x", {1, 2});
    model.floats("b", {1, 2}, b);
    auto& node = model.node("TimesV2", {"x"}, {"h"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(3);
    model.node("Add", {"h", "b"}, {"y"}, "add");
    model.output("y");
    return model;
}

/// An engine of timesModel(), whose plugin is registered only with its builder and its runtime.
struct RefittingByRegistry {
    RefittingByRegistry() {
        d.builder->getPluginRegistry().registerCreator(creator, "");
        runtime->getPluginRegistry().registerCreator(creator, "");
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
        std::string const bytes = timesModel({1, 2}).bytes();
        EXPECT_TRUE(parser->parse(bytes.data(), bytes.size())) << d.messages.lastError();
        d.config->setFlag(BuilderFlag::kREFIT);
        auto const file = d.build();
        engine.reset(runtime->deserializeCudaEngine(file->data(), file->size()));
        refitter.reset(createInferRefitter(*engine, messages));
        models.reset(nvonnxparser::createParserRefitter(*refitter, messages));
    }
    bool take(OnnxModel const& next) const {
        std::string const bytes = next.bytes();
        return models->refitFromBytes(bytes.data(), bytes.size()) && refitter->refitCudaEngine();
    }
    Floats run(Floats x) const {
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        Floats y(2);
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
        EXPECT_TRUE(context->enqueueV3(nullptr));
        return y;
    }

    test::TimesV2Creator creator;
    Defining d;
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IRefitter> refitter;
    std::unique_ptr<IParserRefitter> models;
};

TEST(OnnxRefitter, findsPluginsOfTheEnginesRuntime) {
    RefittingByRegistry r;
    ASSERT_TRUE(r.take(timesModel({10, 20}))) << r.messages.lastError();
    EXPECT_EQ(r.run({1, 2}), (Floats{13, 26}));
    EXPECT_TRUE(r.messages.warnings.empty());
}

TEST(OnnxRefitter, passesOverANodeThatHasNoneOfTheWeights) {
    RefittingByRegistry r;
    r.runtime->getPluginRegistry().deregisterCreator(r.creator);
    ASSERT_TRUE(r.take(timesModel({10, 20}))) << r.messages.lastError();
    EXPECT_EQ(r.models->getNbErrors(), 0);
    EXPECT_EQ(r.run({1, 2}), (Floats{13, 26}));
    ASSERT_EQ(r.messages.warnings.size(), 1U);
    EXPECT_EQ(r.messages.warnings[0].find("times (TimesV2, opset 13, node 0): there is no importer, and no plugin"), 0U)
        << r.messages.warnings[0];
    EXPECT_TRUE(r.messages.warnings[0].ends_with("(all weights of the engine were found without this node)"));
    OnnxModel without = timesModel({10, 20});
    without.proto.mutable_graph()->mutable_initializer(0)->set_name("c");
    without.proto.mutable_graph()->mutable_node(1)->set_input(1, "c");
    EXPECT_FALSE(r.take(without));
    ASSERT_EQ(r.models->getNbErrors(), 1);
    EXPECT_EQ(std::string(r.models->getError(0)->desc()).find("times (TimesV2"), 0U) << r.models->getError(0)->desc();
}

TEST(OnnxRefitter, comparesShapes) {
    auto const product = [](std::vector<int64_t> const& dims) {
        OnnxModel model;
        model.input("x", {1, 2});
        model.floats("w", dims, {1, 2, 3, 4, 5, 6});
        if (dims[0] != 2) model.node("Transpose", {"w"}, {"v"}, "turned");
        model.node("MatMul", {"x", dims[0] != 2 ? "v" : "w"}, {"y"}, "product");
        model.output("y");
        return model;
    };
    Refitting r(product({2, 3}));
    EXPECT_FALSE(r.take(product({3, 2})));
    ASSERT_EQ(r.models->getNbErrors(), 1);
    EXPECT_STREQ(r.models->getError(0)->desc(), "weights w have shape [2,3]; found the same number of shape [3,2]");
}

TEST(OnnxRefitter, saysWhatIsWrongWithAModel) {
    Refitting r(model({1, 0, 0, 1}, {0, 0}, {1, 1}));
    EXPECT_FALSE(r.models->refitFromBytes("model", 5));
    EXPECT_EQ(r.models->getNbErrors(), 1);
    EXPECT_EQ(r.messages.lastError(),
              "IParserRefitter::refitFromBytes: the model: has no graph: not an ONNX model, or damaged");
    EXPECT_FALSE(r.models->refitFromFile("no such file"));
    OnnxModel other;
    other.input("x", {1, 2});
    other.node("Relu", {"x"}, {"y"}, "relu");
    other.output("y");
    EXPECT_FALSE(r.take(other));
    EXPECT_STREQ(
        r.models->getError(0)->desc(),
        "the model has none of the engine's 4 weights; expected a version of the model that it was built from");
    OnnxModel large = model({1, 0, 0, 1}, {0, 0}, {1, 1});
    large.proto.mutable_graph()->mutable_initializer(1)->set_dims(0, 1);
    large.proto.mutable_graph()->mutable_initializer(1)->clear_float_data();
    large.proto.mutable_graph()->mutable_initializer(1)->add_float_data(1);
    EXPECT_FALSE(r.take(large));
    EXPECT_STREQ(r.models->getError(0)->desc(), "weights b are 2 values of float32; found 1 of float32");
    r.models->clearErrors();
    EXPECT_EQ(r.models->getNbErrors(), 0);
    EXPECT_EQ(r.models->getError(0), nullptr);
}

TEST(OnnxRefitter, takesAModelWithoutWeights) {
    OnnxModel relu;
    relu.input("x", {1, 2});
    relu.node("Relu", {"x"}, {"y"}, "relu");
    relu.output("y");
    Refitting r(relu);
    EXPECT_EQ(r.refitter->getAllWeights(0, nullptr), 0);
    EXPECT_TRUE(r.take(relu)) << r.messages.lastError();
    EXPECT_EQ(r.messages.warnings, std::vector<std::string>());
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(r.run({-1, 2}), (Floats{0, 2}));
}

/// y = w if c else w + w: both branches read the initializer.
OnnxModel branches(Floats const& w) {
    OnnxModel model;
    model.input("c", {}, proto::TensorProto::BOOL);
    model.floats("w", {2}, w);
    auto& branching = model.node("If", {"c"}, {"y"}, "branching");
    for (char const* const name : {"then_branch", "else_branch"}) {
        auto& body = *test::attribute(branching, name, proto::AttributeProto::GRAPH).mutable_g();
        body.set_name(name);
        auto& node = *body.add_node();
        node.set_op_type(name[0] == 't' ? "Identity" : "Add");
        node.add_input("w");
        if (name[0] == 'e') node.add_input("w");
        node.add_output(std::string(name) + "_y");
        body.add_output()->set_name(node.output(0));
    }
    model.output("y");
    return model;
}

Floats run(ICudaEngine& engine, bool c) {
    std::unique_ptr<IExecutionContext> const context(engine.createExecutionContext());
    Floats y(2);
    context->setTensorAddress("c", &c);
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    return y;
}

TEST(OnnxRefitter, exchangesAnInitializerInTheGraphsThatReadIt) {
    Refitting r(branches({1, 2}));
    EXPECT_EQ(run(*r.engine, true), (Floats{1, 2}));
    Floats const other{10, 20};
    ASSERT_TRUE(r.refitter->setNamedWeights("w", test::weights(other))) << r.messages.lastError();
    ASSERT_TRUE(r.refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(run(*r.engine, true), (Floats{10, 20}));
    EXPECT_EQ(run(*r.engine, false), (Floats{20, 40}));
}

} // namespace
} // namespace tenon

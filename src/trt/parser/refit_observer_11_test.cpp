// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// How weights come from an ONNX model, and a refit by that alone.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "NvOnnxParser.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;
using nvonnxparser::RefitRecord;
using nvonnxparser::RefitTransformKind;
using tenon::test::OnnxModel;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;

constexpr int32_t kFloat = 1; // numbers of TensorProto.DataType
constexpr int32_t kDouble = 11;
constexpr size_t kChannels = 2;

class LastError final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text;
    }
    std::string last;
};

/// Values of the initializers, different for each seed.
struct Values {
    explicit Values(float seed) {
        float next = seed;
        for (char const* name : {"w", "scale", "bias", "mean", "var"}) {
            for (size_t i = 0; i < kChannels * (name == std::string("w") ? kChannels : 1); ++i)
                all[name].push_back(next += 0.25F);
        }
        gain = {double{seed} + 0.5, 3};
    }
    std::map<std::string, Floats> all;
    std::vector<double> gain;
};

/// y = (batchNormalization(conv(x)) + constant) gain + constantOfShape, x [1,2,1,2].
std::string modelOf(Values const& values) {
    OnnxModel model(13);
    model.input("x", {1, int{kChannels}, 1, 2});
    model.floats("w", {kChannels, kChannels, 1, 1}, values.all.at("w"));
    for (char const* name : {"scale", "bias", "mean", "var"}) model.floats(name, {kChannels}, values.all.at(name));
    auto& gain = model.initializer("gain", {kChannels, 1, 1}, kDouble);
    for (double const value : values.gain) gain.add_double_data(value);
    auto& shape = model.initializer("shape", {1}, 7);
    shape.add_int64_data(2);
    model.node("Conv", {"x", "w"}, {"c"});
    auto& norm = model.node("BatchNormalization", {"c", "scale", "bias", "mean", "var"}, {"n"}, "norm");
    tenon::test::attribute(norm, "epsilon", tenon::proto::AttributeProto::FLOAT).set_f(0.125F);
    auto& constant = model.node("Constant", {}, {"k"}, "constant");
    auto& value = *tenon::test::attribute(constant, "value", tenon::proto::AttributeProto::TENSOR).mutable_t();
    value.add_dims(2);
    value.set_data_type(kFloat);
    value.add_float_data(0.5F);
    value.add_float_data(-1);
    model.node("Add", {"n", "k"}, {"a"});
    model.node("Mul", {"a", "gain"}, {"m"});
    auto& filled = model.node("ConstantOfShape", {"shape"}, {"f"}, "filled");
    auto& fill = *tenon::test::attribute(filled, "value", tenon::proto::AttributeProto::TENSOR).mutable_t();
    fill.add_dims(1);
    fill.set_data_type(kFloat);
    fill.add_float_data(0.75F);
    model.node("Add", {"m", "f"}, {"y"});
    model.output("y");
    return model.bytes();
}

/// The result of the model, by the definitions of its operators.
Floats computed(Values const& values, Floats const& x) {
    Floats y;
    for (size_t c = 0; c < kChannels; ++c) {
        for (size_t i = 0; i < 2; ++i) {
            double sum = 0;
            for (size_t k = 0; k < kChannels; ++k) sum += double{values.all.at("w")[c * kChannels + k]} * x[k * 2 + i];
            double const deviation = std::sqrt(double{values.all.at("var")[c]} + 0.125);
            double const norm = (sum - values.all.at("mean")[c]) / deviation * values.all.at("scale")[c];
            double const added = norm + values.all.at("bias")[c] + (i == 0 ? 0.5 : -1);
            y.push_back(static_cast<float>(added * values.gain[c] + 0.75));
        }
    }
    return y;
}

/// A copy of a record.
struct Kept {
    RefitTransformKind kind;
    int32_t onnxDtype;
    DataType trtDtype;
    int64_t count;
    Names sources;
    float epsilon;
    std::string fixed;
};

struct Observer final : nvonnxparser::IRefitterObserver {
    void onRefittableWeight(RefitRecord const& record) noexcept override {
        Kept kept{record.kind, record.onnxDtype, record.trtDtype, record.count, {}, record.epsilon, {}};
        for (int32_t i = 0; i < record.nbSources; ++i) kept.sources.emplace_back(record.sourceOnnxNames[i]);
        if (record.fixedData) kept.fixed.assign(static_cast<char const*>(record.fixedData), record.fixedDataSize);
        EXPECT_TRUE(all.emplace(record.trtName, kept).second) << record.trtName;
    }
    Kept const& of(RefitTransformKind kind, std::string const& source) const {
        for (auto const& [name, kept] : all) {
            if (kept.kind == kind && !kept.sources.empty() && kept.sources[0] == source) return kept;
        }
        throw std::runtime_error("there is no record of " + source);
    }
    std::map<std::string, Kept> all;
};

struct RefitObserver : testing::Test {
    LastError error;
    std::unique_ptr<IBuilder> builder{createInferBuilder(error)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    std::unique_ptr<nvonnxparser::IParser> parser{nvonnxparser::createParser(*network, error)};
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IRefitter> refitter;
    Floats const x{1, -2, 0.5F, 3};

    void build(Values const& values) {
        std::string const model = modelOf(values);
        ASSERT_TRUE(parser->parse(model.data(), model.size())) << error.last;
        std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
        config->setFlag(BuilderFlag::kREFIT);
        engine.reset(builder->buildEngineWithConfig(*network, *config));
        ASSERT_NE(engine, nullptr) << error.last;
        refitter.reset(createInferRefitter(*engine, error));
        ASSERT_NE(refitter, nullptr) << error.last;
    }
    Floats run() const {
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        Floats in = x;
        Floats y(x.size());
        context->setTensorAddress("x", in.data());
        context->setTensorAddress("y", y.data());
        return context->enqueueV3(nullptr) ? y : Floats{};
    }
    void expectComputes(Values const& values) const {
        Floats const wanted = computed(values, x);
        Floats const found = run();
        ASSERT_EQ(found.size(), wanted.size());
        for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-4F) << i;
    }
    Names refittable() const {
        std::vector<char const*> names(static_cast<size_t>(refitter->getAllWeights(0, nullptr)));
        refitter->getAllWeights(static_cast<int32_t>(names.size()), names.data());
        return {names.begin(), names.end()};
    }
};

TEST_F(RefitObserver, reportsEveryKindWhileAModelIsParsed) {
    Observer observer;
    parser->setRefitObserver(&observer);
    std::string const model = modelOf(Values(1));
    ASSERT_TRUE(parser->parse(model.data(), model.size())) << error.last;
    Kept const& kernel = observer.of(RefitTransformKind::kIDENTITY, "w");
    EXPECT_EQ(kernel.onnxDtype, kFloat);
    EXPECT_EQ(kernel.trtDtype, DataType::kFLOAT);
    EXPECT_EQ(kernel.count, int64_t{kChannels * kChannels});
    EXPECT_EQ(kernel.sources, (Names{"w"}));
    EXPECT_EQ(kernel.fixed, "");
    Kept const& gain = observer.of(RefitTransformKind::kDOUBLE_TO_FLOAT, "gain");
    EXPECT_EQ(gain.onnxDtype, kDouble);
    EXPECT_EQ(gain.trtDtype, DataType::kFLOAT);
    for (auto const kind : {RefitTransformKind::kBATCH_NORM_FOLD_SCALE, RefitTransformKind::kBATCH_NORM_FOLD_BIAS}) {
        Kept const& folded = observer.of(kind, "scale");
        EXPECT_EQ(folded.sources, (Names{"scale", "bias", "mean", "var"}));
        EXPECT_EQ(folded.epsilon, 0.125F);
        EXPECT_EQ(folded.onnxDtype, kFloat);
        EXPECT_EQ(folded.count, int64_t{kChannels});
    }
    Floats const constant{0.5F, -1};
    EXPECT_EQ(observer.of(RefitTransformKind::kCONSTANT_NODE, "k").fixed,
              std::string(reinterpret_cast<char const*>(constant.data()), 8));
    float const fill = 0.75F;
    Kept const& filled = observer.of(RefitTransformKind::kCONSTANT_OF_SHAPE, "f");
    EXPECT_EQ(filled.fixed, std::string(reinterpret_cast<char const*>(&fill), 4));
    EXPECT_EQ(filled.count, 1);
}

/// The values of a record, computed from those of the initializers.
Floats replayed(Kept const& kept, Values const& values) {
    auto const source = [&](size_t i) { return values.all.at(kept.sources.at(i)); };
    Floats result;
    switch (kept.kind) {
    case RefitTransformKind::kIDENTITY: return source(0);
    case RefitTransformKind::kDOUBLE_TO_FLOAT: return {values.gain.begin(), values.gain.end()};
    case RefitTransformKind::kBATCH_NORM_FOLD_SCALE:
    case RefitTransformKind::kBATCH_NORM_FOLD_BIAS:
        for (size_t i = 0; i < kChannels; ++i) {
            float const scale = source(0)[i] / std::sqrt(source(3)[i] + kept.epsilon);
            bool const isScale = kept.kind == RefitTransformKind::kBATCH_NORM_FOLD_SCALE;
            result.push_back(isScale ? scale : source(1)[i] - source(2)[i] * scale);
        }
        return result;
    case RefitTransformKind::kCONSTANT_NODE:
    case RefitTransformKind::kCONSTANT_OF_SHAPE:
        result.resize(kept.fixed.size() / sizeof(float));
        std::memcpy(result.data(), kept.fixed.data(), kept.fixed.size());
        return result;
    }
    return result;
}

TEST_F(RefitObserver, recordsOfAParserRefitAnEngineWithoutTheModel) {
    Observer observer;
    parser->setRefitObserver(&observer);
    build(Values(1));
    expectComputes(Values(1));
    Values const others(4);
    for (std::string const& name : refittable()) {
        ASSERT_TRUE(observer.all.contains(name)) << name << " has no record";
        Floats const values = replayed(observer.all.at(name), others);
        Weights const given{DataType::kFLOAT, values.data(), static_cast<int64_t>(values.size())};
        ASSERT_TRUE(refitter->setNamedWeights(name.c_str(), given)) << error.last;
        ASSERT_TRUE(refitter->refitCudaEngine()) << error.last;
        ASSERT_TRUE(refitter->unsetNamedWeights(name.c_str())) << error.last;
    }
    expectComputes(others);
}

TEST_F(RefitObserver, aParserRefitterReportsTheWeightsThatTheEngineHas) {
    build(Values(1));
    std::unique_ptr<nvonnxparser::IParserRefitter> const parserRefitter(
        nvonnxparser::createParserRefitter(*refitter, error));
    Observer observer;
    parserRefitter->setRefitObserver(&observer);
    std::string const model = modelOf(Values(4));
    ASSERT_TRUE(parserRefitter->refitFromBytes(model.data(), model.size())) << error.last;
    Names reported;
    for (auto const& [name, kept] : observer.all) reported.push_back(name);
    Names all = refittable();
    std::ranges::sort(all);
    EXPECT_EQ(reported, all);
    EXPECT_EQ(observer.of(RefitTransformKind::kBATCH_NORM_FOLD_SCALE, "scale").epsilon, 0.125F);
    ASSERT_TRUE(refitter->refitCudaEngine()) << error.last;
    expectComputes(Values(4));
    parserRefitter->setRefitObserver(nullptr);
    observer.all.clear();
    ASSERT_TRUE(parserRefitter->refitFromBytes(model.data(), model.size())) << error.last;
    EXPECT_TRUE(observer.all.empty());
}

struct Throwing final : nvonnxparser::IRefitterObserver {
    void onRefittableWeight(RefitRecord const&) override { throw std::runtime_error("full"); }
};

TEST_F(RefitObserver, anObserverThatThrowsFailsTheParse) {
    Throwing observer;
    parser->setRefitObserver(&observer);
    std::string const model = modelOf(Values(1));
    EXPECT_FALSE(parser->parse(model.data(), model.size()));
    EXPECT_EQ(error.last, "IParser::parse: IRefitterObserver::onRefittableWeight threw \"full\"");
}

/// A model of 16 MiB of weights.
std::string largeModel(float value) {
    constexpr int64_t kSize = 2048;
    OnnxModel model(13);
    model.input("x", {1, int{kSize}});
    model.floats("w", {kSize, kSize}, Floats(kSize * kSize, value));
    model.node("MatMul", {"x", "w"}, {"y"});
    model.output("y");
    return model.bytes();
}

size_t heapBytes() {
    auto const info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

TEST_F(RefitObserver, releasedResourcesAreMadeAgain) {
    {
        std::string const model = largeModel(1);
        ASSERT_TRUE(parser->parse(model.data(), model.size())) << error.last;
    }
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    config->setFlag(BuilderFlag::kREFIT);
    engine.reset(builder->buildEngineWithConfig(*network, *config));
    ASSERT_NE(engine, nullptr) << error.last;
    refitter.reset(createInferRefitter(*engine, error));
    std::unique_ptr<nvonnxparser::IParserRefitter> const parserRefitter(
        nvonnxparser::createParserRefitter(*refitter, error));
    {
        std::string const model = largeModel(2);
        ASSERT_TRUE(parserRefitter->refitFromBytes(model.data(), model.size())) << error.last;
    }
    ASSERT_TRUE(refitter->releaseRefitResources()); // nothing that is new to the engine
    ASSERT_TRUE(refitter->refitCudaEngine()) << error.last;
    size_t const before = heapBytes();
    EXPECT_TRUE(refitter->releaseRefitResources());
    if (before != 0) { // a sanitizer's allocator does not report it
        EXPECT_LE(heapBytes() + (size_t{16} << 20), before + (size_t{1} << 20));
    }
    EXPECT_EQ(refittable(), (Names{"w"}));
    EXPECT_EQ(refitter->getMissingWeights(0, nullptr), 0);
    EXPECT_EQ(refitter->getNamedWeights("w").values, nullptr); // weights set by the parser are only in the engine
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    Floats in(2048, 1);
    Floats y(2048);
    auto const computes = [&](float value) {
        context->setTensorAddress("x", in.data());
        context->setTensorAddress("y", y.data());
        return context->enqueueV3(nullptr) && y[0] == value && y[2047] == value;
    };
    EXPECT_TRUE(computes(2 * 2048)) << y[0];
    Floats const third(2048 * 2048, 3);
    ASSERT_TRUE(refitter->setNamedWeights("w", {DataType::kFLOAT, third.data(), 2048 * 2048})) << error.last;
    ASSERT_TRUE(refitter->refitCudaEngine()) << error.last;
    EXPECT_TRUE(computes(3 * 2048)) << y[0];
    EXPECT_TRUE(refitter->releaseRefitResources());
    EXPECT_EQ(refitter->getNamedWeights("w").values, third.data()); // weights set by the application stay set
}

} // namespace

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The types that a program asks single layers for (setPrecision, setOutputType), where the builder chooses types. What
// tells them apart is 70000, which is infinite as a half.

#include "support/api.h"
#include "support/api_plugins.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::Running;
using test::TimesV2;
using test::TimesV2Creator;

using Floats = std::vector<float>;
using Texts = std::vector<std::string>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr auto kObey = BuilderFlag::kOBEY_PRECISION_CONSTRAINTS;
constexpr auto kPrefer = BuilderFlag::kPREFER_PRECISION_CONSTRAINTS;

/// Products of x [4,64], all 100, with constants: 70000 = 64 · 100 · 10.9375 after the first, 1093.75 = 64 · 70000 /
/// 4096 after the second. All factors are exact as halves.
struct Products : Defining {
    explicit Products(std::vector<BuilderFlag> const& flags, DataType type = DataType::kFLOAT)
        : x(input("x", {4, 64}, type)) {
        for (BuilderFlag const flag : flags) config->setFlag(flag);
        first = multiplied(x, large, type == DataType::kHALF);
        first->setName("first");
        second = multiplied(*first->getOutput(0), small, type == DataType::kHALF);
        second->setName("second");
        output(second->getOutput(0));
    }

    ILayer* multiplied(ITensor& with, Floats const& factors, bool isHalf) {
        ITensor* constant = network->addConstant(test::dims({64, 64}), test::weights(factors))->getOutput(0);
        if (isHalf) constant = network->addCast(*constant, DataType::kHALF)->getOutput(0);
        return network->addMatrixMultiply(with, MatrixOperation::kNONE, *constant, MatrixOperation::kNONE);
    }

    /// The first of the values, which are all the same.
    float result() {
        Floats const y = Running(*build()).run(Floats(4 * 64, 100), 4 * 64);
        EXPECT_EQ(y, Floats(4 * 64, y.front()));
        return y.front();
    }
    std::string refusal() {
        EXPECT_EQ(builder->buildSerializedNetwork(*network, *config), nullptr);
        return messages.lastError();
    }

    Floats large = Floats(64 * 64, 10.9375F);
    Floats small = Floats(64 * 64, 1.0F / 4096);
    ITensor& x;
    ILayer* first;
    ILayer* second;
};

/// The results of 100 in halves.
std::vector<uint16_t> halves(Products& d) {
    Running r(*d.build());
    std::vector<uint16_t> x(4 * 64, 0x5640);
    std::vector<uint16_t> y(4 * 64);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    return y;
}

TEST(AskedTypes, decideWhatALayerComputesIn) {
    for (BuilderFlag const flag : {kObey, kPrefer}) {
        Products d({BuilderFlag::kFP16, flag});
        d.first->setPrecision(DataType::kHALF);
        EXPECT_EQ(d.result(), kInfinity);
        d.first->setPrecision(DataType::kFLOAT);
        d.second->setPrecision(DataType::kHALF); // reads 70000 in half
        EXPECT_EQ(d.result(), kInfinity);
        d.second->setPrecision(DataType::kFLOAT);
        EXPECT_EQ(d.result(), 1093.75F);
        EXPECT_EQ(d.messages.warnings, Texts());
    }
}

TEST(AskedTypes, reachBFloat16) {
    Products d({BuilderFlag::kBF16, BuilderFlag::kFP16, kObey});
    d.first->setPrecision(DataType::kBF16); // 70000 is 70144 there
    d.second->setPrecision(DataType::kBF16);
    EXPECT_EQ(d.result(), 1096.0F);
}

TEST(AskedTypes, ofOutputsDecideWhatTheyAreKeptIn) {
    Products d({BuilderFlag::kFP16, kObey});
    d.first->setOutputType(0, DataType::kHALF);
    EXPECT_EQ(d.first->getOutputType(0), DataType::kHALF);
    EXPECT_EQ(d.result(), kInfinity);
    d.first->setOutputType(0, DataType::kFLOAT);
    EXPECT_TRUE(d.first->outputTypeIsSet(0));
    EXPECT_EQ(d.second->getOutputType(0), DataType::kFLOAT);
    d.second->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(d.result(), 1093.75F);
    d.x.setType(DataType::kHALF); // which suggests halves
    d.second->getOutput(0)->setType(DataType::kHALF);
    EXPECT_EQ(halves(d), std::vector<uint16_t>(4 * 64, 0x6446)); // 1094, the next half
}

TEST(AskedTypes, ofALayerAndOfItsOutputMayDiffer) {
    Products d({BuilderFlag::kFP16, kObey});
    d.first->setPrecision(DataType::kFLOAT);
    d.first->setOutputType(0, DataType::kHALF);
    d.second->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(d.result(), kInfinity);
}

TEST(AskedTypes, countOnlyWhereAFlagSaysSo) {
    Products d({});
    d.first->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.result(), 1093.75F);
    EXPECT_EQ(d.messages.warnings,
              (Texts{"ILayer::setPrecision has no effect without kPREFER_PRECISION_CONSTRAINTS or "
                     "kOBEY_PRECISION_CONSTRAINTS: kernels are chosen by their time alone; set one of these flags"}));
}

TEST(AskedTypes, areOnesThatTheBuildAllows) {
    Products d({kObey});
    d.first->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: first (MatrixMultiply): requested to compute in float16, and the "
                           "build does not allow that type; set BuilderFlag::kFP16");
    d.first->setPrecision(DataType::kBF16);
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: first (MatrixMultiply): requested to compute in bfloat16, and the "
                           "build does not allow that type; set BuilderFlag::kBF16");
    d.first->setPrecision(DataType::kINT8);
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: first (MatrixMultiply): requested to compute in int8, and the "
                           "build does not allow that type; set BuilderFlag::kINT8");
    d.first->setPrecision(DataType::kINT32);
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: first (MatrixMultiply): requested to compute in int32, and none of "
                           "its tensors is int32");
    d.first->resetPrecision();
    d.first->setOutputType(0, DataType::kHALF);
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: first (MatrixMultiply): requested to produce first:0 in float16, "
                           "and the build does not allow that type; set BuilderFlag::kFP16");
    d.config->setFlag(BuilderFlag::kINT8);
    d.first->setOutputType(0, DataType::kINT8);
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: first (MatrixMultiply): requested to produce first:0 in int8, and "
                           "it has no range; set one with setDynamicRange");
}

TEST(AskedTypes, thatArePreferredAndCannotBeHadAreWarnedOf) {
    Products d({kPrefer});
    d.first->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.result(), 1093.75F);
    EXPECT_EQ(d.messages.warnings, (Texts{"first (MatrixMultiply): requested to compute in float16, which is ignored: "
                                          "the build does not allow that type; set BuilderFlag::kFP16"}));
}

TEST(AskedTypes, areMetAnywayWhereThereIsNoOther) {
    Products d({kObey});
    d.first->setPrecision(DataType::kFLOAT);
    d.second->setPrecision(DataType::kFLOAT);
    d.second->getOutput(0)->setType(DataType::kHALF); // cast at the output
    EXPECT_EQ(Running(*d.build()).engine->getTensorDataType("y"), DataType::kHALF);
}

TEST(AskedTypes, ofTheNetworksOwnTypesAreMet) {
    Products d({kObey}, DataType::kHALF);
    d.first->setPrecision(DataType::kHALF);
    d.output(d.network->addCast(*d.second->getOutput(0), DataType::kFLOAT)->getOutput(0), "wide");
    d.build();
}

TEST(AskedTypes, convertWhatTheNetworkHasInAnother) {
    Products d({kObey}, DataType::kHALF);
    d.first->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(d.second->getOutputType(0), DataType::kHALF); // readers see the same type
    d.second->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(halves(d), std::vector<uint16_t>(4 * 64, 0x7c00)); // between the two it was a half
}

TEST(AskedTypes, meanNothingWithoutFractions) {
    Defining d;
    d.config->setFlag(kObey);
    ILayer* const negated = d.network->addUnary(d.input("x", {4}, DataType::kINT32), UnaryOperation::kNEG);
    negated->setName("negated");
    d.output(negated->getOutput(0));
    for (DataType const type : {DataType::kINT32, DataType::kFLOAT, DataType::kHALF, DataType::kINT8}) {
        negated->setPrecision(type);
        d.build();
    }
}

TEST(AskedTypes, doNotReachWhatTheHostComputes) {
    Defining d;
    d.config->setFlag(BuilderFlag::kFP16);
    d.config->setFlag(kObey);
    ITensor& x = d.input("x", {-1, 2});
    d.range("x", {1, 2}, {2, 2}, {4, 2});
    IShapeLayer* const shape = d.network->addShape(x);
    ITensor& fractions = *d.network->addCast(*shape->getOutput(0), DataType::kFLOAT)->getOutput(0);
    ILayer* const rounded = d.network->addUnary(fractions, UnaryOperation::kCEIL);
    rounded->setName("rounded");
    IShuffleLayer* const shuffle = d.network->addShuffle(x);
    shuffle->setInput(1, *d.network->addCast(*rounded->getOutput(0), DataType::kINT64)->getOutput(0));
    d.output(shuffle->getOutput(0));
    shape->setPrecision(DataType::kHALF); // reads no element of x
    rounded->setPrecision(DataType::kFLOAT);
    d.build();
    shape->setPrecision(DataType::kINT8);
    d.build();
    for (auto const& [type, name] : {std::pair{DataType::kHALF, "float16"}, std::pair{DataType::kINT8, "int8"}}) {
        rounded->setPrecision(type);
        EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
        EXPECT_EQ(d.messages.lastError(),
                  std::string("buildSerializedNetwork: rounded (Unary): requested to compute in ") + name +
                      ", and it is computed on the host when shapes are set, in the types of its tensors");
    }
}

/// y = relu x [1,8,1,2], both with a range in which the integers are themselves.
struct Quantized : Defining {
    Quantized() : x(input("x", {1, 8, 1, 2})), relu(network->addActivation(x, ActivationType::kRELU)) {
        config->setFlag(BuilderFlag::kINT8);
        config->setFlag(kObey);
        relu->setName("relu");
        x.setDynamicRange(-127, 127);
        output(relu->getOutput(0));
        relu->getOutput(0)->setDynamicRange(-127, 127);
    }
    float result() { return Running(*build()).run(Floats(16, 2.25F), 16).front(); }

    ITensor& x;
    ILayer* relu;
};

TEST(AskedTypes, reachIntegers) {
    Quantized d;
    d.relu->setPrecision(DataType::kINT8);
    EXPECT_EQ(d.result(), 2);
    d.relu->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(d.result(), 2.25F);
    d.relu->resetPrecision();
    d.relu->setOutputType(0, DataType::kFLOAT);
    EXPECT_EQ(d.relu->getOutputType(0), DataType::kFLOAT);
    d.x.resetDynamicRange();
    EXPECT_EQ(d.result(), 2.25F);
    d.relu->setPrecision(DataType::kINT8);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    std::string const said = d.messages.lastError();
    EXPECT_TRUE(said.starts_with("buildSerializedNetwork: relu (Pointwise): requested to compute in int8 and to "
                                 "produce y in float32, and no implementation on the cpu supports it at [1,8,1,2]:\n"))
        << said;
}

// ---- nodes that passes join

/// 100 · x, and that / 100: one pass over the elements, unless there are halves between the two.
TEST(AskedTypes, holdForLayersThatWouldBecomeOne) {
    for (bool const isKept : {false, true}) {
        Defining d;
        d.config->setFlag(BuilderFlag::kFP16);
        d.config->setFlag(kObey);
        ITensor& x = d.input("x", {1, 64});
        static Floats const large(1, 100), small(1, 0.01F);
        auto const times = [&](ITensor& tensor, Floats const& factor) {
            ITensor& constant = *d.network->addConstant(test::dims({1, 1}), test::weights(factor))->getOutput(0);
            return d.network->addElementWise(tensor, constant, ElementWiseOperation::kPROD);
        };
        ILayer* const up = times(x, large);
        ILayer* const down = times(*up->getOutput(0), small);
        up->setPrecision(isKept ? DataType::kFLOAT : DataType::kHALF);
        down->setPrecision(DataType::kFLOAT);
        d.output(down->getOutput(0));
        float const y = Running(*d.build()).run(Floats(64, 700), 64).front();
        if (isKept)
            EXPECT_NEAR(y, 700, 0.01F);
        else
            EXPECT_EQ(y, kInfinity);
    }
}

TEST(AskedTypes, areShownByTheInspector) {
    Defining d;
    d.config->setFlag(BuilderFlag::kFP16);
    d.config->setFlag(kObey);
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    IUnaryLayer* const sine = d.network->addUnary(d.input("x", {64}), UnaryOperation::kSIN);
    sine->setName("sine");
    sine->setPrecision(DataType::kFLOAT);
    ISoftMaxLayer* const middle = d.network->addSoftMax(*sine->getOutput(0));
    middle->setName("middle");
    middle->setOutputType(0, DataType::kHALF);
    ISoftMaxLayer* const after = d.network->addSoftMax(*middle->getOutput(0));
    after->setName("after");
    d.output(after->getOutput(0));
    Running r(*d.build());
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    auto const all = nlohmann::json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON));
    Texts precisions;
    Texts types;
    for (auto const& layer : all["Layers"]) {
        if (layer.contains("AskedPrecision"))
            precisions.push_back(layer["Name"].get<std::string>() + ' ' + layer["AskedPrecision"].get<std::string>());
        for (auto const& output : layer["Outputs"]) {
            if (output.contains("AskedType"))
                types.push_back(layer["Name"].get<std::string>() + ' ' + output["AskedType"].get<std::string>());
        }
    }
    EXPECT_EQ(precisions, (Texts{"sine FP32"}));
    EXPECT_EQ(types, (Texts{"middle FP16"}));
}

TEST(AskedTypes, ofLayersThatNobodyReadsCostNothing) {
    Products d({BuilderFlag::kFP16, kObey});
    ILayer* const spare = d.network->addUnary(*d.first->getOutput(0), UnaryOperation::kEXP);
    ILayer* const after = d.network->addUnary(*spare->getOutput(0), UnaryOperation::kABS);
    spare->setPrecision(DataType::kFLOAT);
    after->setPrecision(DataType::kHALF);
    Running r(*d.build());
    for (int32_t i = 0; i < r.engine->getNbLayers(); ++i) {
        std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
        EXPECT_EQ(std::string(inspector->getLayerInformation(i, LayerInformationFormat::kONELINE)).find("Unary"),
                  std::string::npos);
    }
}

// ---- plugins

struct PluginProducts : Defining {
    PluginProducts(BuilderFlag flag, TimesV2& plugin) {
        config->setFlag(BuilderFlag::kFP16);
        config->setFlag(flag);
        ITensor* x = &input("x", {4});
        times = network->addPluginV2(&x, 1, plugin);
        times->setName("times");
        output(times->getOutput(0));
    }
    ILayer* times;
};

TEST(AskedTypes, ofAPluginAreAmongThoseThatItTakes) { // float32
    Registered<TimesV2Creator> creator;
    TimesV2 plugin(3);
    PluginProducts d(kObey, plugin);
    d.times->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
    d.times->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    std::string const said = d.messages.lastError();
    EXPECT_TRUE(said.starts_with("buildSerializedNetwork: times (Plugin): requested to compute in float16, and no "
                                 "implementation on the cpu supports it at [4]:\n"))
        << said;
}

TEST(AskedTypes, thatAPluginDoesNotTakeArePreferredInVain) {
    Registered<TimesV2Creator> creator;
    TimesV2 plugin(3);
    PluginProducts d(kPrefer, plugin);
    d.times->setPrecision(DataType::kHALF);
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
    ASSERT_EQ(d.messages.warnings.size(), 1U);
    EXPECT_TRUE(d.messages.warnings[0].starts_with(
        "times (Plugin): requested to compute in float16, and no implementation on the cpu supports it at [4]:\n"))
        << d.messages.warnings[0];
    EXPECT_TRUE(d.messages.warnings[0].ends_with("\nOther types are chosen")) << d.messages.warnings[0];
}

/// Accepts both, and records its types.
class EitherV2 final : public TimesV2 {
public:
    EitherV2() : TimesV2(1) {}
    char const* getPluginType() const override { return "EitherV2"; }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<EitherV2>().release(); }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) override {
        bool const isFloat = inOut[pos].type == DataType::kFLOAT || inOut[pos].type == DataType::kHALF;
        return isFloat && inOut[pos].format == TensorFormat::kLINEAR && inOut[pos].type == inOut[0].type;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) override {
        given = in->type;
        return 0;
    }

    static inline DataType given = DataType::kBOOL;
};

class EitherV2Creator final : public TimesV2Creator {
public:
    char const* getPluginName() const override { return "EitherV2"; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        return std::make_unique<EitherV2>().release();
    }
};

TEST(AskedTypes, ofAPluginAreWhatItIsGiven) {
    Registered<EitherV2Creator> creator;
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
        EitherV2 plugin;
        PluginProducts d(kObey, plugin);
        d.times->setPrecision(type);
        Running(*d.build()).run({1, 2, 3, 4}, 4);
        EXPECT_EQ(EitherV2::given, type);
    }
}

// ---- loops

/// y = x · large, one iteration, and · small after the loop.
struct Looping : Defining {
    Looping() {
        config->setFlag(BuilderFlag::kFP16);
        config->setFlag(kObey);
        static int32_t const kOnce = 1;
        ILoop* const loop = network->addLoop();
        loop->setName("loop");
        ITensor& once = *network->addConstant(Dims{}, Weights{DataType::kINT32, &kOnce, 1})->getOutput(0);
        loop->addTripLimit(once, TripLimit::kCOUNT);
        carried = loop->addRecurrence(input("x", {4, 64}));
        carried->setName("carried");
        inside = multiplied(*carried->getOutput(0), large);
        inside->setName("inside");
        ITensor& scaled = *multiplied(*inside->getOutput(0), small)->getOutput(0);
        carried->setInput(1, scaled);
        output(loop->addLoopOutput(*carried->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    }
    ILayer* multiplied(ITensor& with, Floats const& factors) {
        ITensor& constant = *network->addConstant(test::dims({64, 64}), test::weights(factors))->getOutput(0);
        return network->addMatrixMultiply(with, MatrixOperation::kNONE, constant, MatrixOperation::kNONE);
    }
    float result() { return Running(*build()).run(Floats(4 * 64, 100), 4 * 64).front(); }

    Floats large = Floats(64 * 64, 10.9375F);
    Floats small = Floats(64 * 64, 1.0F / 4096);
    ILayer* carried;
    ILayer* inside;
};

TEST(AskedTypes, holdInsideOfALoop) {
    Looping d;
    d.inside->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.result(), kInfinity);
    d.inside->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(d.result(), 1093.75F);
}

TEST(AskedTypes, insideOfALoopAreRefusedToo) {
    Looping d;
    d.config->clearFlag(BuilderFlag::kFP16);
    d.inside->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(), "buildSerializedNetwork: loop (Loop): a type requested of a layer inside it is "
                                      "not available: inside (MatrixMultiply): requested to compute in float16, and "
                                      "the build does not allow that type; set BuilderFlag::kFP16");
}

TEST(AskedTypes, ofWhatALoopCarriesAreItsOwn) {
    Looping d;
    d.carried->setPrecision(DataType::kFLOAT);
    EXPECT_EQ(d.result(), 1093.75F);
    d.carried->setPrecision(DataType::kHALF);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(
        d.messages.lastError(),
        "buildSerializedNetwork: not supported: BuilderFlag::kOBEY_PRECISION_CONSTRAINTS for carried "
        "(ControlEdge) in float16, a layer of a loop or a conditional, whose tensor is float32; convert that with "
        "addCast");
}

// ---- strongly typed networks

TEST(StronglyTyped, networksLeaveNoTypesToChoose) {
    std::pair<BuilderFlag, std::string> const flags[]{{BuilderFlag::kFP16, "kFP16"}, {BuilderFlag::kBF16, "kBF16"},
                                                      {BuilderFlag::kINT8, "kINT8"}, {BuilderFlag::kFP8, "kFP8"},
                                                      {BuilderFlag::kINT4, "kINT4"}, {BuilderFlag::kFP4, "kFP4"}};
    for (auto const& [flag, name] : flags) {
        Defining d;
        d.network.reset(
            d.builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)));
        d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
        d.config->setFlag(flag);
        EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
        EXPECT_EQ(d.messages.lastError(),
                  "buildSerializedNetwork: BuilderFlag::" + name +
                      " is refused in a strongly typed network: its tensors define their types");
    }
}

/// 64 · 100 · 10.9375 in the type of the factors.
TEST(StronglyTyped, networksComputeInTheTypesThatTheySay) {
    for (bool const inHalf : {false, true}) {
        Defining d;
        d.network.reset(
            d.builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)));
        Floats const large(64 * 64, 10.9375F);
        ITensor* x = &d.input("x", {4, 64});
        ITensor* factors = d.network->addConstant(test::dims({64, 64}), test::weights(large))->getOutput(0);
        if (inHalf) x = d.network->addCast(*x, DataType::kHALF)->getOutput(0);
        if (inHalf) factors = d.network->addCast(*factors, DataType::kHALF)->getOutput(0);
        ITensor* y =
            d.network->addMatrixMultiply(*x, MatrixOperation::kNONE, *factors, MatrixOperation::kNONE)->getOutput(0);
        EXPECT_EQ(y->getType(), inHalf ? DataType::kHALF : DataType::kFLOAT);
        d.output(d.network->addCast(*y, DataType::kFLOAT)->getOutput(0));
        EXPECT_EQ(Running(*d.build()).run(Floats(4 * 64, 100), 4 * 64).front(), inHalf ? kInfinity : 70000.0F);
    }
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Behaviour that does not differ between levels: saved bytes, signatures, namespaces.
#include "plugin_base/program.inc"
#include "tenon/device.h"

char const* namespaceWithOldStrings();

namespace tenon {
namespace {

/// The test specifies its signature.
class Shaped final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override { visit("count", count_); }
    Signature signature() const override { return current; }
    void outputShapes(Shapes inputs, DimsExprs* outputs, IExprBuilder& builder) const override {
        IDimensionExpr const& extent = *inputs[0].d[0];
        if (count_ == 7) outputs[0].d[1] = builder.operation(DimensionOperation::kSUM, extent, *builder.constant(1));
        if (count_ == 8) outputs[0].d[0] = builder.declareSizeTensor(1, extent, extent);
        if (count_ == 9) outputs[0].d[0] = inputs[1].d[1];
    }
    void checkInputs(KnownShapes) const override { ++checks; }
    PluginDevices devices() const override { return where; }
    void run(Tensors inputs, Tensors outputs) override {
        std::fill_n(outputs[0].floats(), outputs[0].count(), inputs[0].floats()[0]);
    }

    static Signature current;
    static int checks;
    static PluginDevices where;

private:
    int32_t count_ = 7;
};

int Shaped::checks = 0;
PluginDevices Shaped::where = PluginDevices::kCPU;

std::string openSize(char const* type) {
    return std::string("Shaped: output 'y' [?] is ") + type +
           " and of a size that only the run tells; in signature(), it has to be Kind::kFloat";
}

PluginBase::Signature Shaped::current;

class Signatures : public testing::Test {
protected:
    Signatures() { setPluginLogger(&logger_); }
    ~Signatures() override {
        setPluginLogger(nullptr);
        setDevice(nullptr);
        Shaped::where = PluginDevices::kCPU;
    }

    /// The message if a layer of this signature cannot be made.
    std::string refusal(PluginBase::Signature const& signature, int32_t count = 7) {
        return firstLine(log(signature, count));
    }
    static std::string firstLine(std::string const& text) { return text.substr(0, text.find('\n')); }
    /// The log of building an engine.
    std::string log(PluginBase::Signature const& signature, int32_t count, DataType type = DataType::kFLOAT) {
        return log(signature, count, Input{"x", type, {2}, {2}});
    }
    std::string log(PluginBase::Signature const& signature, int32_t count, Input const& input) {
        Shaped::current = signature;
        std::vector<PluginField> const fields{{"count", &count, PluginFieldType::kINT32, 1}};
        PluginFieldCollection const given = collection(fields);
        Plugin const plugin = create(creators_, PluginGeneration::kV3, &given);
        if (plugin) file_ = build(logger_, {input}, plugin, {"y", "size"});
        return logger_.take();
    }

    static PluginBase::Signature with(char const* output) {
        return PluginBase::Signature().input("x", "[N]").output("y", output);
    }

    /// With the size of y left to the run, and x and y of this type.
    void expectNoOpenSize(DataType type, char const* name) {
        PluginBase::Signature const signature =
            PluginBase::Signature().input("x", "[N]").output("y", "[?]").output("size", "[]", PluginBase::Kind::kInt32);
        std::string const text = openSize(name);
        ASSERT_TRUE(creators_.registerAt(0));
        logger_.most = ILogger::Severity::kINFO;
        std::string const said = log(signature, 8, type);
        logger_.most = ILogger::Severity::kWARNING;
        EXPECT_NE(said.find(text), std::string::npos) << said;
        EXPECT_EQ(file_, "") << "it is not accepted";

        Shaped::where = PluginDevices::kBOTH; // it could run on a GPU, but could not access host memory there
        ASSERT_EQ(setDevice("cpu"), nullptr);
        EXPECT_EQ(log(signature, 8, type), "");
        Engine engine(logger_, file_);
        ASSERT_TRUE(engine) << logger_.text;
        engine.give<uint16_t>("x", {2}, {0, 0});
        engine.expect<uint16_t>("y", 2);
        engine.expect<int32_t>("size", 1);
        logger_.take();
        EXPECT_FALSE(engine.run());
        EXPECT_EQ(firstLine(logger_.take()), text);
    }

    Recorder logger_;
    PluginCreators const creators_{{definePlugin<Shaped>("Shaped")}};
    std::string file_;
};

TEST_F(Signatures, ofNoShapeAreRefused) {
    EXPECT_EQ(refusal(PluginBase::Signature().input("x", "N").output("y", "[N]")),
              "Shaped: signature(): the shape of input 'x' is 'N'; expected one such as [B,4,...] or [B,N]|[B,N,1]");
    for (char const* wrong : {"", "N]", "[N", "[n]", "[-1]", "[2x]", "[...,N]", "[?N]", "[?...,N]", "[N*2]", "[N,,2]",
                              "[B,]", "[N]|", "|[N]", "[,]"}) {
        EXPECT_EQ(refusal(PluginBase::Signature().input("x", wrong).output("y", "[4]")),
                  std::string("Shaped: signature(): the shape of input 'x' is '") + wrong +
                      "'; expected one such as [B,4,...] or [B,N]|[B,N,1]");
    }
    for (char const* wrong : {"", "[N]|[N,1]", "[2x]", "[N,...,2]", "[N,,2]", "[N,]", "[N]|", "[N*]", "[*N]"}) {
        EXPECT_EQ(refusal(with(wrong)), std::string("Shaped: signature(): the shape of output 'y' is '") + wrong +
                                            "'; expected one such as [B,4], [N*max_boxes,?] or [...]");
    }
}

TEST_F(Signatures, speakOfWhatThereIs) {
    EXPECT_EQ(refusal(with("[M]")), "Shaped: signature(): no input has the letter M of an output");
    EXPECT_EQ(refusal(with("[size]")), "Shaped: signature(): there is no INT32 field 'size'");
    EXPECT_EQ(refusal(with("[N*count]"), -1),
              "Shaped: field 'count' is -1; expected 0 or more, because an output has it as an extent");
    EXPECT_EQ(refusal(with("[...]")), "Shaped: signature(): no input has the `...` of an output");
    EXPECT_EQ(refusal(with("[N,N,N,N,N,N,N,N,N]")),
              "Shaped: output 'y' [N,N,N,N,N,N,N,N,N] has more than 8 dimensions");
}

TEST_F(Signatures, haveWhatMayBeMissingLast) {
    try {
        PluginBase::Signature().optionalInput("a", "[N]").input("b", "[N]");
        FAIL() << "expected an exception";
    } catch (std::invalid_argument const& error) {
        EXPECT_STREQ(error.what(), "signature(): input 'b' follows one that may be missing");
    }
}

TEST_F(Signatures, haveWhatMayBeRepeatedLast) {
    try {
        PluginBase::Signature().repeatedInput("a", "[N]").optionalInput("b", "[N]");
        FAIL() << "expected an exception";
    } catch (std::invalid_argument const& error) {
        EXPECT_STREQ(error.what(), "signature(): input 'b' follows one that may be repeated");
    }
    EXPECT_EQ(refusal(PluginBase::Signature().input("w", "[2,N]").repeatedInput("x", "[N,?...]").output("y", "[N]")),
              "Shaped: has 1 inputs; expected 2 or more: w [2,N], x [N,?...]");
}

TEST_F(Signatures, mayLeaveExtentsOpen) {
    EXPECT_EQ(log(PluginBase::Signature().input("x", "[?]").output("y", "[4]"), 6), "");
    EXPECT_EQ(log(PluginBase::Signature().input("x", "[?...]").output("y", "[4]"), 6), "");
    EXPECT_EQ(refusal(PluginBase::Signature().input("x", "[?,?,?...]").output("y", "[4]")),
              "Shaped: input 'x' is [2]; expected [?,?,?...]");
    EXPECT_EQ(refusal(PluginBase::Signature().input("x", "[...]").output("y", "[count,?...]"), 6),
              "Shaped: output 'y' [count,?...]: extent 1 is missing; outputShapes() has to set it");
}

TEST_F(Signatures, mayLeaveExtentsToOutputShapes) {
    EXPECT_EQ(refusal(with("[count,?]"), 6),
              "Shaped: output 'y' [count,?]: extent 1 is missing; outputShapes() has to set it");
    EXPECT_EQ(log(with("[count,?]"), 7), "");
    ASSERT_TRUE(creators_.registerAt(0));
    Engine engine(logger_, file_);
    ASSERT_TRUE(engine) << logger_.text;
    engine.give<float>("x", {2}, {5, 6});
    engine.expect<float>("y", 7 * 3);
    ASSERT_TRUE(engine.run()) << logger_.text;
    EXPECT_EQ(engine.get<float>("y", 21), std::vector<float>(21, 5));
}

TEST_F(Signatures, mayHaveAnOutputInHalfOfAnInputInFloat) {
    EXPECT_EQ(log(PluginBase::Signature().input("x", "[N]").output("y", "[N]", PluginBase::Kind::kHalf), 6), "");
    ASSERT_TRUE(creators_.registerAt(0));
    Engine engine(logger_, file_);
    ASSERT_TRUE(engine) << logger_.text;
    engine.give<float>("x", {2}, {5, 6});
    engine.expect<uint16_t>("y", 2);
    ASSERT_TRUE(engine.run()) << logger_.text;
    EXPECT_EQ(engine.get<uint16_t>("y", 2), std::vector<uint16_t>(2, 0x4500)) << "5";
}

TEST_F(Signatures, thatLeaveASizeToTheRunCannotBeHalf) { expectNoOpenSize(DataType::kHALF, "HALF"); }
TEST_F(Signatures, thatLeaveASizeToTheRunCannotBeBf16) { expectNoOpenSize(DataType::kBF16, "BF16"); }

TEST_F(Signatures, ofWhichTheNetworkLeavesSeveralOpenHaveTheSameOutputsByEach) {
    auto const logFor = [this](char const* output, Extents const& smallest) {
        PluginBase::Signature const signature =
            PluginBase::Signature().input("x", "[4,N]|[N,4]|[M,N]").output("y", output);
        return firstLine(log(signature, 7, Input{"x", DataType::kFLOAT, smallest, {4, 4}}));
    };
    EXPECT_EQ(logFor("[N]", {1, 1}),
              "Shaped: input 'x' is [-1,-1], which may become any of [4,N] or [N,4] or [M,N], with output 'y' [N] "
              "from different extents; the network has to say the extents that tell them apart");
    EXPECT_EQ(logFor("[N]", {1, 4}).substr(0, 50), "Shaped: input 'x' is [-1,4], which may become any ");
    EXPECT_EQ(logFor("[N]", {4, 1}), "") << "the first holds, whatever its N";
    EXPECT_EQ(logFor("[4]", {1, 1}), "") << "no output depends on it";
}

TEST_F(Signatures, ofAKnownLetterAreNotLeftOpenByIt) {
    Shaped::current = PluginBase::Signature().input("n", "[N]").input("x", "[4,N]|[N,4]").output("y", "[N]");
    PluginFieldCollection const none{};
    Plugin const plugin = create(creators_, PluginGeneration::kV3, &none);
    std::vector<Input> const inputs{{"n", DataType::kFLOAT, {1}, {4}}, {"x", DataType::kFLOAT, {1, 1}, {4, 4}}};
    EXPECT_NE(build(logger_, inputs, plugin, {"y"}), "");
    EXPECT_EQ(logger_.take(), "");
}

TEST_F(Signatures, withoutRealInputsHaveFloatOutputs) {
    Shaped::current = PluginBase::Signature().input("x", "[N]", PluginBase::Kind::kInt32).output("y", "[N]");
    PluginCreators const creators({definePlugin<Shaped>("Shaped", "1", PluginGeneration::kV2DynamicExt)});
    PluginFieldCollection const none{};
    Plugin const plugin = create(creators, PluginGeneration::kV2DynamicExt, &none);
    ASSERT_TRUE(plugin) << logger_.text;
    PluginTensorDesc descs[2]{{dimsOf({2}), DataType::kINT32, TensorFormat::kLINEAR, 1},
                              {dimsOf({2}), DataType::kFLOAT, TensorFormat::kLINEAR, 1}};
    EXPECT_TRUE(plugin.v2->supportsFormatCombination(1, descs, 1, 1));
    descs[1].type = DataType::kHALF;
    EXPECT_FALSE(plugin.v2->supportsFormatCombination(1, descs, 1, 1));
}

TEST_F(Signatures, areHeldAgainstShapesThatAreNotThoseOfTheRunBefore) {
    Shaped::current = PluginBase::Signature().input("x", "[N]|[N,1]").output("y", "[N]");
    PluginCreators const creators({definePlugin<Shaped>("Shaped", "1", PluginGeneration::kV2DynamicExt)});
    PluginFieldCollection const none{};
    Plugin const plugin = create(creators, PluginGeneration::kV2DynamicExt, &none);
    ASSERT_TRUE(plugin) << logger_.text;
    float x[4]{}, y[4]{};
    auto const enqueue = [&](Extents const& shape) {
        PluginTensorDesc const in{dimsOf(shape), DataType::kFLOAT, TensorFormat::kLINEAR, 1};
        PluginTensorDesc const out{dimsOf({shape[0]}), DataType::kFLOAT, TensorFormat::kLINEAR, 1};
        void const* inputs[]{x};
        void* outputs[]{y};
        return plugin.v2->enqueue(&in, &out, inputs, outputs, nullptr, nullptr);
    };
    DynamicPluginTensorDesc const desc{};
    plugin.v2->configurePlugin(&desc, 1, &desc, 1);
    Shaped::checks = 0;
    for (Extents const& shape : {Extents{2}, {2}, {3}, {3, 1}, {3, 1}, {2}}) EXPECT_EQ(enqueue(shape), 0);
    EXPECT_EQ(Shaped::checks, 4);
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(enqueue({2, 2}), -1);
        EXPECT_EQ(logger_.take(), "Shaped: input 'x' is [2,2]; expected [N] or [N,1]\n");
    }
}

/// Its devices() would make an engine for the CPU refuse it.
class ForGpus final : public PluginBase {
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[N]").output("y", "[N]"); }
    PluginDevices devices() const override { return PluginDevices::kCUDA; }
    void run(Tensors, Tensors) override {}
};

TEST_F(Signatures, listedPluginsDoNotSayWhereThoseOfAnotherCreatorRun) {
    ASSERT_TRUE(creators_.registerAt(0));
    Shaped::current = with("[N]");
    PluginFieldCollection const none{};
    Plugin const plugin = create(creators_, PluginGeneration::kV3, &none);
    int32_t count = 0;
    PluginCreators const others({definePlugin<ForGpus>("Shaped")}, nullptr);
    others.list(count);
    EXPECT_EQ(count, 1);
    EXPECT_NE(build(logger_, {{"x", DataType::kFLOAT, {2}, {2}}}, plugin, {"y"}), "");
    EXPECT_EQ(logger_.take(), "");
}

TEST(Namespaces, tellTheStringsOfTheStandardLibraryApart) {
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
    EXPECT_STREQ(namespaceWithOldStrings(), TENON_TEXT(TENON_PLUGIN_BASE) "OldStrings");
#else
    EXPECT_STREQ(namespaceWithOldStrings(), TENON_TEXT(TENON_PLUGIN_BASE));
#endif
}

TEST(SavedPlugins, thatAreCutOffTooLongOrOfNothingAreRefused) {
    PluginDefinition const definition = definePlugin<Shaped>("Shaped", "1", PluginGeneration::kV2DynamicExt);
    PluginCreators const creators({definition});
    Recorder logger;
    setPluginLogger(&logger);
    Shaped::current = PluginBase::Signature().input("x", "[N]").output("y", "[N]");
    PluginFieldCollection const none{};
    std::string const saved = savedV2(create(creators, PluginGeneration::kV2DynamicExt, &none));
    auto const expectRefusal = [&](void const* data, size_t size, char const* text) {
        EXPECT_EQ(creatorOfV2(creators).deserializePlugin("layer", data, size), nullptr);
        EXPECT_EQ(logger.take(), text);
    };
    for (size_t size = 0; size < saved.size(); ++size)
        expectRefusal(saved.data(), size, "Shaped: its saved data is cut off\n");
    std::string const longer = saved + "ab";
    expectRefusal(longer.data(), longer.size(), "Shaped: its saved data is 2 bytes too long\n");
    expectRefusal(nullptr, 4, "Shaped: its saved data is null\n");
    setPluginLogger(nullptr);
}

TEST_F(Signatures, ElementsOfShapeInputsStandBehindTheShapes) {
    Shaped::current = PluginBase::Signature().input("x", "[N]").shapeInput("k").output("y", "[?]");
    int32_t const count = 9, numbers[]{5, 3};
    std::vector<PluginField> const fields{{"count", &count, PluginFieldType::kINT32, 1}};
    PluginFieldCollection const given = collection(fields);
    Plugin const plugin = create(creators_, PluginGeneration::kV3, &given);
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger_));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    ITensor* const x = network->addInput("x", DataType::kFLOAT, dimsOf({2}));
    ITensor* const k = network->addConstant(dimsOf({2}), Weights{DataType::kINT32, numbers, 2})->getOutput(0);
    ILayer* const layer = network->addPluginV3(&x, 1, &k, 1, *plugin.v3);
    ASSERT_NE(layer, nullptr) << logger_.text;
    Dims const found = layer->getOutput(0)->getDimensions();
    EXPECT_EQ(found.nbDims, 1);
    EXPECT_EQ(found.d[0], 3);
}

TEST_F(Signatures, ShapeInputsHaveToBeGivenAsSuch) {
    EXPECT_EQ(
        refusal(PluginBase::Signature().input("x", "[N]").shapeInput("k").shapeInput("l").output("y", "[?]"), 9),
        "Shaped: has 0 shape inputs; expected 2: k, l; they are given to addPluginV3(), and in ONNX the attribute "
        "tensorrt_plugin_shape_input_indices names them");
}

TEST_F(Signatures, ShapeInputsMayBeOptionalWhereTheNumberOfOthersIsFixed) {
    auto const ofShape = [] { return PluginBase::Signature().input("x", "[N]").output("y", "[?]"); };
    EXPECT_EQ(refusal(ofShape().shapeInput("k").optionalShapeInput("l"), 9),
              "Shaped: has 0 shape inputs; expected 1 to 2: k, l; they are given to addPluginV3(), and in ONNX the "
              "attribute tensorrt_plugin_shape_input_indices names them");
    auto const said = [](auto const& make) {
        try {
            make();
        } catch (std::invalid_argument const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(said([&] { ofShape().optionalShapeInput("k").shapeInput("l"); }),
              "signature(): input 'l' follows one that may be missing");
    EXPECT_EQ(said([&] { ofShape().optionalInput("z", "[N]").optionalShapeInput("l"); }),
              "signature(): shape input 'l' may be missing; then the number of the other inputs has to be fixed");
}

} // namespace
} // namespace tenon

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// What does not differ between levels: saved bytes, signatures.
#include "plugin_base/program.inc"

namespace tenon {
namespace {

/// Its signature is what the test says.
class Shaped final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override { visit("count", count_); }
    Signature signature() const override { return current; }
    void outputShapes(Shapes inputs, DimsExprs* outputs, IExprBuilder& builder) const override {
        IDimensionExpr const& extent = *inputs[0].d[0];
        if (count_ == 7) outputs[0].d[1] = builder.operation(DimensionOperation::kSUM, extent, *builder.constant(1));
        if (count_ == 8) outputs[0].d[0] = builder.declareSizeTensor(1, extent, extent);
    }
    void run(Tensors inputs, Tensors outputs) override {
        std::fill_n(outputs[0].floats(), outputs[0].count(), inputs[0].floats()[0]);
    }

    static Signature current;

private:
    int32_t count_ = 7;
};

PluginBase::Signature Shaped::current;

class Signatures : public testing::Test {
protected:
    Signatures() { setPluginLogger(&logger_); }
    ~Signatures() override { setPluginLogger(nullptr); }

    /// What is said where a layer of this signature cannot be made.
    std::string refusal(PluginBase::Signature const& signature, int32_t count = 7) {
        std::string const text = log(signature, count);
        return text.substr(0, text.find('\n'));
    }
    /// What is logged when an engine is built.
    std::string log(PluginBase::Signature const& signature, int32_t count, DataType type = DataType::kFLOAT) {
        Shaped::current = signature;
        std::vector<PluginField> const fields{{"count", &count, PluginFieldType::kINT32, 1}};
        PluginFieldCollection const given = collection(fields);
        Plugin const plugin = create(creators_, PluginGeneration::kV3, &given);
        if (plugin) file_ = build(logger_, {{"x", type, {2}, {2}}}, plugin, {"y", "size"});
        return logger_.take();
    }

    static PluginBase::Signature with(char const* output) {
        return PluginBase::Signature().input("x", "[N]").output("y", output);
    }

    Recorder logger_;
    PluginCreators const creators_{{definePlugin<Shaped>("Shaped")}};
    std::string file_;
};

TEST_F(Signatures, ofNoShapeAreRefused) {
    EXPECT_EQ(refusal(PluginBase::Signature().input("x", "N").output("y", "[N]")),
              "Shaped: signature(): the shape of input 'x' is 'N'; expected one such as [B,4,...] or [B,N]|[B,N,1]");
    for (char const* wrong : {"", "N]", "[N", "[n]", "[-1]", "[2x]", "[...,N]", "[?]", "[N*2]", "[N,,2]"}) {
        EXPECT_EQ(refusal(PluginBase::Signature().input("x", wrong).output("y", "[4]")),
                  std::string("Shaped: signature(): the shape of input 'x' is '") + wrong +
                      "'; expected one such as [B,4,...] or [B,N]|[B,N,1]");
    }
    for (char const* wrong : {"", "[N]|[N,1]", "[2x]", "[N,...,2]", "[N,,2]"}) {
        EXPECT_EQ(refusal(with(wrong)), std::string("Shaped: signature(): the shape of output 'y' is '") + wrong +
                                            "'; expected one such as [B,4], [N*max_boxes,?] or [...]");
    }
}

TEST_F(Signatures, speakOfWhatThereIs) {
    EXPECT_EQ(refusal(with("[M]")), "Shaped: signature(): no input has the letter M of an output");
    EXPECT_EQ(refusal(with("[size]")), "Shaped: signature(): there is no INT32 field 'size'");
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

TEST_F(Signatures, thatLeaveASizeToTheRunCannotBeHalf) {
    PluginBase::Signature const signature =
        PluginBase::Signature().input("x", "[N]").output("y", "[?]").output("size", "[]", PluginBase::Kind::kInt32);
    ASSERT_TRUE(creators_.registerAt(0));
    log(signature, 8, DataType::kHALF);
    Engine engine(logger_, file_);
    ASSERT_TRUE(engine) << logger_.text;
    engine.give<uint16_t>("x", {2}, {0x3C00, 0x3C00});
    engine.expect<uint16_t>("y", 2);
    engine.expect<int32_t>("size", 1);
    logger_.take();
    EXPECT_FALSE(engine.run());
    std::string const text = logger_.take();
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "Shaped: output 'y' [?] is HALF and of a size that only the run tells; in "
              "signature(), it has to be Kind::kFloat");
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

} // namespace
} // namespace tenon

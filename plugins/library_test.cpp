// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// What holds for all standard plugins, and their registration.
#include "plugin.h"

#include <NvInferPlugin.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

namespace tenon::plugins {
namespace {

using namespace nvinfer1;
using namespace hosting;

class Recorder final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING) text += std::string(message) + '\n';
    }

    std::string text;
};

// The library keeps the logger that it was given last.
Recorder& cleared() {
    static Recorder recorder;
    recorder.text.clear();
    return recorder;
}

IPluginCreatorInterface* registered(PluginDefinition const& definition, char const* pluginNamespace) {
    return getPluginRegistry()->getCreator(definition.name, definition.version, pluginNamespace);
}

std::string nameOf(PluginDefinition const& definition) {
    return std::string(definition.name) + ' ' + definition.version;
}

PluginDefinition const& definitionOf(std::string_view name) {
    return *std::ranges::find_if(allPlugins(), [&](PluginDefinition const& each) { return each.name == name; });
}

// Of a program that has its own plugin of a name.
class OwnCreator final : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return "LReLU_TRT"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &none_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override { return nullptr; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override { return nullptr; }
    void setPluginNamespace(char const* name) noexcept override { namespace_ = name; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }

private:
    PluginFieldCollection none_{};
    std::string namespace_;
};

TEST(StandardPlugins, AreRegisteredOnceInTheNamespaceAskedForByManyThreadsAtOnce) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([] { EXPECT_TRUE(initLibNvInferPlugins(nullptr, "many")); });
    threads.clear();
    for (PluginDefinition const& definition : allPlugins()) {
        IPluginCreatorInterface* const creator = registered(definition, "many");
        ASSERT_NE(creator, nullptr) << nameOf(definition);
        EXPECT_TRUE(initLibNvInferPlugins(nullptr, "many"));
        EXPECT_EQ(registered(definition, "many"), creator);
        EXPECT_EQ(registered(definition, "other"), nullptr);
    }
    EXPECT_TRUE(initLibNvInferPlugins(nullptr, "other"));
    EXPECT_NE(registered(allPlugins()[0], "other"), nullptr);
}

TEST(StandardPlugins, LeaveAPluginOfTheProgramInItsPlace) {
    OwnCreator own;
    IPluginCreatorInterface& creator = own;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(creator, "own"));
    Recorder& logger = cleared();
    EXPECT_TRUE(initLibNvInferPlugins(&logger, "own"));
    EXPECT_EQ(getPluginRegistry()->getCreator("LReLU_TRT", "1", "own"), &own);
    EXPECT_NE(getPluginRegistry()->getCreator("Clip_TRT", "1", "own"), nullptr);
    EXPECT_EQ(logger.text, "");
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(creator));
}

TEST(StandardPlugins, ANamespaceThatIsNullIsRefused) {
    Recorder& logger = cleared();
    EXPECT_FALSE(initLibNvInferPlugins(&logger, nullptr));
    EXPECT_EQ(logger.text, "initLibNvInferPlugins: libNamespace is null; \"\" is the common one\n");
}

TEST(StandardPlugins, BelongToTheNamespaceThatTheyAreMadeFrom) {
    ASSERT_TRUE(initLibNvInferPlugins(nullptr, "mine"));
    auto* const dynamic = getPluginRegistry()->getCreator("LReLU_TRT", "1", "mine");
    PluginFieldCollection const none{};
    IPluginV2* const plugin = static_cast<IPluginCreator*>(dynamic)->createPlugin("x", &none);
    ASSERT_NE(plugin, nullptr);
    EXPECT_STREQ(plugin->getPluginNamespace(), "mine");
    plugin->destroy();
    auto* const v3 = static_cast<IPluginCreatorV3One*>(getPluginRegistry()->getCreator("ROIAlign_TRT", "2", "mine"));
    EXPECT_STREQ(v3->getPluginNamespace(), "mine");
}

TEST(StandardPlugins, NamesOfFieldsComeWithTypesAndNoData) {
    for (PluginDefinition const& definition : allPlugins()) {
        FieldNames const names(definition);
        for (int32_t i = 0; i < names.collection().nbFields; ++i) {
            PluginField const& field = names.collection().fields[i];
            EXPECT_TRUE(field.type == PluginFieldType::kINT32 || field.type == PluginFieldType::kFLOAT32 ||
                        field.type == PluginFieldType::kCHAR)
                << field.name;
            EXPECT_EQ(field.data, nullptr) << field.name;
        }
    }
}

// Fields that do not take a 1.
std::map<std::string, std::vector<int32_t>> const kIntegers = {
    {"GridAnchorRect_TRT featureMapShapes", {1, 1}},
    {"NMSDynamic_TRT inputOrder", {2, 0, 1}},
    {"NMS_TRT inputOrder", {2, 0, 1}},
    {"DetectionLayer_TRT image_size", {3, 64, 64}},
    {"GenerateDetection_TRT image_size", {3, 64, 64}},
    {"MultilevelCropAndResize_TRT image_size", {3, 64, 64}},
    {"MultilevelProposeROI_TRT image_size", {3, 64, 64}},
    {"ProposalLayer_TRT image_size", {3, 64, 64}},
    {"Region_TRT coords", {4}},
    {"YoloLayer_TRT combinedInfo", {1, 32, 32, 1, 8}},
    {"YoloLayer_TRT max_stride", {0}},
    {"YoloLayer_TRT yoloWidth", {0}},
};
std::map<std::string, std::vector<float>> const kReals = {
    {"DecodeBbox3DPlugin anchors", {1, 1, 1, 1, 1, 1, 1, 1}},
    {"DecodeBbox3DPlugin point_cloud_range", {0, 0, 0, 1, 1, 1}},
    {"VoxelGeneratorPlugin point_cloud_range", {0, 0, 0, 1, 1, 1}},
    {"VoxelGeneratorPlugin voxel_size", {1, 1, 1}},
    {"YoloLayer_TRT kernels", {}},
    {"YoloLayer_TRT netinfo", {}},
};

// Values that every plugin takes for its fields, each as often as that field needs.
std::vector<PluginField> someFields(PluginDefinition const& definition) {
    static int32_t const integers[] = {1, 1, 1, 1};
    static float const reals[] = {1, 1, 1, 1};
    std::vector<PluginField> fields = describeFields(*definition.make());
    for (PluginField& field : fields) {
        std::string const name = std::string(definition.name) + ' ' + field.name;
        bool const isInteger = field.type == PluginFieldType::kINT32;
        field.data = isInteger ? static_cast<void const*>(integers) : reals;
        field.length = std::max(field.length, 1);
        if (auto const found = kIntegers.find(name); found != kIntegers.end())
            field = PluginField(field.name, found->second.data(), field.type, int32_t(found->second.size()));
        if (auto const found = kReals.find(name); found != kReals.end())
            field = PluginField(field.name, found->second.data(), field.type, int32_t(found->second.size()));
        if (field.type == PluginFieldType::kCHAR) field = PluginField(field.name, "add", field.type, 4);
    }
    return fields;
}

TEST(StandardPlugins, ACloneAndWhatIsReadBackHaveTheSameFields) {
    for (PluginDefinition const& definition : allPlugins()) {
        std::vector<PluginField> const fields = someFields(definition);
        PluginFieldCollection const given{int32_t(fields.size()), fields.data()};
        HostedPlugin const plugin = HostedPlugin::fromFields(definition, &given);
        Bytes const saved = plugin.save();
        EXPECT_EQ(plugin.clone().save(), saved) << nameOf(definition);
        std::vector<PluginField> const described = plugin.describe();
        PluginFieldCollection const again{int32_t(described.size()), described.data()};
        EXPECT_EQ(HostedPlugin::fromFields(definition, &again).save(), saved) << nameOf(definition);
    }
}

TEST(StandardPlugins, SavedDataThatIsCutOffOrTooLongIsRefused) {
    for (PluginDefinition const& definition : allPlugins()) {
        std::vector<PluginField> const fields = someFields(definition);
        PluginFieldCollection const given{int32_t(fields.size()), fields.data()};
        Bytes saved = HostedPlugin::fromFields(definition, &given).save();
        for (size_t length = 0; length < saved.size(); ++length)
            EXPECT_THROW(HostedPlugin::fromBytes(definition, saved.data(), length), std::invalid_argument);
        saved.push_back({});
        EXPECT_THROW(HostedPlugin::fromBytes(definition, saved.data(), saved.size()), std::invalid_argument);
        Bytes const ones(saved.size() - 1, 0xFF);
        if (ones.size() > 8) {
            EXPECT_THROW(HostedPlugin::fromBytes(definition, ones.data(), ones.size()), std::invalid_argument)
                << nameOf(definition);
        }
    }
}

TEST(StandardPlugins, AFieldMayBeOfAnotherWidthButNotOfAnotherKind) {
    PluginDefinition const& leakyRelu = definitionOf("LReLU_TRT");
    double const wide = 0.25;
    uint16_t const half = 0x3400;
    float const narrow = 0.25F;
    int32_t const integer = 0;
    auto saved = [&](PluginField const& field) {
        PluginFieldCollection const given{1, &field};
        return HostedPlugin::fromFields(leakyRelu, &given).save();
    };
    EXPECT_EQ(saved({"negSlope", &wide, PluginFieldType::kFLOAT64, 1}),
              saved({"negSlope", &narrow, PluginFieldType::kFLOAT32, 1}));
    EXPECT_EQ(saved({"negSlope", &half, PluginFieldType::kFLOAT16, 1}),
              saved({"negSlope", &narrow, PluginFieldType::kFLOAT32, 1}));
    EXPECT_EQ(saved({"negSlope", &narrow, PluginFieldType::kFLOAT32, 0}),
              saved({"negSlope", &narrow, PluginFieldType::kFLOAT32, 1}));
    EXPECT_THROW(saved({"negSlope", &integer, PluginFieldType::kINT32, 1}), std::invalid_argument);
    EXPECT_THROW(saved({"negSlope", &narrow, PluginFieldType::kFLOAT32, 2}), std::invalid_argument);
    EXPECT_THROW(saved({"negSlope", nullptr, PluginFieldType::kFLOAT32, 1}), std::invalid_argument);
    EXPECT_THROW(saved({nullptr, &narrow, PluginFieldType::kFLOAT32, 1}), std::invalid_argument);
}

// NVIDIA's BERT gives var_seqlen so.
TEST(StandardPlugins, AnIntegerOfWhichTheFieldSaysThatItIsARealNumberIsTaken) {
    int32_t const one = 1;
    float const real = 1;
    auto saved = [](void const* value, PluginFieldType type) {
        PluginField const field("stride", value, type, 1);
        PluginFieldCollection const given{1, &field};
        return HostedPlugin::fromFields(definitionOf("Reorg_TRT"), &given).save();
    };
    EXPECT_EQ(saved(&one, PluginFieldType::kFLOAT32), saved(&one, PluginFieldType::kINT32));
    EXPECT_THROW(saved(&real, PluginFieldType::kFLOAT32), std::invalid_argument);
}

TEST(StandardPlugins, AFieldThatAPluginHasNotIsIgnoredWithAWarning) {
    Recorder& logger = cleared();
    initLibNvInferPlugins(&logger, "");
    PluginDefinition const& leakyRelu = definitionOf("LReLU_TRT");
    float const value = 0;
    PluginField const field("slope", &value, PluginFieldType::kFLOAT32, 1);
    PluginFieldCollection const given{1, &field};
    HostedPlugin::fromFields(leakyRelu, &given);
    EXPECT_EQ(logger.text, "LReLU_TRT: field 'slope' is ignored: there is no such field\n");
}

// ---- docs/plugins.md

std::string slots(std::vector<Slot> const& all, size_t optional = 0, bool isLastRepeated = false) {
    std::string text;
    for (size_t i = 0; i < all.size(); ++i) {
        text += (i ? "<br>" : "") + all[i].name + " `" + readable(all[i].shape) + '`';
        if (all[i].kind == Kind::kInt32) text += " INT32";
        if (all[i].kind == Kind::kInt64) text += " INT64";
        if (all[i].kind == Kind::kFloat) text += " FLOAT";
        if (all[i].kind == Kind::kAny) text += " any";
        if (all[i].kind == Kind::kHalf) text += " HALF";
        if (i + optional >= all.size()) text += ", optional";
    }
    return text + (isLastRepeated ? ", one or more" : "");
}

class Defaults final : public PluginBase::FieldVisitor {
public:
    void operator()(char const* name, int32_t& value) override { add(name) << value; }
    void operator()(char const* name, float& value) override { add(name) << value; }
    void operator()(char const* name, std::string& text) override { add(name) << text; }
    void operator()(char const* name, std::vector<int32_t>&) override { add(name) << "integers"; }
    void operator()(char const* name, std::vector<float>&) override { add(name) << "numbers"; }

    std::ostringstream text;

private:
    std::ostream& add(char const* name) { return text << (text.tellp() > 0 ? "<br>" : "") << name << " = "; }
};

std::string row(PluginDefinition const& definition) {
    std::unique_ptr<PluginBase> const plugin = definition.make();
    PluginBase::Signature const signature = plugin->signature();
    Defaults defaults;
    plugin->fields(defaults);
    return "| `" + std::string(definition.name) + "` | " + definition.version + " | " +
           (definition.generation == PluginGeneration::kV3 ? "IPluginV3" : "IPluginV2DynamicExt") + " | " +
           slots(signature.inputs(), signature.optionalInputs(), signature.isLastRepeated()) + " | " +
           slots(signature.outputs()) + " | " + defaults.text.str() + " |";
}

TEST(StandardPlugins, AreThoseOfTheDocumentation) {
    std::ifstream page("docs/plugins.md");
    std::vector<std::string> documented, existing;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| `")) documented.push_back(line);
    }
    for (PluginDefinition const& definition : allPlugins()) existing.push_back(row(definition));
    std::ostringstream rows;
    std::ranges::copy(existing, std::ostream_iterator<std::string>(rows, "\n"));
    EXPECT_EQ(documented, existing) << "The table has to be\n" << rows.str();
}

} // namespace
} // namespace tenon::plugins

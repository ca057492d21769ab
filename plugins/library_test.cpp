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
#include <regex>
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

TEST(StandardPlugins, NamesOfFieldsComeWithTypesAndDefaults) {
    for (PluginDefinition const& definition : allPlugins()) {
        FieldNames const names(definition);
        for (int32_t i = 0; i < names.collection().nbFields; ++i) {
            PluginField const& field = names.collection().fields[i];
            EXPECT_TRUE(field.type == PluginFieldType::kINT32 || field.type == PluginFieldType::kFLOAT32 ||
                        field.type == PluginFieldType::kCHAR)
                << field.name;
            bool const isText = field.type == PluginFieldType::kCHAR;
            EXPECT_TRUE(isText || (field.data == nullptr) == (field.length == 0)) << field.name;
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

char const* typesText(Kind kind) {
    switch (kind) {
    case Kind::kReal: return "FLOAT, HALF, BF16";
    case Kind::kAny: return "any";
    case Kind::kFloat: return "FLOAT";
    case Kind::kHalf: return "HALF";
    case Kind::kInt32: return "INT32";
    case Kind::kBool: return "BOOL";
    case Kind::kInt64: return "INT64";
    }
    return "";
}

/// One in each line of a cell of a table.
std::string lines(std::vector<std::string> const& all) {
    std::string text;
    for (std::string const& one : all) text += (text.empty() ? "" : "<br>") + one;
    return text;
}

/// Of all tensors.
std::vector<std::string> typesOf(PluginBase::Signature const& signature) {
    std::vector<std::string> types;
    for (auto const* slots : {&signature.inputs(), &signature.outputs()}) {
        for (Slot const& slot : *slots) {
            if (std::ranges::find(types, typesText(slot.kind)) == types.end()) types.emplace_back(typesText(slot.kind));
        }
    }
    return types;
}

std::string text(Slot const& slot) {
    std::string const type = slot.kind == Kind::kReal ? "" : std::string(" ") + typesText(slot.kind);
    return slot.name + " `" + readable(slot.shape) + '`' + type;
}

std::vector<std::string> tensorsOf(PluginBase::Signature const& signature) {
    std::vector<std::string> tensors;
    std::vector<Slot> const& inputs = signature.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
        bool const isOptional = i + signature.optionalInputs() >= inputs.size();
        bool const isRepeated = signature.isLastRepeated() && i + 1 == inputs.size();
        tensors.push_back(text(inputs[i]) + (isOptional ? ", optional" : "") + (isRepeated ? ", one or more" : ""));
    }
    for (Slot const& output : signature.outputs()) tensors.push_back("→ " + text(output));
    return tensors;
}

/// "`topK: INT32 = 0`"
class FieldTexts final : public Visitor<FieldTexts> {
public:
    template <typename T> void each(char const* name, T value) {
        std::ostringstream text;
        text << '`' << name << ": " << typeText(value) << " = " << shown(value) << '`';
        all.push_back(text.str());
    }
    template <typename T> void each(char const* name, std::vector<T> const& values) {
        std::ostringstream text;
        text << '`' << name << ": " << typeText(T()) << "[] = [";
        for (size_t i = 0; i < values.size(); ++i) text << (i ? "," : "") << values[i];
        all.push_back(text.str() + "]`");
    }

    std::vector<std::string> all;

private:
    static char const* typeText(int32_t) { return "INT32"; }
    static char const* typeText(float) { return "FLOAT32"; }
    static char const* typeText(std::string const&) { return "CHAR"; }
    template <typename T> static T shown(T number) { return number; }
    static std::string shown(std::string const& text) { return '"' + text + '"'; }
};

std::string devicesText(PluginDevices devices) {
    if (devices == PluginDevices::kBOTH) return "CPU, CUDA";
    return devices == PluginDevices::kCPU ? "CPU" : "CUDA";
}

/// What a version has in common with others of its plugin, as the last cells of a row.
std::string commonCells(StandardPlugin const& plugin) {
    std::unique_ptr<PluginBase> const made = plugin.make();
    FieldTexts fields;
    made->fields(fields);
    PluginBase::Signature const signature = made->signature();
    return lines(tensorsOf(signature)) + " | " + lines(fields.all) + " | " + lines(typesOf(signature)) + " | " +
           devicesText(made->devices()) + " |";
}

std::string versionText(StandardPlugin const& plugin) {
    return std::string(plugin.version) + (plugin.generation == PluginGeneration::kV3 ? ": V3" : ": V2DynamicExt") +
           (*plugin.releases ? std::string(", ") + plugin.releases : "");
}

/// A row for all versions of a name that have the same tensors and fields, sorted.
std::vector<std::string> rows() {
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> versions;
    for (StandardPlugin const& plugin : allPlugins())
        versions[{plugin.name, commonCells(plugin)}].push_back(versionText(plugin));
    std::vector<std::string> rows;
    for (auto const& [nameAndCells, texts] : versions)
        rows.push_back("| `" + nameAndCells.first + "` | " + lines(texts) + " | " + nameAndCells.second);
    return rows;
}

TEST(StandardPlugins, AreThoseOfTheDocumentation) {
    std::ifstream page("docs/plugins.md");
    std::vector<std::string> documented, existing = rows();
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| `")) documented.push_back(line);
    }
    std::ostringstream table;
    std::ranges::copy(existing, std::ostream_iterator<std::string>(table, "\n"));
    EXPECT_TRUE(documented == existing) << "The table has to be\n" << table.str();
}

TEST(StandardPlugins, SayWhichReleasesHadThem) {
    for (StandardPlugin const& plugin : allPlugins()) {
        static std::regex const form("(from \\d+\\.\\d+|\\d+\\.\\d+( to \\d+\\.\\d+)?)?");
        EXPECT_TRUE(std::regex_match(plugin.releases, form)) << nameOf(plugin) << ": " << plugin.releases;
    }
}

} // namespace
} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Properties of all standard plugins, and their registration.
#include "constants.h"
#include "gpu.h"
#include "plugin.h"
#include "some_fields.h"

#include <NvInferPlugin.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
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

// The library keeps the last logger that it received.
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

// Of an application that has its own plugin with the name.
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

// NVIDIA's BERT passes var_seqlen so.
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

DimsExprs shapeOf(int32_t rank, std::vector<int64_t> const& extents, IExprBuilder& builder) {
    DimsExprs shape{rank, {}};
    for (size_t i = 0; i < extents.size(); ++i) shape.d[i] = builder.constant(extents[i]);
    return shape;
}

// A V2 plugin, as applications use it. Some fields are `integers`.
std::unique_ptr<IPluginV2DynamicExt, void (*)(IPluginV2DynamicExt*)>
created(char const* name, std::map<std::string, int32_t> const& integers = {}) {
    std::vector<PluginField> fields = someFields(definitionOf(name));
    for (PluginField& field : fields)
        if (auto const found = integers.find(field.name); found != integers.end()) field.data = &found->second;
    PluginFieldCollection const given{int32_t(fields.size()), fields.data()};
    auto* const creator = static_cast<IPluginCreator*>(getPluginRegistry()->getCreator(name, "1", ""));
    return {static_cast<IPluginV2DynamicExt*>(creator->createPlugin("x", &given)),
            [](IPluginV2DynamicExt* plugin) { plugin->destroy(); }};
}

TEST(StandardPlugins, ShapesThatAreNoneAreRefused) {
    Recorder& logger = cleared();
    initLibNvInferPlugins(&logger, "");
    auto const relu = created("LReLU_TRT");
    Constants builder;
    auto const said = [&](int32_t output, DimsExprs const& shape) {
        logger.text.clear();
        EXPECT_EQ(relu->getOutputDimensions(output, &shape, 1, builder).nbDims, -1);
        return logger.text;
    };
    EXPECT_EQ(said(0, shapeOf(2, {4, -3}, builder)), "LReLU_TRT: extent 1 of input 0 is -3; expected 0 or more\n");
    EXPECT_EQ(said(0, shapeOf(9, {}, builder)), "LReLU_TRT: input 0 has 9 dimensions; expected 0 to 8\n");
    EXPECT_EQ(said(0, shapeOf(-1, {}, builder)), "LReLU_TRT: input 0 has -1 dimensions; expected 0 to 8\n");
    for (int32_t const output : {-1, 1})
        EXPECT_EQ(said(output, shapeOf(1, {4}, builder)),
                  "LReLU_TRT: is asked for output " + std::to_string(output) + "; expected 0 to 0\n");
    logger.text.clear();
    DataType const type = DataType::kHALF;
    relu->getOutputDataType(1, &type, 1);
    EXPECT_EQ(logger.text, "LReLU_TRT: is asked for output 1; expected 0 to 0\n");
}

TEST(StandardPlugins, ARunOfANegativeExtentIsRefused) {
    Recorder& logger = cleared();
    initLibNvInferPlugins(&logger, "");
    auto const slice = created("CropAndResize");
    PluginTensorDesc const inputs[]{{{4, {1, 1, 4, 4}}, DataType::kFLOAT, TensorFormat::kLINEAR, 1},
                                    {{3, {1, -2, 4}}, DataType::kFLOAT, TensorFormat::kLINEAR, 1}};
    PluginTensorDesc const output{{5, {1, -2, 1, 1, 1}}, DataType::kFLOAT, TensorFormat::kLINEAR, 1};
    DynamicPluginTensorDesc const configured[2]{};
    slice->configurePlugin(configured, 2, configured, 1);
    float memory = 0;
    void const* from[]{&memory, &memory};
    void* to[]{&memory};
    EXPECT_NE(slice->enqueue(inputs, &output, from, to, nullptr, nullptr), 0);
    EXPECT_EQ(logger.text, "CropAndResize: extent 1 of input 1 is -2; expected 0 or more\n");
}

TEST(StandardPlugins, OutputsThatAreTooLargeAreRefused) {
    Recorder& logger = cleared();
    initLibNvInferPlugins(&logger, "");
    auto const boxes = created("PriorBox_TRT");
    Constants builder;
    DimsExprs const map = shapeOf(4, {1, 1, int64_t(1) << 40, int64_t(1) << 40}, builder);
    DimsExprs const inputs[]{map, map};
    EXPECT_EQ(boxes->getOutputDimensions(0, inputs, 2, builder).nbDims, -1);
    EXPECT_EQ(logger.text, "PriorBox_TRT: an extent of its outputs does not fit in 64 bits\n");
}

// Products of extents and fields are compared with the extents of other inputs.
TEST(StandardPlugins, InputsOfNumbersThatDoNotFitAreRefused) {
    Recorder& logger = cleared();
    initLibNvInferPlugins(&logger, "");
    constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
    Constants builder;
    auto const said = [&](IPluginV2DynamicExt& plugin, std::vector<DimsExprs> const& inputs) {
        logger.text.clear();
        EXPECT_EQ(plugin.getOutputDimensions(0, inputs.data(), int32_t(inputs.size()), builder).nbDims, -1);
        return logger.text;
    };
    auto const detections = created("NMS_TRT", {{"numClasses", kMost}});
    constexpr int64_t kPriors = int64_t(1) << 40;
    EXPECT_EQ(
        said(*detections, {shapeOf(4, {1, 3, 1, 1}, builder), shapeOf(4, {1, 2, 4 * kPriors, 1}, builder),
                           shapeOf(4, {1, 4 * kPriors, 1, 1}, builder)}),
        "NMS_TRT: input 'conf_data' has 3 numbers for an image; expected more, 1099511627776 for each of 2147483647 "
        "classes\n");
    auto const lstm = created("SingleStepLSTMPlugin", {{"hiddenSize", kMost}, {"attentionSize", kMost}});
    DimsExprs const state = shapeOf(4, {1, 1, 1, kMost}, builder);
    EXPECT_EQ(said(*lstm, {shapeOf(4, {1, 1, 1, 1}, builder), state, state, state, shapeOf(3, {1, 1, 5}, builder),
                           shapeOf(3, {1, 1, 4}, builder)}),
              "SingleStepLSTMPlugin: x and the fields need more weights than fit in 64 bits\n");
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

/// One per line of a table cell.
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
            bool const isInt8Too = slot.kind == Kind::kReal && signature.areRealsInt8Too();
            std::string const text = typesText(slot.kind) + std::string(isInt8Too ? ", INT8" : "");
            if (std::ranges::find(types, text) == types.end()) types.push_back(text);
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
    std::vector<std::string> const& shapes = signature.shapeInputs();
    for (size_t i = 0; i < shapes.size(); ++i) {
        bool const isOptional = i + signature.optionalShapeInputs() >= shapes.size();
        tensors.push_back(shapes[i] + (isOptional ? ", an optional shape input" : ", a shape input"));
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

/// Also where the kernels of a GpuPlugin were not compiled.
std::string devicesText(PluginBase const& plugin) {
    bool const isForBoth = plugin.devices() == PluginDevices::kBOTH || dynamic_cast<GpuPlugin const*>(&plugin);
    return isForBoth ? "CPU, CUDA" : "CPU";
}

/// The common cells of a plugin's versions, as the last cells of a row.
std::string commonCells(StandardPlugin const& plugin) {
    std::unique_ptr<PluginBase> const made = plugin.make();
    FieldTexts fields;
    made->fields(fields);
    PluginBase::Signature const signature = made->signature();
    return lines(tensorsOf(signature)) + " | " + lines(fields.all) + " | " + lines(typesOf(signature)) + " | " +
           devicesText(*made) + " |";
}

std::string versionText(StandardPlugin const& plugin) {
    return std::string(plugin.version) + (plugin.generation == PluginGeneration::kV3 ? ": V3" : ": V2DynamicExt") +
           (*plugin.releases ? std::string(", ") + plugin.releases : "");
}

/// A row for all versions of a name with the same tensors and fields, sorted.
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

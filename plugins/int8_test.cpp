// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Standard plugins in networks with dynamic ranges, as applications up to level 10 set them, with inputs and outputs in
// the types and formats that these plugins support elsewhere. The cases of each folder cover scales from quantize
// layers.
#include "plugin.h"

#include <NvInfer.h>
#include <NvInferPlugin.h>
#include <gtest/gtest.h>
#include <tenon/memory.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

namespace tenon::plugins {
namespace {

using namespace nvinfer1;
using Reals = std::vector<double>;
using Integers = std::vector<int8_t>;

class Recorder final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR) text += std::string(message) + '\n';
    }
    std::string text;
};

Dims dimsOf(std::vector<int64_t> const& extents) {
    Dims dims{};
    dims.nbDims = int32_t(extents.size());
    std::ranges::copy(extents, dims.d);
    return dims;
}

/// An input or output for the application.
struct Port {
    std::string name;
    std::vector<int64_t> extents;
    DataType type = DataType::kFLOAT;
    TensorFormat format = TensorFormat::kLINEAR;
    float scale = 0; ///< The range is 127 times this; 0: it has none.
};

/// A network of one plugin, and a run of it.
class OfOnePlugin {
public:
    OfOnePlugin(char const* plugin, char const* version, std::vector<PluginField> const& fields) {
        initLibNvInferPlugins(&logger_, "");
        config_->setFlag(BuilderFlag::kINT8);
        config_->setFlag(BuilderFlag::kFP16);
        config_->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
        creator_ = getPluginRegistry()->getCreator(plugin, version, "");
        fields_ = fields;
    }

    template <class T> void give(Port const& port, std::vector<T> const& values) {
        ITensor* const tensor = network_->addInput(port.name.c_str(), DataType::kFLOAT, dimsOf(port.extents));
        if (port.type == DataType::kINT32) tensor->setType(DataType::kINT32);
        settle(*tensor, port);
        if (inputs_.empty()) isFirstInt8_ = port.scale != 0;
        inputs_.push_back(tensor);
        DeviceMemory& memory = memory_.emplace_back(nullptr, std::max<size_t>(values.size() * sizeof(T), 1));
        stream_.copy(memory.data(), values.data(), values.size() * sizeof(T));
        addresses_.emplace_back(port.name, memory.data());
    }

    /// Those of the plugin in order; requested as INT8 if they have a scale, and the plugin with INT8 computation if
    /// its first input has one.
    bool run(std::vector<Port> const& outputs, std::vector<size_t> const& bytes) {
        ILayer* const layer = addPlugin();
        if (layer == nullptr) return false;
        for (size_t i = 0; i < outputs.size(); ++i) {
            ITensor* const tensor = layer->getOutput(int32_t(i));
            tensor->setName(outputs[i].name.c_str());
            network_->markOutput(*tensor);
            settle(*tensor, outputs[i]);
            if (outputs[i].scale != 0) layer->setOutputType(int32_t(i), DataType::kINT8);
            addresses_.emplace_back(outputs[i].name, memory_.emplace_back(nullptr, bytes[i]).data());
        }
        if (isFirstInt8_) layer->setPrecision(DataType::kINT8);
        return runs();
    }

    template <class T> std::vector<T> get(std::string const& name, size_t count) {
        std::vector<T> values(count);
        auto const found = std::ranges::find(addresses_, name, [](auto const& each) { return each.first; });
        stream_.copy(values.data(), found->second, count * sizeof(T));
        EXPECT_EQ(stream_.wait(), nullptr);
        return values;
    }

    std::string const& said() const { return logger_.text; }

private:
    static void settle(ITensor& tensor, Port const& port) {
        if (port.scale != 0) tensor.setDynamicRange(-127 * port.scale, 127 * port.scale);
        tensor.setType(port.type);
        tensor.setAllowedFormats(TensorFormats(1) << int32_t(port.format));
    }

    ILayer* addPlugin() {
        PluginFieldCollection const given{int32_t(fields_.size()), fields_.data()};
        auto const count = int32_t(inputs_.size());
        if (std::string(creator_->getInterfaceInfo().kind) == "PLUGIN CREATOR_V1") {
            auto* const plugin = static_cast<IPluginCreator*>(creator_)->createPlugin("p", &given);
            ILayer* const layer = plugin ? network_->addPluginV2(inputs_.data(), count, *plugin) : nullptr;
            if (plugin) plugin->destroy();
            return layer;
        }
        auto* const creator = static_cast<IPluginCreatorV3One*>(creator_);
        std::unique_ptr<IPluginV3> const plugin(creator->createPlugin("p", &given, TensorRTPhase::kBUILD));
        return plugin ? network_->addPluginV3(inputs_.data(), count, nullptr, 0, *plugin) : nullptr;
    }

    bool runs() {
        std::unique_ptr<IHostMemory> const file(builder_->buildSerializedNetwork(*network_, *config_));
        if (!file) return false;
        runtime_.reset(createInferRuntime(logger_));
        engine_.reset(runtime_->deserializeCudaEngine(file->data(), file->size()));
        if (!engine_) return false;
        context_.reset(engine_->createExecutionContext());
        for (auto const& [name, address] : addresses_) context_->setTensorAddress(name.c_str(), address);
        return context_->enqueueV3(stream_.get()) && stream_.wait() == nullptr;
    }

    Recorder logger_;
    std::unique_ptr<IBuilder> builder_{createInferBuilder(logger_)};
    std::unique_ptr<IBuilderConfig> config_{builder_->createBuilderConfig()};
    std::unique_ptr<INetworkDefinition> network_{builder_->createNetworkV2(0)};
    IPluginCreatorInterface* creator_ = nullptr;
    std::vector<PluginField> fields_;
    std::vector<ITensor*> inputs_;
    bool isFirstInt8_ = false;
    std::deque<DeviceMemory> memory_;
    std::vector<std::pair<std::string, void*>> addresses_;
    Stream stream_;
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
    std::unique_ptr<IExecutionContext> context_;
};

/// Some integers, none of them far from 0.
Integers some(size_t count, int seed) {
    Integers values(count);
    for (size_t i = 0; i < count; ++i) values[i] = int8_t((i * 37 + i * i * 11 + size_t(seed) * 53) % 61) - 30;
    return values;
}

int8_t quantized(double real, double scale) {
    return int8_t(std::clamp(std::nearbyint(real / scale), -128.0, 127.0)); // half to even
}

/// Equal or adjacent integers: a sum in float may round to the other side of a half.
void expectNear(Integers const& found, Integers const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(int(found[i]), int(expected[i]), 1) << i;
}

/// [N,C,positions] → [N,C/block,positions,block]; the last blocks are padded with 0.
template <class T> std::vector<T> blocked(std::vector<T> const& x, size_t channels, size_t places, size_t block) {
    size_t const blocks = (channels + block - 1) / block, pictures = x.size() / channels / places;
    std::vector<T> y(pictures * blocks * places * block);
    for (size_t i = 0; i < x.size(); ++i) {
        size_t const place = i % places, channel = i / places % channels, picture = i / places / channels;
        y[((picture * blocks + channel / block) * places + place) * block + channel % block] = x[i];
    }
    return y;
}

size_t widthOf(TensorFormat format) {
    return format == TensorFormat::kLINEAR ? 1 : format == TensorFormat::kCHW4 ? 4 : 32;
}

/// Mean 0 and variance 1 over rows, times 1 + i / 64, plus i / 8 - 2, of element i of a row.
Reals normalizedRows(Reals const& x, size_t length, double epsilon) {
    Reals y(x.size());
    for (size_t first = 0; first < x.size(); first += length) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < length; ++i) mean += x[first + i] / double(length);
        for (size_t i = 0; i < length; ++i) variance += (x[first + i] - mean) * (x[first + i] - mean) / double(length);
        for (size_t i = 0; i < length; ++i)
            y[first + i] =
                (x[first + i] - mean) / std::sqrt(variance + epsilon) * (1 + double(i) / 64) + double(i) / 8 - 2;
    }
    return y;
}

constexpr size_t kElements = 40, kRows = 6; // a block of 32, and a padded one

/// The weights of the formula above.
std::vector<float> gamma() {
    std::vector<float> gamma(kElements);
    for (size_t i = 0; i < kElements; ++i) gamma[i] = 1 + float(i) / 64;
    return gamma;
}
std::vector<float> beta() {
    std::vector<float> beta(kElements);
    for (size_t i = 0; i < kElements; ++i) beta[i] = float(i) / 8 - 2;
    return beta;
}

class SkipLayerNormInInt8 : public testing::TestWithParam<char const*> {};
INSTANTIATE_TEST_SUITE_P(Versions, SkipLayerNormInInt8, testing::Values("1", "2", "3", "4", "5", "6", "7", "8"));

// In versions 3, 4, 7 and 8 a row is a column of [1,E,T,1], with blocks of 32 elements.
TEST_P(SkipLayerNormInInt8, ComputesWithItsScales) {
    std::string const version = GetParam();
    bool const isColumns = std::string("3478").find(version) != std::string::npos;
    bool const hasSum = version == "4" || version == "8";
    int32_t const typeId = 2, ld = kElements;
    auto const weights = std::pair(gamma(), beta());
    std::vector<PluginField> const fields{{"type_id", &typeId, PluginFieldType::kINT32, 1},
                                          {"ld", &ld, PluginFieldType::kINT32, 1},
                                          {"gamma", weights.first.data(), PluginFieldType::kFLOAT32, ld},
                                          {"beta", weights.second.data(), PluginFieldType::kFLOAT32, ld}};
    Integers const x = some(kRows * kElements, 1), skip = some(kRows * kElements, 2);
    Reals sum(x.size());
    for (size_t i = 0; i < x.size(); ++i) sum[i] = 0.25 * x[i] + 0.125 * skip[i];
    Reals const y = normalizedRows(sum, kElements, 1e-7);
    Integers expected(x.size()), expectedSum(x.size());
    std::ranges::transform(y, expected.begin(), [](double real) { return quantized(real, 0.0625); });
    std::ranges::transform(sum, expectedSum.begin(), [](double real) { return quantized(real, 0.5); });
    auto const arranged = [&](Integers const& rows) {
        Integers columns(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) columns[i % kElements * kRows + i / kElements] = rows[i];
        return isColumns ? blocked(columns, kElements, kRows, 32) : rows;
    };
    std::vector<int64_t> const extents =
        isColumns ? std::vector<int64_t>{1, kElements, kRows, 1} : std::vector<int64_t>{kRows / 2, 2, kElements, 1, 1};
    TensorFormat const format = isColumns ? TensorFormat::kCHW32 : TensorFormat::kLINEAR;

    OfOnePlugin plugin("CustomSkipLayerNormPluginDynamic", GetParam(), fields);
    plugin.give({"input", extents, DataType::kINT8, format, 0.25F}, arranged(x));
    plugin.give({"skip", extents, DataType::kINT8, format, 0.125F}, arranged(skip));
    size_t const bytes = arranged(x).size();
    std::vector<Port> outputs{{"y", extents, DataType::kINT8, format, 0.0625F}};
    if (hasSum) outputs.push_back({"sum", extents, DataType::kINT8, format, 0.5F});
    ASSERT_TRUE(plugin.run(outputs, {bytes, bytes})) << plugin.said();
    expectNear(plugin.get<int8_t>("y", bytes), arranged(expected));
    if (hasSum) expectNear(plugin.get<int8_t>("sum", bytes), arranged(expectedSum));
}

// Over the last axis.
TEST(LayerNormInInt8, ComputesWithItsScales) {
    Integers const x = some(kRows * kElements, 3);
    Reals real(x.size());
    std::ranges::transform(x, real.begin(), [](int8_t integer) { return 0.25 * integer; });
    Reals const y = normalizedRows(real, kElements, 1e-5);
    Integers expected(x.size());
    std::ranges::transform(y, expected.begin(), [](double value) { return quantized(value, 0.0625); });
    OfOnePlugin plugin("LayerNorm", "1", {});
    plugin.give({"x", {kRows, kElements}, DataType::kINT8, TensorFormat::kLINEAR, 0.25F}, x);
    plugin.give({"gamma", {kElements}}, gamma());
    plugin.give({"beta", {kElements}}, beta());
    Port const output{"y", {kRows, kElements}, DataType::kINT8, TensorFormat::kLINEAR, 0.0625F};
    ASSERT_TRUE(plugin.run({output}, {x.size()})) << plugin.said();
    expectNear(plugin.get<int8_t>("y", x.size()), expected);
}

// If all values of a head are equal, the context has that value.
TEST(QkvToContextInInt8, ComputesWithItsScales) {
    int32_t const typeId = 2, hiddenSize = 8, heads = 2;
    for (char const* version : {"1", "2", "4", "5"}) {
        std::vector<PluginField> const fields{{"type_id", &typeId, PluginFieldType::kINT32, 1},
                                              {"hidden_size", &hiddenSize, PluginFieldType::kINT32, 1},
                                              {"num_heads", &heads, PluginFieldType::kINT32, 1}};
        Integers qkv = some(3 * 24, 4), expected; // 3 positions, [2 heads, 3, 4]
        for (size_t i = 0; i < qkv.size(); ++i) {
            size_t const element = i % 24;
            if (element % 12 >= 8) qkv[i] = int8_t(4 * element - 40);
            if (element % 12 >= 8) expected.push_back(quantized(0.25 * qkv[i], 0.125));
        }
        OfOnePlugin plugin("CustomQKVToContextPluginDynamic", version, fields);
        plugin.give({"qkv", {3, 1, 24, 1, 1}, DataType::kINT8, TensorFormat::kLINEAR, 0.25F}, qkv);
        Port const output{"y", {}, DataType::kINT8, TensorFormat::kLINEAR, 0.125F};
        ASSERT_TRUE(plugin.run({output}, {expected.size()})) << plugin.said();
        expectNear(plugin.get<int8_t>("y", expected.size()), expected);
    }
}

// factor * (data0 + data1 + data2), where the others are equal at all relative positions.
TEST(DisentangledAttentionInInt8, ComputesWithItsScales) {
    int32_t const span = 2;
    float const factor = 0.5F;
    for (char const* version : {"1", "2"}) {
        Integers const data0 = some(9, 5), data1(3 * 4, 10), data2(3 * 4, -6);
        Integers expected;
        for (int8_t const own : data0) expected.push_back(quantized(0.5 * (0.25 * own + 0.5 * 10 - 0.125 * 6), 0.0625));
        OfOnePlugin plugin(
            "DisentangledAttention_TRT", version,
            {{"span", &span, PluginFieldType::kINT32, 1}, {"factor", &factor, PluginFieldType::kFLOAT32, 1}});
        plugin.give({"data0", {1, 3, 3}, DataType::kINT8, TensorFormat::kLINEAR, 0.25F}, data0);
        plugin.give({"data1", {1, 3, 4}, DataType::kINT8, TensorFormat::kLINEAR, 0.5F}, data1);
        plugin.give({"data2", {1, 3, 4}, DataType::kINT8, TensorFormat::kLINEAR, 0.125F}, data2);
        Port const output{"y", {}, DataType::kINT8, TensorFormat::kLINEAR, 0.0625F};
        ASSERT_TRUE(plugin.run({output}, {9})) << plugin.said();
        expectNear(plugin.get<int8_t>("y", 9), expected);
    }
}

std::vector<PluginField> rproiFields() {
    static int32_t const one = 1, two = 2, stride = 16;
    static float const small = 0.0625F, half = 0.5F, real = 1;
    return {{"poolingH", &two, PluginFieldType::kINT32, 1},
            {"poolingW", &two, PluginFieldType::kINT32, 1},
            {"featureStride", &stride, PluginFieldType::kINT32, 1},
            {"preNmsTop", &stride, PluginFieldType::kINT32, 1},
            {"nmsMaxOut", &two, PluginFieldType::kINT32, 1},
            {"anchorsRatioCount", &one, PluginFieldType::kINT32, 1},
            {"anchorsScaleCount", &one, PluginFieldType::kINT32, 1},
            {"iouThreshold", &half, PluginFieldType::kFLOAT32, 1},
            {"minBoxSize", &real, PluginFieldType::kFLOAT32, 1},
            {"spatialScale", &small, PluginFieldType::kFLOAT32, 1},
            {"anchorsRatios", &real, PluginFieldType::kFLOAT32, 1},
            {"anchorsScales", &real, PluginFieldType::kFLOAT32, 1}};
}

// Each channel is constant, so all bins have that maximum. If the scale is the same, so are the integers.
TEST(RproiInInt8, PoolsMapsOfEachFormat) {
    constexpr size_t kChannels = 40, kPlaces = 12;
    Integers const values = some(kChannels, 6);
    Integers map, kept, rounded;
    for (int8_t const value : values) map.insert(map.end(), kPlaces, value);
    for (size_t region = 0; region < 2; ++region) {
        for (int8_t const value : values) kept.insert(kept.end(), 4, value);
        for (int8_t const value : values) rounded.insert(rounded.end(), 4, quantized(0.25 * value, 0.375));
    }
    for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kCHW4, TensorFormat::kCHW32}) {
        for (float const scale : {0.25F, 0.375F}) {
            OfOnePlugin plugin("RPROI_TRT", "1", rproiFields());
            plugin.give({"scores", {1, 2, 3, 4}}, std::vector<float>(24, 0.5F));
            plugin.give({"deltas", {1, 4, 3, 4}}, std::vector<float>(48));
            plugin.give({"fmap", {1, kChannels, 3, 4}, DataType::kINT8, format, 0.25F},
                        blocked(map, kChannels, kPlaces, widthOf(format)));
            plugin.give({"iinfo", {1, 1, 1, 3}}, std::vector<float>{48, 64, 1});
            Port const pooled{"pfmap", {}, DataType::kINT8, TensorFormat::kLINEAR, scale};
            ASSERT_TRUE(plugin.run({{"rois", {}}, pooled}, {2 * 4 * sizeof(float), kept.size()})) << plugin.said();
            EXPECT_EQ(plugin.get<int8_t>("pfmap", kept.size()), scale == 0.25F ? kept : rounded);
        }
    }
}

/// x [1,C,2,3,2], each channel times 1 + i / 64, plus i / 8 - 2.
struct InstancesOf5Axes {
    static constexpr size_t kPlaces = 12;
    std::vector<int64_t> const extents{1, kElements, 2, 3, 2};
    std::vector<float> const scales = gamma(), bias = beta();
    std::vector<PluginField> const fields{{"scales", scales.data(), PluginFieldType::kFLOAT32, kElements},
                                          {"bias", bias.data(), PluginFieldType::kFLOAT32, kElements}};

    Reals expected(Reals const& x) const {
        Reals y(x.size());
        for (size_t channel = 0; channel < kElements; ++channel) {
            double mean = 0, variance = 0;
            auto const at = [&](size_t i) { return channel * kPlaces + i; };
            for (size_t i = 0; i < kPlaces; ++i) mean += x[at(i)] / double(kPlaces);
            for (size_t i = 0; i < kPlaces; ++i) variance += std::pow(x[at(i)] - mean, 2) / double(kPlaces);
            for (size_t i = 0; i < kPlaces; ++i)
                y[at(i)] = (x[at(i)] - mean) / std::sqrt(variance + 1e-5) * scales[channel] + bias[channel];
        }
        return y;
    }
};

TEST(InstanceNormalizationOf5Axes, IsInInt8WithBlocksOf32Channels) {
    InstancesOf5Axes const of;
    Integers const x = some(kElements * of.kPlaces, 7);
    Reals real(x.size());
    std::ranges::transform(x, real.begin(), [](int8_t integer) { return 0.25 * integer; });
    Reals const y = of.expected(real);
    Integers expected(x.size());
    std::ranges::transform(y, expected.begin(), [](double value) { return quantized(value, 0.0625); });
    auto const arranged = [&](Integers const& values) { return blocked(values, kElements, of.kPlaces, 32); };
    for (char const* version : {"1", "2", "3"}) {
        OfOnePlugin plugin("InstanceNormalization_TRT", version, of.fields);
        plugin.give({"x", of.extents, DataType::kINT8, TensorFormat::kCDHW32, 0.25F}, arranged(x));
        Port const output{"y", of.extents, DataType::kINT8, TensorFormat::kCDHW32, 0.0625F};
        ASSERT_TRUE(plugin.run({output}, {arranged(x).size()})) << plugin.said();
        expectNear(plugin.get<int8_t>("y", arranged(x).size()), arranged(expected));
    }
}

// [1,C,D,H,W] as [1,D,H,W,C], whose 40 channels are 5 times 8.
TEST(InstanceNormalizationOf5Axes, IsInHalfWithTheChannelsLast) {
    InstancesOf5Axes const of;
    Integers const x = some(kElements * of.kPlaces, 8);
    Reals const y = of.expected(Reals(x.begin(), x.end()));
    auto const atLast = [&](size_t i) { return i % of.kPlaces * kElements + i / of.kPlaces; };
    std::vector<uint16_t> given(x.size());
    for (size_t i = 0; i < x.size(); ++i) given[atLast(i)] = hosting::toHalf(x[i]);
    for (char const* version : {"1", "2", "3"}) {
        OfOnePlugin plugin("InstanceNormalization_TRT", version, of.fields);
        plugin.give({"x", of.extents, DataType::kHALF, TensorFormat::kDHWC8}, given);
        ASSERT_TRUE(plugin.run({{"y", of.extents, DataType::kHALF, TensorFormat::kDHWC8}}, {2 * x.size()}))
            << plugin.said();
        std::vector<uint16_t> const found = plugin.get<uint16_t>("y", x.size());
        for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(hosting::fromHalf(found[atLast(i)]), y[i], 0.01) << i;
    }
}

} // namespace
} // namespace tenon::plugins

// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// One plugin, y = factor * x (float32, linear), of which `tenon plugins` may only run code that describes it. If the
// factor is negative, channels last is also supported, so that there is a choice.

#include "NvInfer.h"

#include <cstdlib>
#include <cstring>

using namespace nvinfer1;

namespace {

class Times final : public IPluginV2DynamicExt {
public:
    explicit Times(float factor) : factor_(factor) {}

    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t, IExprBuilder&) override {
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) override {
        bool const known =
            inOut[pos].format == TensorFormat::kLINEAR || (factor_ < 0 && inOut[pos].format == TensorFormat::kHWC);
        return inOut[pos].type == DataType::kFLOAT && known && inOut[pos].format == inOut[0].format;
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) override {}
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) const override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) override {
        int64_t count = 1;
        for (int32_t i = 0; i < inputDesc[0].dims.nbDims; ++i) count *= inputDesc[0].dims.d[i];
        auto const* x = static_cast<float const*>(inputs[0]);
        auto* y = static_cast<float*>(outputs[0]);
        for (int64_t i = 0; i < count; ++i) y[i] = factor_ * x[i];
        return 0;
    }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const override { return types[0]; }
    IPluginV2DynamicExt* clone() const override { return new Times(*this); }
    char const* getPluginType() const override { return "TestTimes"; }
    char const* getPluginVersion() const override { return "1"; }
    int32_t getNbOutputs() const override { return 1; }
    int32_t initialize() override { return 0; }
    void terminate() override {}
    size_t getSerializationSize() const override { return sizeof factor_; }
    void serialize(void* buffer) const override { std::memcpy(buffer, &factor_, sizeof factor_); }
    void destroy() override { delete this; }
    void setPluginNamespace(char const*) override {}
    char const* getPluginNamespace() const override { return ""; }

private:
    float factor_;
};

class TimesCreator final : public IPluginCreator {
public:
    char const* getPluginName() const override { return "TestTimes"; }
    char const* getPluginVersion() const override { return "1"; }
    PluginFieldCollection const* getFieldNames() override { return &collection_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const* fields) override {
        if (std::getenv("TENON_TEST_LIST_ONLY")) std::abort();
        float factor = 1;
        for (int32_t i = 0; i < fields->nbFields; ++i) {
            if (std::strcmp(fields->fields[i].name, "factor") == 0)
                factor = *static_cast<float const*>(fields->fields[i].data);
        }
        return new Times(factor);
    }
    IPluginV2* deserializePlugin(char const*, void const* data, size_t) override {
        float factor;
        std::memcpy(&factor, data, sizeof factor);
        return new Times(factor);
    }
    void setPluginNamespace(char const*) override {}
    char const* getPluginNamespace() const override { return ""; }

private:
    int64_t const default_[3]{1, 2, 3};
    PluginField fields_[2]{{"factor", nullptr, PluginFieldType::kFLOAT32, 1},
                           {"unused", default_, PluginFieldType::kINT64, 3}};
    PluginFieldCollection collection_{2, fields_};
};

} // namespace

extern "C" __attribute__((visibility("default"))) IPluginCreator* const* getPluginCreators(int32_t& count) {
    static TimesCreator creator;
    static IPluginCreator* const all[]{&creator};
    count = 1;
    return all;
}

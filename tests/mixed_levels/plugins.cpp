// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin library written for one release of the API: `Plus` of that release's major version computes y = x + amount,
// and from 10 on so does `PlusV3`. They register automatically; in the namespace "listed" the library also lists
// `Plus`, as libraries do from 8.6 on.
#include <NvInfer.h>

#include <cstring>

#if NV_TENSORRT_MAJOR >= 8
#define NOEXCEPT noexcept
#else
#define NOEXCEPT
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

namespace {

using namespace nvinfer1;

constexpr char const* kVersion = TEXT(NV_TENSORRT_MAJOR);

int32_t addTo(PluginTensorDesc const& desc, void const* x, void* y, float amount) {
    int64_t volume = 1;
    for (int32_t i = 0; i < desc.dims.nbDims; ++i) volume *= desc.dims.d[i];
    for (int64_t i = 0; i < volume; ++i) static_cast<float*>(y)[i] = static_cast<float const*>(x)[i] + amount;
    return 0;
}

float amountIn(PluginFieldCollection const* fc) {
    for (int32_t i = 0; fc && i < fc->nbFields; ++i)
        if (std::strcmp(fc->fields[i].name, "amount") == 0) return *static_cast<float const*>(fc->fields[i].data);
    return 0;
}

bool isLinearFloat(PluginTensorDesc const& desc) {
    return desc.type == DataType::kFLOAT && desc.format == TensorFormat::kLINEAR;
}

class Plus : public IPluginV2DynamicExt {
public:
    explicit Plus(float amount) : amount_(amount) {}

    char const* getPluginType() const NOEXCEPT override { return "Plus"; }
    char const* getPluginVersion() const NOEXCEPT override { return kVersion; }
    int32_t getNbOutputs() const NOEXCEPT override { return 1; }
    int32_t initialize() NOEXCEPT override { return 0; }
    void terminate() NOEXCEPT override {}
    size_t getSerializationSize() const NOEXCEPT override { return sizeof amount_; }
    void serialize(void* buffer) const NOEXCEPT override { std::memcpy(buffer, &amount_, sizeof amount_); }
    void destroy() NOEXCEPT override { delete this; }
    IPluginV2DynamicExt* clone() const NOEXCEPT override { return new Plus(amount_); }
    void setPluginNamespace(char const*) NOEXCEPT override {}
    char const* getPluginNamespace() const NOEXCEPT override { return ""; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const NOEXCEPT override { return types[0]; }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t, IExprBuilder&) NOEXCEPT override {
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) NOEXCEPT override {
        return isLinearFloat(inOut[pos]);
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) NOEXCEPT override {}
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const NOEXCEPT override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* x, void* const* y, void*,
                    cudaStream_t) NOEXCEPT override {
        return addTo(in[0], x[0], y[0], amount_);
    }

private:
    float amount_;
};

class PlusCreator : public IPluginCreator {
public:
    char const* getPluginName() const NOEXCEPT override { return "Plus"; }
    char const* getPluginVersion() const NOEXCEPT override { return kVersion; }
    PluginFieldCollection const* getFieldNames() NOEXCEPT override { return &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const* fc) NOEXCEPT override {
        return new Plus(amountIn(fc));
    }
    IPluginV2* deserializePlugin(char const*, void const* data, size_t) NOEXCEPT override {
        return new Plus(*static_cast<float const*>(data));
    }
    void setPluginNamespace(char const*) NOEXCEPT override {}
    char const* getPluginNamespace() const NOEXCEPT override { return ""; }

private:
    PluginField field_{"amount", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{1, &field_};
};
REGISTER_TENSORRT_PLUGIN(PlusCreator);

class ListedCreator final : public PlusCreator {
public:
    char const* getPluginNamespace() const NOEXCEPT override { return "listed"; }
};

#if NV_TENSORRT_MAJOR >= 10

class PlusV3 : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    explicit PlusV3(float amount) : amount_(amount) {}

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
        if (type == PluginCapabilityType::kRUNTIME) return static_cast<IPluginV3OneRuntime*>(this);
        return static_cast<IPluginV3OneCore*>(this);
    }
    IPluginV3* clone() noexcept override { return new PlusV3(amount_); }
    char const* getPluginName() const noexcept override { return "PlusV3"; }
    char const* getPluginVersion() const noexcept override { return kVersion; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }
    int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs, int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                            IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return isLinearFloat(inOut[pos].desc);
    }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* x, void* const* y, void*,
                    cudaStream_t) noexcept override {
        return addTo(in[0], x[0], y[0], amount_);
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        field_ = {"amount", &amount_, PluginFieldType::kFLOAT32, 1};
        return &fields_;
    }

private:
    float amount_;
    PluginField field_;
    PluginFieldCollection fields_{1, &field_};
};

class PlusV3Creator : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return "PlusV3"; }
    char const* getPluginVersion() const noexcept override { return kVersion; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override {
        return new PlusV3(amountIn(fc));
    }

private:
    PluginField field_{"amount", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{1, &field_};
};
REGISTER_TENSORRT_PLUGIN(PlusV3Creator);

#endif

} // namespace

#if NV_TENSORRT_MAJOR >= 8
#if NV_TENSORRT_MAJOR >= 10
#define LISTED IPluginCreatorInterface
#define LIST getCreators
#else
#define LISTED IPluginCreator
#define LIST getPluginCreators
#endif
extern "C" __attribute__((visibility("default"))) LISTED* const* LIST(int32_t& nbCreators) {
    static ListedCreator creator;
    static LISTED* const all[] = {&creator};
    nbCreators = 1;
    return all;
}
#endif

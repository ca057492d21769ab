// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// A plugin library with one plugin, KeepPositive: x [n] -> y [k], count; y is the k positive elements of x. k is known
// only after they are computed.
#include <NvInfer.h>

#include <cmath>
#include <cstdlib>

using namespace nvinfer1;

namespace {

class KeepPositive final : public IPluginV3, IPluginV3OneCore, IPluginV3OneBuild, IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() override { return new KeepPositive; }

    char const* getPluginName() const override { return "KeepPositive"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

    int32_t getNbOutputs() const override { return 2; }
    int32_t getOutputDataTypes(DataType* types, int32_t, DataType const*, int32_t) const override {
        types[0] = DataType::kFLOAT;
        types[1] = DataType::kINT64;
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                            IExprBuilder& builder) override {
        outputs[0].nbDims = 1;
        outputs[0].d[0] = builder.declareSizeTensor(1, *inputs[0].d[0], *inputs[0].d[0]);
        outputs[1].nbDims = 0;
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) override {
        PluginTensorDesc const& tensor = inOut[pos].desc;
        return tensor.format == TensorFormat::kLINEAR &&
               tensor.type == (pos == 2 ? DataType::kINT64 : DataType::kFLOAT);
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) override {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) override { return 0; }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) override {
        auto const* x = static_cast<float const*>(inputs[0]);
        auto* y = static_cast<float*>(outputs[0]);
        int64_t count = 0;
        for (int64_t i = 0; i < inputDesc[0].dims.d[0]; ++i) {
            if (std::isnan(x[i])) return 1;     // a case of failure
            if (std::isinf(x[i])) std::abort(); // and one of a crash
            if (x[i] > 0) y[count++] = x[i];
        }
        *static_cast<int64_t*>(outputs[1]) = count;
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() override { return &fields_; }

private:
    PluginFieldCollection fields_{0, nullptr};
};

class KeepPositiveCreator final : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) override {
        return new KeepPositive;
    }
    PluginFieldCollection const* getFieldNames() override { return &fields_; }
    char const* getPluginName() const override { return "KeepPositive"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

private:
    PluginFieldCollection fields_{0, nullptr};
};

} // namespace

#ifdef REGISTERS_ITSELF
REGISTER_TENSORRT_PLUGIN(KeepPositiveCreator);
#else
extern "C" __attribute__((visibility("default"))) IPluginCreatorInterface* const* getCreators(int32_t& count) {
    static KeepPositiveCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    count = 1;
    return creators;
}
#endif

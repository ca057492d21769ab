// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugins of the third generation in a library of level 10 or 11 (plugins.cpp).
#ifndef ONE_ABI_PLUGINS_V3_H
#define ONE_ABI_PLUGINS_V3_H

#include "notes.h"

namespace {

/// One object with all capabilities, the common form. `Core`, `Build` and `Runtime` choose the classes.
template <typename Core, typename Build, typename Runtime>
class V3Recorder : public IPluginV3, public Core, public Build, public Runtime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        note("getCapabilityInterface", type);
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<Core*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<Build*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<Runtime*>(this);
        }
        return nullptr;
    }

    char const* getPluginName() const noexcept override { return note("getPluginName"), "V3"; }
    char const* getPluginVersion() const noexcept override { return note("getPluginVersion"), TENON_TEXT(TENON_LEVEL); }
    char const* getPluginNamespace() const noexcept override { return note("getPluginNamespace"), "here"; }

    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t inputs, DynamicPluginTensorDesc const* out,
                            int32_t outputs) noexcept override {
        return note("configurePlugin", list(in, inputs), list(out, outputs), in[0].opt), 21;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t count, DimsExprs const* /*shapes*/, int32_t shapeCount,
                            DimsExprs* outputs, int32_t outputCount, IExprBuilder& builder) noexcept override {
        note("getOutputShapes", count, shapeCount, outputCount);
        IDimensionExpr const* size = builder.declareSizeTensor(1, *inputs[0].d[0], *builder.constant(int64_t(1) << 40));
        note("size", size->isSizeTensor(), builder.constant(int64_t(1) << 40)->getConstantValue());
        outputs[0] = inputs[0];
        outputs[0].d[0] = size;
        return 22;
    }
    int32_t getNbOutputs() const noexcept override { return note("getNbOutputs"), 1; }
    int32_t getValidTactics(int32_t* tactics, int32_t count) noexcept override {
        note("getValidTactics", count);
        tactics[0] = 5;
        return 23;
    }
    int32_t getNbTactics() noexcept override { return note("getNbTactics"), 1; }
    char const* getTimingCacheID() noexcept override { return note("getTimingCacheID"), "timing"; }
    char const* getMetadataString() noexcept override { return note("getMetadataString"), "metadata"; }
    int32_t setTactic(int32_t tactic) noexcept override { return note("setTactic", tactic), 24; }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return note("getFieldsToSerialize"), &fields_;
    }

private:
    int32_t value_ = TENON_LEVEL;
    PluginField field_{"level", &value_, PluginFieldType::kINT32, 1};
    PluginFieldCollection fields_{1, &field_};
};

template <typename Build> class V3OneRecorder : public V3Recorder<IPluginV3OneCore, Build, IPluginV3OneRuntime> {
public:
    int32_t getOutputDataTypes(DataType* outputs, int32_t outputCount, DataType const* inputs,
                               int32_t count) const noexcept override {
        note("getOutputDataTypes", outputCount, list(inputs, count));
        outputs[0] = inputs[count - 1];
        return 25;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t inputs,
                                   int32_t outputs) noexcept override {
        return note("supportsFormatCombination", pos, list(inOut, inputs + outputs)), inOut[pos].desc.dims.d[0] == 3;
    }
    size_t getWorkspaceSize(DynamicPluginTensorDesc const* in, int32_t inputs, DynamicPluginTensorDesc const* out,
                            int32_t outputs) const noexcept override {
        return note("getWorkspaceSize", list(in, inputs), list(out, outputs)), 1000;
    }
    int32_t getFormatCombinationLimit() noexcept override { return note("getFormatCombinationLimit"), 7; }

    int32_t onShapeChange(PluginTensorDesc const* in, int32_t inputs, PluginTensorDesc const* out,
                          int32_t outputs) noexcept override {
        return note("onShapeChange", list(in, inputs), list(out, outputs)), 26;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const* out, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
        note("enqueue", list(in, 2), list(out, 1), inputs[0], outputs[0], workspace, static_cast<void const*>(stream));
        return compute(inputs, outputs);
    }
    IPluginV3* attachToContext(IPluginResourceContext* context) noexcept override {
        note("attachToContext", static_cast<void const*>(context->getGpuAllocator()),
             static_cast<void const*>(context->getErrorRecorder()));
        return this->clone();
    }
};

class V3One : public V3OneRecorder<IPluginV3OneBuild> {
public:
    IPluginV3* clone() noexcept override { return note("clone"), new V3One; }
};

class V3OneAliased : public V3OneRecorder<IPluginV3OneBuildV2> {
public:
    IPluginV3* clone() noexcept override { return note("clone"), new V3OneAliased; }
    int32_t getAliasedInput(int32_t index) noexcept override { return note("getAliasedInput", index), 1; }
};

template <typename Build> class V3QuickRecorder : public V3Recorder<IPluginV3QuickCore, Build, IPluginV3QuickRuntime> {
public:
    int32_t getOutputDataTypes(DataType* outputs, int32_t outputCount, DataType const* inputs, int32_t const* ranks,
                               int32_t count) const noexcept override {
        note("getOutputDataTypes", outputCount, list(inputs, count), list(ranks, count));
        outputs[0] = inputs[count - 1];
        return 25;
    }
    int32_t getNbSupportedFormatCombinations(DynamicPluginTensorDesc const* inOut, int32_t inputs,
                                             int32_t outputs) noexcept override {
        return note("getNbSupportedFormatCombinations", list(inOut, inputs + outputs)), 1;
    }
    int32_t getSupportedFormatCombinations(DynamicPluginTensorDesc const* inOut, int32_t inputs, int32_t outputs,
                                           PluginTensorDesc* supported, int32_t count) noexcept override {
        note("getSupportedFormatCombinations", list(inOut, inputs + outputs), count);
        for (int32_t i = 0; i < inputs + outputs; ++i) {
            supported[i].type = DataType::kBF16;
        }
        return 27;
    }
    int32_t getAliasedInput(int32_t index) noexcept override { return note("getAliasedInput", index), 1; }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const* out, void const* const* inputs,
                    void* const* outputs, Dims const* inputStrides, Dims const* outputStrides, int32_t inputCount,
                    int32_t outputCount, cudaStream_t stream) noexcept override {
        note("enqueue", list(in, inputCount), list(out, outputCount), inputs[0], outputs[0],
             list(inputStrides, inputCount), list(outputStrides, outputCount), static_cast<void const*>(stream));
        return compute(inputs, outputs);
    }
};

class V3Quick : public V3QuickRecorder<IPluginV3QuickBuild> {
public:
    IPluginV3* clone() noexcept override { return note("clone"), new V3Quick; }
};

class V3QuickAot : public V3QuickRecorder<IPluginV3QuickAOTBuild> {
public:
    IPluginV3* clone() noexcept override { return note("clone"), new V3QuickAot; }
    int32_t getLaunchParams(DimsExprs const* /*inputs*/, DynamicPluginTensorDesc const* inOut, int32_t inputs,
                            int32_t outputs, IKernelLaunchParams* launch, ISymExprs* extra,
                            IExprBuilder& builder) noexcept override {
        note("getLaunchParams", list(inOut, inputs + outputs), builder.constant(1)->getConstantValue());
        expression_.value = 64;
        note(launch->setGridX(&expression_), launch->setGridY(&expression_), launch->setGridZ(&expression_),
             launch->setBlockX(&expression_), launch->setBlockY(&expression_), launch->setBlockZ(&expression_),
             launch->setSharedMem(&expression_));
        note(extra->setNbSymExprs(2));
        note(extra->setSymExpr(1, &expression_));
        return 28;
    }
    int32_t getKernel(PluginTensorDesc const* in, int32_t inputs, PluginTensorDesc const* out, int32_t outputs,
                      char const** name, char** kernel, int32_t* size) noexcept override {
        note("getKernel", list(in, inputs), list(out, outputs));
        *name = "kernel";
        *kernel = code_;
        *size = sizeof code_;
        return 29;
    }

private:
    struct Expression : ISymExpr {
        PluginArgType getType() const noexcept override { return note("getType"), PluginArgType::kINT; }
        PluginArgDataType getDataType() const noexcept override {
            return note("getDataType"), PluginArgDataType::kINT32;
        }
        void* getExpr() noexcept override { return note("getExpr"), &value; }
        int32_t value = 0;
    };
    Expression expression_;
    char code_[4] = "ptx";
};

template <typename Plugin> class V3Creator : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(char const* name, PluginFieldCollection const* fc, TensorRTPhase phase) noexcept override {
        note("createPlugin", name, fc->nbFields, fc->fields[0].name, phase);
        return new Plugin;
    }
    PluginFieldCollection const* getFieldNames() noexcept override { return note("getFieldNames"), &fields_; }
    char const* getPluginName() const noexcept override { return Plugin::kName; }
    char const* getPluginVersion() const noexcept override { return TENON_TEXT(TENON_LEVEL); }
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginField field_{"alpha", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{1, &field_};
};

class V3QuickCreator : public IPluginCreatorV3Quick {
public:
    IPluginV3* createPlugin(char const* name, char const* space, PluginFieldCollection const* fc, TensorRTPhase phase,
                            QuickPluginCreationRequest request) noexcept override {
        note("createPlugin", name, space, fc->nbFields, fc->fields[0].name, phase, request);
        if (request == QuickPluginCreationRequest::kSTRICT_AOT) return new V3QuickAot;
        return new V3Quick;
    }
    PluginFieldCollection const* getFieldNames() noexcept override { return note("getFieldNames"), &fields_; }
    char const* getPluginName() const noexcept override { return "V3Quick"; }
    char const* getPluginVersion() const noexcept override { return TENON_TEXT(TENON_LEVEL); }
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginField field_{"alpha", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{1, &field_};
};

struct NamedV3One : V3One {
    static constexpr char const* kName = "V3One";
};
struct NamedV3OneAliased : V3OneAliased {
    static constexpr char const* kName = "V3OneAliased";
};
using CreatorV3One = V3Creator<NamedV3One>;
using CreatorV3OneAliased = V3Creator<NamedV3OneAliased>;
REGISTER_TENSORRT_PLUGIN(CreatorV3One);
REGISTER_TENSORRT_PLUGIN(CreatorV3OneAliased);
REGISTER_TENSORRT_PLUGIN(V3QuickCreator);

} // namespace

#endif

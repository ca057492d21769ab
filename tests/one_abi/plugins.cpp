// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin library of one level: a plugin of each generation that the level has, as users of the level write them. Each
// records its calls and answers by a formula that the callers know (calls.h).
#include "inlines.h"

#include <cstring>

namespace {

constexpr int32_t kElements = 4;

/// [the sum of all extents, index + 100]
template <typename Shape> Shape sumOf(int32_t index, Shape const* inputs, int32_t count) {
    Shape sum = Shape();
    sum.nbDims = 2;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t axis = 0; axis < inputs[i].nbDims; ++axis) {
            sum.d[0] += inputs[i].d[axis];
        }
    }
    sum.d[1] = index + 100;
    return sum;
}

/// Multiplies by the level.
int32_t compute(void const* const* inputs, void* const* outputs) {
    for (int32_t i = 0; i < kElements; ++i) {
        static_cast<float*>(outputs[0])[i] = TENON_LEVEL * static_cast<float const*>(inputs[0])[i];
    }
    return 0;
}

/// The common part of all classes of the second generation.
template <typename Base> class Recorder : public Base {
public:
    explicit Recorder(char const* type) : type_(type) {}
    Recorder(Recorder const& other) : Base(other), type_(other.type_), namespace_(other.namespace_) {}

    char const* getPluginType() const NOEXCEPT override { return note("getPluginType"), type_; }
    char const* getPluginVersion() const NOEXCEPT override { return note("getPluginVersion"), TENON_TEXT(TENON_LEVEL); }
    int32_t getNbOutputs() const NOEXCEPT override { return note("getNbOutputs"), 1; }
    int32_t initialize() NOEXCEPT override { return note("initialize"), 17; }
    void terminate() NOEXCEPT override { note("terminate"); }
    size_t getSerializationSize() const NOEXCEPT override { return note("getSerializationSize"), 3; }
    void serialize(void* buffer) const NOEXCEPT override {
        note("serialize", buffer);
        std::memcpy(buffer, "abc", 3);
    }
    void destroy() NOEXCEPT override {
        note("destroy", static_cast<void const*>(this));
        delete this;
    }
    void setPluginNamespace(char const* name) NOEXCEPT override {
        note("setPluginNamespace", name);
        namespace_ = name;
    }
    char const* getPluginNamespace() const NOEXCEPT override { return note("getPluginNamespace"), namespace_.c_str(); }

private:
    char const* type_;
    std::string namespace_;
};

/// The common part of the three classes for fixed shapes.
template <typename Base> class FixedRecorder : public Recorder<Base> {
public:
    using Recorder<Base>::Recorder;

    Dims getOutputDimensions(int32_t index, Dims const* inputs, int32_t count) NOEXCEPT override {
        note("getOutputDimensions", index, list(inputs, count));
        return sumOf(index, inputs, count);
    }
    size_t getWorkspaceSize(int32_t batch) const NOEXCEPT override { return note("getWorkspaceSize", batch), 1000; }
#if TENON_LEVEL >= 8
    int32_t enqueue(int32_t batch, void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) NOEXCEPT override{
#else
    int32_t enqueue(int32_t batch, void const* const* inputs, void** outputs, void* workspace,
                    cudaStream_t stream) override {
#endif
        note("enqueue", batch, inputs[0], outputs[0], workspace, static_cast<void const*>(stream));
    return compute(inputs, outputs);
}
}; // namespace

class V2 : public FixedRecorder<IPluginV2> {
public:
    V2() : FixedRecorder("V2") {}
    bool supportsFormat(DataType type, PluginFormat format) const NOEXCEPT override {
        return note("supportsFormat", type, format), type == DataType::kHALF;
    }
    void configureWithFormat(Dims const* in, int32_t inputs, Dims const* out, int32_t outputs, DataType type,
                             PluginFormat format, int32_t batch) NOEXCEPT override {
        note("configureWithFormat", list(in, inputs), list(out, outputs), type, format, batch);
    }
    IPluginV2* clone() const NOEXCEPT override { return note("clone"), new V2(*this); }
};

/// The methods added by IPluginV2Ext.
template <typename Base> class ExtRecorder : public Base {
public:
    using Base::Base;

    DataType getOutputDataType(int32_t index, DataType const* types, int32_t count) const NOEXCEPT override {
        return note("getOutputDataType", index, list(types, count)), types[count - 1];
    }
    void attachToContext(cudnnContext* cudnn, cublasContext* cublas, IGpuAllocator* allocator) NOEXCEPT override {
        note("attachToContext", static_cast<void const*>(cudnn), static_cast<void const*>(cublas));
        if (!allocator) return;
        void* const memory = allocator->allocate(64, 8, 1);
#if TENON_LEVEL >= 10
        allocator->deallocateAsync(memory, nullptr);
#elif TENON_LEVEL == 8
        allocator->deallocate(memory);
#else
        allocator->free(memory);
#endif
    }
    void detachFromContext() NOEXCEPT override { note("detachFromContext"); }
};

/// The broadcast of the batch, until level 10.
template <typename Base> class BroadcastRecorder : public ExtRecorder<Base> {
public:
    using ExtRecorder<Base>::ExtRecorder;
#if TENON_LEVEL <= 10
    bool isOutputBroadcastAcrossBatch(int32_t index, bool const* flags, int32_t count) const NOEXCEPT override {
        return note("isOutputBroadcastAcrossBatch", index, list(flags, count)), flags[0];
    }
    bool canBroadcastInputAcrossBatch(int32_t index) const NOEXCEPT override {
        return note("canBroadcastInputAcrossBatch", index), true;
    }
#endif
};

class V2Ext : public BroadcastRecorder<FixedRecorder<IPluginV2Ext>> {
public:
    V2Ext() : BroadcastRecorder("V2Ext") {}
    bool supportsFormat(DataType type, PluginFormat format) const NOEXCEPT override {
        return note("supportsFormat", type, format), type == DataType::kHALF;
    }
    void configurePlugin(Dims const* in, int32_t inputs, Dims const* out, int32_t outputs, DataType const* inTypes,
                         DataType const* outTypes, bool const* inBroadcast, bool const* outBroadcast,
                         PluginFormat format, int32_t batch) NOEXCEPT override {
        note("configurePlugin", list(in, inputs), list(out, outputs), list(inTypes, inputs), list(outTypes, outputs),
             list(inBroadcast, inputs), list(outBroadcast, outputs), format, batch);
    }
    IPluginV2Ext* clone() const NOEXCEPT override { return note("clone"), new V2Ext(*this); }
};

class V2IOExt : public BroadcastRecorder<FixedRecorder<IPluginV2IOExt>> {
public:
    V2IOExt() : BroadcastRecorder("V2IOExt") {}
    void configurePlugin(PluginTensorDesc const* in, int32_t inputs, PluginTensorDesc const* out,
                         int32_t outputs) NOEXCEPT override {
        note("configurePlugin", list(in, inputs), list(out, outputs));
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t inputs,
                                   int32_t outputs) const NOEXCEPT override {
        return note("supportsFormatCombination", pos, list(inOut, inputs + outputs)), inOut[pos].dims.d[0] == 3;
    }
    IPluginV2Ext* clone() const NOEXCEPT override { return note("clone"), new V2IOExt(*this); }

#if TENON_LEVEL == 7
protected:
    // As in plugins of 7.2.
    using IPluginV2IOExt::configurePlugin;
    using IPluginV2IOExt::supportsFormat;
#endif
};

class V2DynamicExt : public ExtRecorder<Recorder<IPluginV2DynamicExt>> {
public:
    V2DynamicExt() : ExtRecorder("V2DynamicExt") {}
    DimsExprs getOutputDimensions(int32_t index, DimsExprs const* inputs, int32_t count,
                                  IExprBuilder& builder) NOEXCEPT override {
        note("getOutputDimensions", index, count);
        DimsExprs out = inputs[0];
        out.d[0] = builder.operation(DimensionOperation::kPROD, *inputs[0].d[0], *builder.constant(TENON_LEVEL));
        auto const value = out.d[0]->getConstantValue();
        static_assert(sizeof(value) == (TENON_LEVEL >= 10 ? 8 : 4), "the width of extents at this level");
        note("product", value, out.d[0]->isConstant());
        return out;
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t inputs,
                                   int32_t outputs) NOEXCEPT override {
        return note("supportsFormatCombination", pos, list(inOut, inputs + outputs)), inOut[pos].dims.d[0] == 3;
    }
    void configurePlugin(DynamicPluginTensorDesc const* in, int32_t inputs, DynamicPluginTensorDesc const* out,
                         int32_t outputs) NOEXCEPT override {
        note("configurePlugin", list(in, inputs), list(out, outputs));
#if TENON_LEVEL >= 10
        note("opt", in[0].opt);
#endif
    }
    size_t getWorkspaceSize(PluginTensorDesc const* in, int32_t inputs, PluginTensorDesc const* out,
                            int32_t outputs) const NOEXCEPT override {
        return note("getWorkspaceSize", list(in, inputs), list(out, outputs)), 1000;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const* out, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t stream) NOEXCEPT override {
        note("enqueue", list(in, 2), list(out, 1), inputs[0], outputs[0], workspace, static_cast<void const*>(stream));
        return compute(inputs, outputs);
    }
    IPluginV2DynamicExt* clone() const NOEXCEPT override { return note("clone"), new V2DynamicExt(*this); }

#if TENON_LEVEL == 7
protected:
    // As in plugins of 7.2.
    using IPluginV2DynamicExt::canBroadcastInputAcrossBatch;
    using IPluginV2DynamicExt::configurePlugin;
    using IPluginV2DynamicExt::enqueue;
    using IPluginV2DynamicExt::getOutputDimensions;
    using IPluginV2DynamicExt::getWorkspaceSize;
    using IPluginV2DynamicExt::isOutputBroadcastAcrossBatch;
    using IPluginV2DynamicExt::supportsFormat;
#endif
};

template <typename Plugin> class Creator : public IPluginCreator {
public:
    char const* getPluginName() const NOEXCEPT override { return name_.c_str(); }
    char const* getPluginVersion() const NOEXCEPT override { return TENON_TEXT(TENON_LEVEL); }
    PluginFieldCollection const* getFieldNames() NOEXCEPT override { return note("getFieldNames"), &fields_; }
    IPluginV2* createPlugin(char const* name, PluginFieldCollection const* fc) NOEXCEPT override {
        note("createPlugin", name, fc->nbFields, fc->fields[0].name, fc->fields[0].type, fc->fields[0].length);
        return new Plugin;
    }
    IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) NOEXCEPT override {
        note("deserializePlugin", name, std::string(static_cast<char const*>(data), length));
        return new Plugin;
    }
    void setPluginNamespace(char const* name) NOEXCEPT override { namespace_ = name; }
    char const* getPluginNamespace() const NOEXCEPT override { return namespace_.c_str(); }

private:
    std::string name_ = Plugin().getPluginType();
    std::string namespace_;
    PluginField field_{"alpha", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{1, &field_};
};

using CreatorV2 = Creator<V2>;
using CreatorV2Ext = Creator<V2Ext>;
using CreatorV2IOExt = Creator<V2IOExt>;
using CreatorV2DynamicExt = Creator<V2DynamicExt>;
REGISTER_TENSORRT_PLUGIN(CreatorV2);
REGISTER_TENSORRT_PLUGIN(CreatorV2Ext);
REGISTER_TENSORRT_PLUGIN(CreatorV2IOExt);
REGISTER_TENSORRT_PLUGIN(CreatorV2DynamicExt);

#if TENON_LEVEL == 7

/// The common part of the two classes of the first generation.
template <typename Base> class FirstRecorder : public Base {
public:
    int32_t getNbOutputs() const override { return note("getNbOutputs"), 1; }
    Dims getOutputDimensions(int32_t index, Dims const* inputs, int32_t count) override {
        note("getOutputDimensions", index, list(inputs, count));
        return sumOf(index, inputs, count);
    }
    int32_t initialize() override { return note("initialize"), 17; }
    void terminate() override { note("terminate"); }
    size_t getWorkspaceSize(int32_t batch) const override { return note("getWorkspaceSize", batch), 1000; }
    int32_t enqueue(int32_t batch, void const* const* inputs, void** outputs, void* workspace,
                    cudaStream_t stream) override {
        note("enqueue", batch, inputs[0], outputs[0], workspace, static_cast<void const*>(stream));
        return compute(inputs, outputs);
    }
    size_t getSerializationSize() override { return note("getSerializationSize"), 3; }
    void serialize(void* buffer) override {
        note("serialize", buffer);
        std::memcpy(buffer, "abc", 3);
    }
};

class First : public FirstRecorder<IPlugin> {
public:
    void configure(Dims const* in, int32_t inputs, Dims const* out, int32_t outputs, int32_t batch) override {
        note("configure", list(in, inputs), list(out, outputs), batch);
    }
};

class FirstExt : public FirstRecorder<IPluginExt> {
public:
    bool supportsFormat(DataType type, PluginFormat format) const override {
        return note("supportsFormat", type, format), type == DataType::kHALF;
    }
    void configureWithFormat(Dims const* in, int32_t inputs, Dims const* out, int32_t outputs, DataType type,
                             PluginFormat format, int32_t batch) override {
        note("configureWithFormat", list(in, inputs), list(out, outputs), type, format, batch);
    }
};

class Factory : public IPluginFactory {
public:
    IPlugin* createPlugin(char const* layer, void const* data, size_t length) override {
        note("createPlugin", layer, std::string(static_cast<char const*>(data), length));
        return &plugin_;
    }

private:
    First plugin_;
};

#endif

} // namespace

#if TENON_LEVEL >= 10
#include "plugins_v3.h"
#else
#include "factories.h"
#endif

extern "C" __attribute__((visibility("default"))) void oneAbiLibraryFaults(char* faults, size_t size) {
    std::snprintf(faults, size, "%s", inlineFaults().c_str());
}

#if TENON_LEVEL == 7
extern "C" __attribute__((visibility("default"))) void oneAbiFirstGeneration(void** objects) {
    static First first;
    static FirstExt firstExt;
    static Factory factory;
    objects[0] = static_cast<IPlugin*>(&first);
    objects[1] = static_cast<IPluginExt*>(&firstExt);
    objects[2] = static_cast<IPluginFactory*>(&factory);
}
#endif
